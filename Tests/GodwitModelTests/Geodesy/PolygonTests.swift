import Foundation
import GodwitModel
import TestTexts
import Testing

/// Reference geometry that is independent of the code under test: vectors and the angles between them.
struct Vector {
  var x, y, z: Double

  init(_ place: Coordinate) {
    let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
    (x, y, z) = (cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
  }

  init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }
  func cross(_ other: Vector) -> Vector {
    Vector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }
  func plus(_ other: Vector) -> Vector { Vector(x + other.x, y + other.y, z + other.z) }
  func times(_ factor: Double) -> Vector { Vector(x * factor, y * factor, z * factor) }
  func minus(_ other: Vector) -> Vector { plus(other.times(-1)) }
  var length: Double { dot(self).squareRoot() }
  var coordinate: Coordinate {
    Coordinate.at(atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi, atan2(y, x) * 180 / .pi)
  }

  /// Returns the winding number of a ring around a position: the sum of the angles of its edges as seen from the position.
  static func turns(of ring: [Coordinate], around place: Coordinate) -> Int {
    let place = Vector(place)
    func direction(_ corner: Coordinate) -> Vector {
      let corner = Vector(corner)
      return corner.minus(place.times(corner.dot(place)))
    }
    var sum = 0.0
    for (start, end) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
      let (a, b) = (direction(start), direction(end))
      sum += atan2(place.dot(a.cross(b)), a.dot(b))
    }
    return Int((sum / (2 * .pi)).rounded())
  }

  /// Returns points of the shortest line between two coordinates, including both ends.
  static func between(_ start: Coordinate, _ end: Coordinate, steps: Int) -> [Coordinate] {
    (0...steps).map { step in
      let part = Double(step) / Double(steps)
      return Vector(start).times(1 - part).plus(Vector(end).times(part)).coordinate
    }
  }
}

extension SeededNumbers {
  /// Returns a ring whose corners are sorted by their direction from the centre, so that it does not cross itself.
  mutating func star(around center: Coordinate, _ radius: Double, corners: Int) -> [Coordinate] {
    let turn = Double.random(in: 0..<360, using: &self)
    let ring = (0..<corners).map { corner in
      GreatCircle.destination(
        from: center, course: turn + (Double(corner) + .random(in: 0...0.7, using: &self)) * 360 / Double(corners),
        distance: radius * .random(in: 0.4...1, using: &self))
    }
    return Bool.random(using: &self) ? ring : ring.reversed()
  }
}

/// Centres of test polygons: ordinary positions, at and near a pole, on the antimeridian.
let polygonCenters: [Coordinate] = [
  .at(45.5, 14), .at(90, 0), .at(-90, 77), .at(89.9, 30), .at(0, 180), .at(-40, -179.99), .at(0, 0), .at(65, -179),
]

@Suite("Polygons on the sphere")
struct PolygonTests {
  @Test("a polygon contains what its ring encloses", arguments: polygonCenters, [30.0, 2_000, 300_000, 2_400_000])
  func contains(_ center: Coordinate, _ radius: Double) throws {
    var random = SeededNumbers(UInt64(radius))
    for corners in [3, 4, 7, 40] {
      let ring = random.star(around: center, radius, corners: corners)
      let polygon = try Polygon(outer: ring)
      let prepared = PreparedPolygon(polygon)
      for _ in 0..<60 {
        let place = random.place(near: center, radius * 1.3)
        // Positions on an edge are skipped, because the winding number is undefined there.
        guard abs(polygon.distanceToEdge(from: place)) > radius * 1e-7 else { continue }
        let isInside = Vector.turns(of: ring, around: place) != 0
        #expect(polygon.contains(place) == isInside && prepared.contains(place) == isInside)
        #expect((polygon.distanceToEdge(from: place) < 0) == isInside)
      }
      let far = GreatCircle.destination(from: center, course: 33, distance: 9_000_000)
      let across = Coordinate.at(-center.latitude, center.longitude > 0 ? center.longitude - 180 : center.longitude + 180)
      for place in [far, across] {
        #expect(!polygon.contains(place) && !prepared.contains(place))
      }
    }
  }

  /// A ring, positions inside and positions outside, in degrees north and east.
  typealias Special = (ring: [(Double, Double)], inside: [(Double, Double)], outside: [(Double, Double)])

  static let squares: [Special] = [
    (
      ring: [(-1, 179), (-1, -179), (1, -179), (1, 179)], inside: [(0, 180), (0, -180), (0.5, 179.5), (-0.5, -179.5)],
      outside: [(0, 0), (0, 178.9), (0, -178.9), (2, 180)]
    ),
    (
      ring: [(80, 0), (80, 90), (80, 180), (80, -90)], inside: [(90, 0), (90, 123), (85, 45), (80.1, 0)],
      outside: [(-90, 0), (-85, 45), (79.9, 0), (80.05, 45)]
    ),
    (ring: [(-80, 0), (-80, 90), (-80, 180), (-80, -90)], inside: [(-90, 0), (-85, -160)], outside: [(90, 0), (-79, 0)]),
  ]

  @Test("squares over the antimeridian and around a pole", arguments: squares)
  func special(_ table: Special) throws {
    let (corners, inside, outside) = table
    for ring in [corners, corners.reversed()] {
      let polygon = try Polygon(outer: ring.map { .at($0.0, $0.1) })
      let prepared = PreparedPolygon(polygon)
      for place in inside.map({ Coordinate.at($0.0, $0.1) }) { #expect(polygon.contains(place) && prepared.contains(place)) }
      for place in outside.map({ Coordinate.at($0.0, $0.1) }) { #expect(!polygon.contains(place) && !prepared.contains(place)) }
    }
  }

  @Test("an edge is the shortest line, which is north of the parallel on the northern hemisphere")
  func shortestLines() throws {
    let polygon = try Polygon(outer: [.at(50, 0), .at(50, 20), .at(60, 20), .at(60, 0)])
    #expect(!polygon.contains(.at(50.1, 10)) && polygon.contains(.at(60.1, 10)))
  }

  @Test("a hole is outside, and its edges count", arguments: polygonCenters)
  func holes(_ center: Coordinate) throws {
    func ring(_ radius: Double, _ courses: [Double]) -> [Coordinate] {
      courses.map { GreatCircle.destination(from: center, course: $0, distance: radius) }
    }
    let polygon = try Polygon(outer: ring(10_000, [0, 60, 120, 180, 240, 300]), holes: [ring(3_000, [0, 90, 180, 270])])
    let prepared = PreparedPolygon(polygon)
    #expect(!polygon.contains(center) && !prepared.contains(center))
    let between = GreatCircle.destination(from: center, course: 10, distance: 5_000)
    #expect(polygon.contains(between) && prepared.contains(between))
    // The distance of a side of a square from its centre is that of a corner divided by √2.
    #expect(abs(polygon.distanceToEdge(from: center) - 3_000 / 2.0.squareRoot()) < 1)
    #expect(polygon.distanceToEdge(from: between) < -1_500)
  }

  @Test("the distance to the edge is that to its nearest point", arguments: polygonCenters, [100.0, 50_000, 2_000_000])
  func distance(_ center: Coordinate, _ radius: Double) throws {
    var random = SeededNumbers(UInt64(radius) + 1)
    let ring = random.star(around: center, radius, corners: 9)
    let polygon = try Polygon(outer: ring)
    let edges = zip(ring, ring.dropFirst() + ring.prefix(1)).flatMap { Vector.between($0, $1, steps: 400) }
    for place in (0..<20).map({ _ in random.place(near: center, radius * 2) }) + ring + edges.prefix(100) {
      let nearest = edges.reduce(.infinity) { min($0, GreatCircle.distance(place, $1)) }
      let distance = abs(polygon.distanceToEdge(from: place))
      #expect(distance <= nearest + 1e-6 && distance >= nearest - radius * 0.005)
    }
  }

  @Test("the distance to the edge is 0 at corners and on edges")
  func onTheEdge() throws {
    let ring: [Coordinate] = [.at(10, 10), .at(10, 12), .at(11, 13), .at(12, 10)]
    let polygon = try Polygon(outer: ring)
    for place in ring + Vector.between(ring[0], ring[1], steps: 7) { #expect(abs(polygon.distanceToEdge(from: place)) < 1e-6) }
  }

  @Test("the area of several polygons is their union", arguments: 1...4)
  func several(_ seed: Int) throws {
    var random = SeededNumbers(UInt64(seed))
    let polygons = try (0..<5).map { _ in
      try Polygon(outer: random.star(around: random.place(near: .at(50, 7), 20_000), 10_000, corners: 8))
    }
    let area = try #require(MultiPolygon(polygons))
    let prepared = PreparedPolygon(area)
    for _ in 0..<300 {
      let place = random.place(near: .at(50, 7), 40_000)
      let isInside = polygons.contains { $0.contains(place) }
      #expect(area.contains(place) == isInside && prepared.contains(place) == isInside)
      #expect(area.distanceToEdge(from: place) == polygons.map { $0.distanceToEdge(from: place) }.min())
    }
    #expect(area.cornerCount == 40 && MultiPolygon([]) == nil)
  }

  @Test("a prepared polygon with many corners gives the same results as the plain one", arguments: [2, 1_000, 5_000])
  func manyCorners(_ teeth: Int) throws {
    // A comb: long parallel edges.
    var ring: [Coordinate] = [.at(0, 0)]
    for tooth in 0..<teeth {
      let east = Double(tooth) / Double(teeth)
      ring += [.at(1, east), .at(0.1, east + 0.5 / Double(teeth))]
    }
    ring.append(.at(0, 1))
    let polygon = try Polygon(outer: ring)
    let prepared = PreparedPolygon(polygon)
    var random = SeededNumbers(9)
    for _ in 0..<50 {
      let place = Coordinate.at(.random(in: -0.1...1.1, using: &random), .random(in: -0.1...1.1, using: &random))
      #expect(prepared.contains(place) == polygon.contains(place))
    }
  }

  @Test("polygons round-trip as JSON, and invalid polygons are rejected")
  func coding() throws {
    let polygon = try Polygon(
      outer: [.at(0, 0), .at(0, 10), .at(10, 10), .at(10, 0), .at(0, 0)], holes: [[.at(2, 2), .at(2, 3), .at(3, 3)]])
    #expect(polygon.rings.map(\.count) == [4, 3] && polygon.cornerCount == 7)
    let area = try #require(MultiPolygon([polygon]))
    let text = try JSONEncoder().encode(area)
    #expect(try JSONDecoder().decode(MultiPolygon.self, from: text) == area)
    let corner = { (latitude: Int, longitude: Int) in #"{"latitude":\#(latitude),"longitude":\#(longitude)}"# }
    let bowTie = "{\"rings\":[[\(corner(0, 0)),\(corner(1, 1)),\(corner(0, 1)),\(corner(1, 0))]]}"
    for bad in [bowTie, "{\"rings\":[]}", "{\"rings\":[[]]}"] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Polygon.self, from: Data(bad.utf8)) }
    }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(MultiPolygon.self, from: Data("{\"polygons\":[]}".utf8)) }
  }
}
