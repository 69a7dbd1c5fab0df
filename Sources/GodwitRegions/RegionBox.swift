internal import Foundation
internal import GodwitModel
internal import GodwitStore

/// The bounding box of a region, in degrees. `west` is −180…180. `east` is not below `west`, and above 180 if the region crosses
/// the antimeridian.
struct RegionBox: Sendable, Hashable {
  package var south, north, west, east: Double

  /// Returns `nil` for a beacon region without a known place.
  package init?(_ shape: RegionShape) {
    switch shape {
    case .circle(let circle): self.init(circle)
    case .polygons(let area): self.init(area.enclosingCircle)
    case .beacon(let beacon):
      guard let place = beacon.place else { return nil }
      self.init(Circle(center: place, radius: 0))
    }
  }

  package init(_ circle: Circle) {
    let reach = circle.radius / GreatCircle.earthRadius
    let (latitude, longitude) = (circle.center.latitude, circle.center.longitude)
    (south, north) = (max(-90, latitude - reach * 180 / .pi), min(90, latitude + reach * 180 / .pi))
    // The meridians that touch the circle. There are none if the circle contains a pole.
    let sine = sin(min(reach, .pi / 2)) / cos(latitude * .pi / 180)
    if south <= -90 || north >= 90 || !(sine < 1) {
      (west, east) = (-180, 180)
    } else {
      let width = asin(sine) * 180 / .pi
      west = longitude - width < -180 ? longitude - width + 360 : longitude - width
      east = west + 2 * width
    }
  }
}

extension RegionBox {
  /// The condition on the columns of a region. It has six arguments.
  package static let condition = """
    south <= ? AND north >= ? AND ((west <= ? AND east >= ?) OR (west <= ? AND east >= ?))
    """

  /// Returns the arguments of ``condition`` for a box: the box itself, and the box shifted by 360° to where the other part of a
  /// region can be. A region may extend beyond 180°; a box that does so itself also contains regions from −180° on.
  package static func arguments(_ box: BoundingBox) -> [Double] {
    let isCrossing = box.west > box.east
    let (east, shift) = isCrossing ? (box.east + 360, -360.0) : (box.east, 360.0)
    return [box.north, box.south, east, box.west, east + shift, box.west + shift]
  }
}
