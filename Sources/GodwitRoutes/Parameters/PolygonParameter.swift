package import GodwitHTTP
package import GodwitModel

/// The parameter `polygon`: the corners of an area.
package struct PolygonParameter: ParameterValue {
  package let polygons: MultiPolygon
  /// Maximum number of corners, because the length of a URL is limited.
  private static let maximum = 500

  private init(_ polygons: MultiPolygon) { self.polygons = polygons }
  package init(from decoder: any Decoder) throws { self = Self.sample }

  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
    guard let text = query[name] else { return nil }
    let problem = Problem(400, "Bad argument", "\(name): expected \(parameterDescription)", at: name)
    let corners = text.split(separator: ";", omittingEmptySubsequences: false)
    guard (3...maximum).contains(corners.count) else { throw problem }
    var places: [Coordinate] = []
    for corner in corners {
      let numbers = corner.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard numbers.count == 2, let longitude = numbers[0], let latitude = numbers[1],
        let place = Coordinate(latitude: latitude, longitude: longitude)
      else { throw problem }
      places.append(place)
    }
    let polygon: Polygon
    do throws(PolygonFault) { polygon = try Polygon(outer: places) } catch {
      throw Problem(400, "Bad argument", "\(name): \(error)", at: name)
    }
    guard let polygons = MultiPolygon([polygon]) else { throw problem }
    return Self(polygons)
  }

  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
  package static var sample: Self {
    let corners = [(0.0, 0.0), (0, 1), (1, 0)].compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }
    guard let polygon = try? Polygon(outer: corners), let polygons = MultiPolygon([polygon]) else {
      // The three corners are constants, and a test creates the sample of every parameter.
      preconditionFailure("three corners make a polygon")
    }
    return Self(polygons)
  }
  package static let parameterDescription = "`longitude,latitude` of 3 to 500 corners in degrees, with `;` between the corners."
}
