internal import GodwitModel

/// A position of a map, degrees.
public struct MapPoint: Sendable, Hashable {
  public var latitude: Double
  public var longitude: Double

  init(_ coordinate: Coordinate) {
    latitude = coordinate.latitude
    longitude = coordinate.longitude
  }
}

/// A circle of a map.
public struct MapCircle: Sendable, Hashable {
  public var center: MapPoint
  /// Metres.
  public var radius: Double
}

/// A line of a map.
public struct MapLine: Identifiable, Sendable, Hashable {
  public var id: Int
  public var points: [MapPoint]
  /// It is the server's history, and not this phone's own record.
  public var isHistory: Bool
}
