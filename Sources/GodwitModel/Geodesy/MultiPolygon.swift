/// One or more polygons that form one area. They may touch or overlap.
public struct MultiPolygon: Sendable, Hashable {
  /// The polygons, at least one.
  public let polygons: [Polygon]
  /// The smallest circle that contains all polygons, enlarged by at most a millimetre. It is the whole earth if the polygons are
  /// not within the hemisphere around their mean.
  public let enclosingCircle: Circle

  /// Returns `nil` for an empty array.
  public init?(_ polygons: [Polygon]) {
    guard let first = polygons.first else { return nil }
    self.polygons = polygons
    enclosingCircle =
      polygons.count == 1 ? first.enclosingCircle : EnclosingCap.circle(around: polygons.flatMap { $0.rings[0] })
  }

  /// Number of corners of all rings of all polygons.
  public var cornerCount: Int { polygons.reduce(0) { $0 + $1.cornerCount } }

  /// Returns whether a place is in one of the polygons. Checks every edge; for many queries use a ``PreparedPolygon``, which
  /// returns the same result.
  public func contains(_ place: Coordinate) -> Bool { polygons.contains { $0.contains(place) } }

  /// Returns the distance in metres from a place to the nearest edge. Inside it is the negative distance to the edge of the polygon
  /// in which the place is deepest. Checks every edge.
  public func distanceToEdge(from place: Coordinate) -> Meters {
    polygons.reduce(.infinity) { min($0, $1.distanceToEdge(from: place)) }
  }
}

/// Encoded as an object with the polygons. Decoding an empty list throws.
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
