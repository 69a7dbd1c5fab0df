/// An area prepared for many containment queries. Its edges are sorted into strips of a map, so that a query checks only the edges
/// near the place. The results are those of ``Polygon/contains(_:)`` and ``MultiPolygon/contains(_:)``.
public struct PreparedPolygon: Sendable {
  private let parts: [Part]

  /// - Parameter polygon: The area. Time and memory are proportional to its corners (a few dozen bytes each).
  public init(_ polygon: Polygon) { parts = [Part(polygon)] }

  /// - Parameter area: The area. Time and memory are proportional to its corners (a few dozen bytes each).
  public init(_ area: MultiPolygon) { parts = area.polygons.map { Part($0) } }

  /// Returns whether a place is in the area.
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
      // All corners are in the enclosing circle, so that none is dropped.
      strips = MapStrips(polygon.rings.map { ring in ring.compactMap { plane.point(UnitVector($0)) } })
    }

    func contains(_ vector: UnitVector) -> Bool {
      guard let point = plane.point(vector) else { return false }
      return strips.contains(point)
    }
  }
}
