/// An area on the sphere with one outer ring and any number of holes. Its edges are the shortest lines between consecutive corners,
/// so that the antimeridian and the poles need no special cases. The ring encloses the smaller side.
///
/// A value of this type is always valid: its rings do not cross themselves or each other, each hole is inside the outer ring and
/// outside the other holes (they may touch at single points), and the diameter is at most 5,000 km.
///
/// A place that is less than a micrometre from an edge may count as inside or outside.
public struct Polygon: Sendable, Hashable {
  /// Maximum number of corners of all rings together.
  public static let maximumCorners = 100_000
  /// Maximum diameter of the ``enclosingCircle`` in metres.
  public static let greatestWidth: Meters = 5_000_000

  /// The outer ring, then the holes. Each has at least three corners, and the first corner is not repeated at the end.
  public let rings: [[Coordinate]]
  /// The smallest circle that contains the polygon, enlarged by at most a millimetre.
  public let enclosingCircle: Circle

  /// - Parameters:
  ///   - outer: Corners of the outer ring, in either direction. A last corner that repeats the first one is removed.
  ///   - holes: Corners of the holes.
  /// - Throws: ``PolygonFault`` with the ring and the corner.
  public init(outer: [Coordinate], holes: [[Coordinate]] = []) throws(PolygonFault) {
    let rings = ([outer] + holes).map { corners in
      corners.count > 1 && corners.first == corners.last ? Array(corners.dropLast()) : corners
    }
    enclosingCircle = try PolygonCheck.enclosingCircle(of: rings)
    self.rings = rings
  }

  /// Number of corners of all rings.
  public var cornerCount: Int { rings.reduce(0) { $0 + $1.count } }

  /// Returns whether a place is inside. Checks every edge; for many queries use a ``PreparedPolygon``, which returns the same
  /// result.
  public func contains(_ place: Coordinate) -> Bool {
    let plane = TangentPlane(at: enclosingCircle)
    guard let point = plane.point(UnitVector(place)) else { return false }
    var isInside = false
    for ring in rings {
      guard var start = ring.last.flatMap({ plane.point(UnitVector($0)) }) else { continue }
      for corner in ring {
        guard let end = plane.point(UnitVector(corner)) else { continue }
        if TangentPlane.isCrossed(from: start, to: end, eastOf: point) { isInside.toggle() }
        start = end
      }
    }
    return isInside
  }

  /// Returns the distance in metres from a place to the nearest edge of any ring; negative inside. Checks every edge.
  public func distanceToEdge(from place: Coordinate) -> Meters {
    let vector = UnitVector(place)
    var minimum = Meters.infinity
    for ring in rings {
      guard var start = ring.last.map({ UnitVector($0) }) else { continue }
      for corner in ring {
        let end = UnitVector(corner)
        minimum = min(minimum, GreatArc(start, end).distance(to: vector))
        start = end
      }
    }
    return contains(place) ? -minimum : minimum
  }
}

/// Encoded as an object with the rings. Decoding an invalid polygon throws.
extension Polygon: Codable {
  private enum CodingKeys: CodingKey { case rings }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let rings = try values.decode([[Coordinate]].self, forKey: .rings)
    do {
      try self.init(outer: rings.first ?? [], holes: Array(rings.dropFirst()))
    } catch {
      throw DecodingError.dataCorruptedError(forKey: .rings, in: values, debugDescription: "\(error)")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(rings, forKey: .rings)
  }
}
