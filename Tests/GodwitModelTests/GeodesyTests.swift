import GodwitModel
import Testing

@Suite("Geometry on the sphere and the ellipsoid")
struct GeodesyTests {
  // Distances of the ellipsoid: Karney, GeographicLib, GeodSolve (WGS 84).
  @Test(
    "distances agree with the reference",
    arguments: [
      (0.0, 0.0, 0.0, 1.0, 111_319.491),
      (0.0, 0.0, 1.0, 0.0, 110_574.389),
      (52.5163, 13.3777, 48.8584, 2.2945, 879_697.0),
      (-36.0, 174.0, -36.0, -174.0, 1_079_953.0),
      (90.0, 0.0, -90.0, 0.0, 20_003_931.459),
    ])
  func distance(_ a1: Double, _ o1: Double, _ a2: Double, _ o2: Double, _ meters: Double) throws {
    let a = try #require(Coordinate(latitude: a1, longitude: o1))
    let b = try #require(Coordinate(latitude: a2, longitude: o2))
    // The tolerance is 0.2 % for the rounded reference values of long distances, and a metre for the exact ones.
    #expect(abs(Geodesic.distance(a, b) - meters) < max(1, meters * 0.002))
    #expect(abs(GreatCircle.distance(a, b) - meters) < max(1, meters * 0.0062))
    #expect(GreatCircle.distance(a, b) == GreatCircle.distance(b, a))
  }

  @Test("a degree of longitude on the equator is exact to a millimetre")
  func equator() throws {
    let a = try #require(Coordinate(latitude: 0, longitude: 0))
    let b = try #require(Coordinate(latitude: 0, longitude: 1))
    #expect(abs(Geodesic.distance(a, b) - 111_319.4908) < 0.001)
  }

  @Test("a destination is at its course and distance", arguments: [0.0, 45, 90, 179, 271], [1.0, 1000, 1_000_000])
  func destination(_ course: Double, _ distance: Double) throws {
    let start = try #require(Coordinate(latitude: 45.4, longitude: 179.9))
    let end = GreatCircle.destination(from: start, course: course, distance: distance)
    #expect(abs(GreatCircle.distance(start, end) - distance) < 1e-3)
    let difference = abs(GreatCircle.initialCourse(from: start, to: end) - course)
    #expect(min(difference, 360 - difference) < 1e-3)
  }

  @Test("a course from a pole follows a meridian", arguments: [90.0, -90], [0.0, 30, 135, 270])
  func poles(_ latitude: Double, _ course: Double) throws {
    let pole = try #require(Coordinate(latitude: latitude, longitude: 10))
    let end = GreatCircle.destination(from: pole, course: course, distance: 100_000)
    #expect(abs(GreatCircle.distance(pole, end) - 100_000) < 1e-3)
    // At the north pole course 0 follows the opposite meridian, and course 180 the meridian of the coordinate.
    let expected = latitude > 0 ? 10 + 180 - course : 10 + course
    #expect(abs((end.longitude - expected).remainder(dividingBy: 360)) < 1e-6)
  }

  @Test(
    "a coordinate is always valid",
    arguments: [(91.0, 0.0), (-90.1, 0), (0, 180.5), (.nan, 0), (0, .infinity), (0, -.nan)])
  func invalid(_ latitude: Double, _ longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
  }

  @Test("the log text of a coordinate does not show the position")
  func redacted() throws {
    let place = try #require(Coordinate(latitude: 45.4525956, longitude: 14.018194))
    #expect(!"\(place)".contains("45") && !String(reflecting: place).contains("45"))
    #expect(place.precise == "45.4525956, 14.018194")
  }
}
