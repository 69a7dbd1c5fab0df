/// One or more polygons that count as one area. They may touch, and where they overlap they are one.
public struct MultiPolygon: Sendable, Hashable {
  /// At least one polygon.
  public let polygons: [Polygon]
  /// A circle that all of it is in: the smallest one, wider by no more than a millimetre. Where the polygons are so far apart
  /// that they do not fit the half of the earth around their middle, it is the whole earth.
  public let enclosingCircle: Circle

  /// Nothing where there is no polygon.
  public init?(_ polygons: [Polygon]) {
    guard let first = polygons.first else { return nil }
    self.polygons = polygons
    enclosingCircle =
      polygons.count == 1 ? first.enclosingCircle : EnclosingCap.circle(around: polygons.flatMap { $0.rings[0] })
  }

  /// Corners of all rings of all polygons.
  public var cornerCount: Int { polygons.reduce(0) { $0 + $1.cornerCount } }

  /// Returns whether a place is in one of the polygons. It tests every edge; for many queries use a
  /// ``PreparedPolygon``, which returns the same.
  public func contains(_ place: Coordinate) -> Bool { polygons.contains { $0.contains(place) } }

  /// Metres from a place to the nearest edge; inside, the negative of the distance to the edge of that polygon in which it is
  /// deepest. It looks at every edge.
  public func distanceToEdge(from place: Coordinate) -> Meters {
    polygons.reduce(.infinity) { min($0, $1.distanceToEdge(from: place)) }
  }
}

/// As an object with the polygons. What is decoded has at least one, or it is an error.
extension MultiPolygon: Codable {
  private enum CodingKeys: CodingKey { case polygons }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    guard let area = MultiPolygon(try values.decode([Polygon].self, forKey: .polygons)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .polygons, in: values, debugDescription: "expected at least one polygon")
    }
    self = area
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(polygons, forKey: .polygons)
  }
}
