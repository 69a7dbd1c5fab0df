package import GodwitHTTP
package import GodwitStore

/// The parameter `bbox`: an area between two latitudes and two longitudes.
package struct BoxParameter: ParameterValue {
  package let box: BoundingBox

  private init(box: BoundingBox) { self.box = box }
  package init(from decoder: any Decoder) throws { self = Self.sample }
  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
    try query.edges(name).map { Self(box: BoundingBox(west: $0.west, south: $0.south, east: $0.east, north: $0.north)) }
  }
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
  package static var sample: Self { Self(box: BoundingBox(west: 0, south: 0, east: 0, north: 0)) }
  package static let parameterDescription = "`west,south,east,north` in degrees; west > east spans the antimeridian."
  package static func missing(_ name: String) -> Problem {
    Problem(400, "Bad argument", "\(name) is missing: west,south,east,north in degrees, the area of the map.", at: name)
  }
}
