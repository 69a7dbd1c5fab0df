/// An area with one outer ring and any number of holes, on the sphere: its edges are the shortest lines between neighbouring
/// corners, so that neither the antimeridian nor a pole is anything special. What it encloses is the smaller side.
///
/// A value of this type is always an area: its rings do not cross themselves or each other, each hole lies inside the outer ring
/// and outside the other holes (they may touch at single places), and it is at most 5,000 km across.
///
/// Places nearer to an edge than a micrometre may count as inside or as outside.
public struct Polygon: Sendable, Hashable {
  /// Corners that a polygon may have, all rings together.
  public static let maximumCorners = 100_000
  /// Metres that a polygon may be across: that its ``enclosingCircle`` may be wide.
  public static let greatestWidth: Meters = 5_000_000

  /// The outer ring first, then the holes; at least three corners each, the first one not repeated at the end.
  public let rings: [[Coordinate]]
  /// The smallest circle that all of it is in, wider by no more than a millimetre.
  public let enclosingCircle: Circle

  /// - Parameters:
  ///   - outer: corners of the outer ring, in either direction; a last one that is the first one again is dropped.
  ///   - holes: corners of the holes.
  /// - Throws: ``PolygonFault``, with the ring and the corner.
  public init(outer: [Coordinate], holes: [[Coordinate]] = []) throws(PolygonFault) {
    let rings = ([outer] + holes).map { corners in
      corners.count > 1 && corners.first == corners.last ? Array(corners.dropLast()) : corners
    }
    enclosingCircle = try PolygonCheck.enclosingCircle(of: rings)
    self.rings = rings
  }

  /// Corners of all rings.
  public var cornerCount: Int { rings.reduce(0) { $0 + $1.count } }

  /// Returns whether a place is in it. It tests every edge; for many queries use a ``PreparedPolygon``, which returns
  /// the same.
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

  /// Metres from a place to the nearest edge of any ring: negative inside. It looks at every edge.
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

/// As an object with the rings. What is decoded is an area too, or an error.
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
