internal import GodwitModel

/// The area of a geofence, and the circle by which the system monitors it.
struct RegionArea: Sendable {
  /// The shape: a circle or polygons.
  private var shape: RegionShape
  /// The monitored circle: it contains the area and is not smaller than the system can monitor.
  var monitored: Circle
  /// The area if it is a circle; otherwise the smallest known circle around its polygons.
  var enclosing: Circle
  /// `nil`: the monitored circle is the area. True: the area is a smaller circle. False: the area consists of polygons.
  var isSmall: Bool?

  /// Returns `nil` for a beacon.
  init?(_ shape: RegionShape) {
    guard let enclosing = shape.enclosingCircle else { return nil }
    self.shape = shape
    self.enclosing = enclosing
    if case .circle = shape { isSmall = enclosing.radius < RegionLimits.smallestRadius ? true : nil } else { isSmall = false }
    monitored = enclosing.monitored
  }

  /// Returns the metres from a place to the edge, negative inside.
  func distanceToEdge(from place: Coordinate) -> Meters { shape.distanceToEdge(from: place) ?? .infinity }
}

extension Circle {
  /// The circle, enlarged to the smallest radius that the system can monitor.
  var monitored: Circle { Circle(center: center, radius: max(radius, RegionLimits.smallestRadius)) }
}
