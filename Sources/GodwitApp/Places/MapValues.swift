internal import GodwitModel

/// A position on a map in degrees.
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

/// A circle on a map.
public struct MapCircle: Sendable, Hashable {
  public var center: MapPoint
  /// The radius in metres.
  public var radius: Double
}

/// A polygon on a map.
public struct MapOutline: Identifiable, Sendable, Hashable {
  public var id: String
  public var name: String
  public var corners: [MapPoint]
  /// Whether the device is inside.
  public var isInside: Bool
}

/// A line on a map.
public struct MapLine: Identifiable, Sendable, Hashable {
  public var id: Int
  public var points: [MapPoint]
  /// Whether no position of the line is from this phone's own record.
  public var isHistory: Bool
}
