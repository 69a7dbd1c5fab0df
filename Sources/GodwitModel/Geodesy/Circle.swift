/// A circle on the sphere.
public struct Circle: Sendable, Hashable, Codable {
  public var center: Coordinate
  /// Metres along the surface, > 0.
  public var radius: Meters

  public init(center: Coordinate, radius: Meters) {
    self.center = center
    self.radius = radius
  }

  /// Returns the distance in metres from a place to the edge; negative inside.
  public func distanceToEdge(from place: Coordinate) -> Meters { GreatCircle.distance(center, place) - radius }

  /// Returns whether a place is inside. The edge counts as inside.
  public func contains(_ place: Coordinate) -> Bool { distanceToEdge(from: place) <= 0 }
}
