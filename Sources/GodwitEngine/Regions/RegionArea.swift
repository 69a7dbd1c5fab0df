internal import GodwitModel

/// The area of a geofence: what it really is, and the circle by which the system can monitor it.
struct RegionArea: Sendable {
  /// A circle or polygons.
  private var shape: RegionShape
  /// A circle round all of it, not smaller than the system can see.
  var monitored: Circle
  /// The circle that it is, or the smallest one known round its polygons.
  var enclosing: Circle
  /// `nil`: the monitored circle is the area. True: it is a circle smaller than that. False: polygons.
  var isSmall: Bool?

  /// Nothing for a beacon.
  init?(_ shape: RegionShape) {
    guard let enclosing = shape.enclosingCircle else { return nil }
    self.shape = shape
    self.enclosing = enclosing
    if case .circle = shape { isSmall = enclosing.radius < RegionLimits.smallestRadius ? true : nil } else { isSmall = false }
    monitored = enclosing.monitored
  }

  /// Metres from a place to the edge: negative inside.
  func distanceToEdge(from place: Coordinate) -> Meters { shape.distanceToEdge(from: place) ?? .infinity }
}

extension Circle {
  /// Not smaller than the system can see.
  var monitored: Circle { Circle(center: center, radius: max(radius, RegionLimits.smallestRadius)) }
}
