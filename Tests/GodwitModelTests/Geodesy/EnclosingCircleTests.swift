import GodwitModel
import TestTexts
import Testing

@Suite("The smallest circle around polygons")
struct EnclosingCircleTests {
  /// Returns the radius of the smallest circle around positions that are close to each other, by trying the circles through each
  /// two and three of them.
  static func radius(around places: [Coordinate]) -> Double {
    let vectors = places.map { Vector($0) }
    var centers: [Vector] = []
    for (i, a) in vectors.enumerated() {
      for (j, b) in vectors[..<i].enumerated() {
        centers.append(a.plus(b))
        for c in vectors[..<j] {
          let normal = b.minus(a).cross(c.minus(a))
          centers.append(normal.dot(a) < 0 ? normal.times(-1) : normal)
        }
      }
    }
    return centers.reduce(.infinity) { minimum, center in
      min(minimum, places.reduce(0) { max($0, GreatCircle.distance(center.coordinate, $1)) })
    }
  }

  @Test(
    "the circle contains all edges, and no smaller one all corners", arguments: polygonCenters, [5.0, 2_000, 2_400_000])
  func smallest(_ center: Coordinate, _ radius: Double) throws {
    var random = SeededNumbers(UInt64(radius) + 7)
    for corners in [3, 4, 5, 12] {
      let ring = random.star(around: center, radius, corners: corners)
      let circle = try Polygon(outer: ring).enclosingCircle
      let minimum = Self.radius(around: ring)
      #expect(circle.radius <= minimum + 0.001 + minimum * 1e-9 && circle.radius >= minimum - 1e-6)
      for (start, end) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
        #expect(Vector.between(start, end, steps: 20).allSatisfy { circle.contains($0) })
      }
    }
  }

  @Test("the circle around corners that lie on one circle is this circle", arguments: polygonCenters, [4, 6, 100, 1_000])
  func onOneCircle(_ center: Coordinate, _ corners: Int) throws {
    let ring = (0..<corners).map {
      GreatCircle.destination(from: center, course: Double($0) * 360 / Double(corners), distance: 1_000)
    }
    let circle = try Polygon(outer: ring).enclosingCircle
    #expect(abs(circle.radius - 1_000) < 0.001 && GreatCircle.distance(circle.center, center) < 0.001)
  }

  @Test("the circle around several polygons contains all of them", arguments: 1...10)
  func several(_ seed: Int) throws {
    var random = SeededNumbers(UInt64(seed))
    let polygons = try (0..<4).map { _ in
      try Polygon(outer: random.star(around: random.place(near: .at(50, 179), 2_000_000), 100_000, corners: 5))
    }
    let area = try #require(MultiPolygon(polygons))
    let corners = polygons.flatMap { $0.rings[0] }
    #expect(corners.allSatisfy { area.enclosingCircle.contains($0) })
    #expect(area.enclosingCircle.radius <= Self.radius(around: corners) + 0.01)
  }

  @Test("the circle around polygons on all sides of the earth is the whole earth")
  func wholeEarth() throws {
    let polygons = try [Coordinate.at(0, 0), .at(0, 120), .at(0, -120), .at(90, 0), .at(-90, 0)].map { center in
      try Polygon(outer: [0.0, 120, 240].map { GreatCircle.destination(from: center, course: $0, distance: 1_000) })
    }
    let circle = try #require(MultiPolygon(polygons)).enclosingCircle
    #expect(circle.radius > 20_000_000 && polygons.allSatisfy { $0.rings[0].allSatisfy { circle.contains($0) } })
  }
}
