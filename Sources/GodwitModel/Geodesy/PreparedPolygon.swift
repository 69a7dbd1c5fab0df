/// An area that is asked often whether it contains a place: its edges are sorted into strips of the map around it, so that only
/// those beside the place are examined. It answers what ``Polygon/contains(_:)`` and ``MultiPolygon/contains(_:)`` do.
public struct PreparedPolygon: Sendable {
  private let parts: [Part]

  /// - Parameter polygon: The area. It takes time and memory that grow with its corners (a few dozen bytes each).
  public init(_ polygon: Polygon) { parts = [Part(polygon)] }

  /// - Parameter area: The area. It takes time and memory that grow with its corners (a few dozen bytes each).
  public init(_ area: MultiPolygon) { parts = area.polygons.map { Part($0) } }

  /// Whether a place is in it.
  public func contains(_ place: Coordinate) -> Bool {
    let vector = UnitVector(place)
    return parts.contains { $0.contains(vector) }
  }

  private struct Part: Sendable {
    let plane: TangentPlane
    let strips: MapStrips

    init(_ polygon: Polygon) {
      let plane = TangentPlane(at: polygon.enclosingCircle)
      self.plane = plane
      // All corners are in the enclosing circle.
      strips = MapStrips(polygon.rings.map { ring in ring.compactMap { plane.point(UnitVector($0)) } })
    }

    func contains(_ vector: UnitVector) -> Bool {
      guard let point = plane.point(vector) else { return false }
      return strips.contains(point)
    }
  }
}
