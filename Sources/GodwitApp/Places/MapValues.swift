internal import GodwitModel

/// A position of a map, degrees.
public struct MapPoint: Sendable, Hashable {
  /// Degrees north, −90…90.
  public var latitude: Double
  /// Degrees east, −180…180.
  public var longitude: Double

  /// - Parameters:
  ///   - latitude: degrees north, −90…90.
  ///   - longitude: degrees east, −180…180.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  init(_ coordinate: Coordinate) { self.init(latitude: coordinate.latitude, longitude: coordinate.longitude) }
}

/// A circle of a map.
public struct MapCircle: Sendable, Hashable {
  public var center: MapPoint
  /// Metres.
  public var radius: Double
}

/// A polygon of a map.
public struct MapOutline: Identifiable, Sendable, Hashable {
  public var id: String
  public var name: String
  public var corners: [MapPoint]
  /// The device is in it.
  public var isInside: Bool
}

/// A line of a map.
public struct MapLine: Identifiable, Sendable, Hashable {
  public var id: Int
  public var points: [MapPoint]
  /// None of it is this phone's own record.
  public var isHistory: Bool
}
