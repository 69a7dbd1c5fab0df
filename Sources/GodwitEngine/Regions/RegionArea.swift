internal import GodwitModel

/// The area of a geofence: what it really is, and the circle by which the system can monitor it.
struct RegionArea: Sendable {
  /// What decides.
  enum Shape: Sendable {
    case circle(Circle)
    case polygons(MultiPolygon)
  }

  var shape: Shape
  /// A circle round all of it, not smaller than the system can see.
  var monitored: Circle
  /// The circle that it is, or the smallest one known round its polygons.
  var enclosing: Circle
  /// Whether the system's entries and exits say all: the monitored circle is the area.
  var isDecidedBySystem: Bool { isSmall == nil }
  /// `nil`: the monitored circle is the area. True: it is a circle smaller than that. False: polygons.
  var isSmall: Bool?

  /// Nothing for a beacon.
  init?(_ shape: RegionShape) {
    switch shape {
    case .beacon: return nil
    case .circle(let circle):
      self.shape = .circle(circle)
      enclosing = circle
      isSmall = circle.radius < RegionLimits.smallestRadius ? true : nil
    case .polygons(let polygons):
      self.shape = .polygons(polygons)
      enclosing = polygons.enclosingCircle
      isSmall = false
    }
    monitored = Circle(center: enclosing.center, radius: max(enclosing.radius, RegionLimits.smallestRadius))
  }

  /// Metres from a place to the edge: negative inside.
  func distanceToEdge(from place: Coordinate) -> Meters {
    switch shape {
    case .circle(let circle): circle.distanceToEdge(from: place)
    case .polygons(let polygons): polygons.distanceToEdge(from: place)
    }
  }
}

extension MultiPolygon {
  var enclosingCircle: Circle {
    let corners = polygons.flatMap { $0.rings[0] }
    let center = corners[0]
    return Circle(center: center, radius: corners.map { GreatCircle.distance(center, $0) }.max() ?? 0)
  }

  func distanceToEdge(from place: Coordinate) -> Meters { enclosingCircle.distanceToEdge(from: place) }
}
