import GodwitModel
import TestTexts
import Testing

@Suite("Invalid rings")
struct PolygonFaultTests {
  typealias Problem = PolygonFault.Problem

  static func fault(_ rings: [[Coordinate]]) -> PolygonFault? {
    do {
      _ = try Polygon(outer: rings.first ?? [], holes: Array(rings.dropFirst()))
      return nil
    } catch {
      return error
    }
  }

  static func ring(_ corners: [(Double, Double)]) -> [Coordinate] { corners.map { .at($0.0, $0.1) } }

  static let square: [(Double, Double)] = [(0, 0), (0, 10), (10, 10), (10, 0)]

  static let bad: [(corners: [(Double, Double)], corner: Int, problem: Problem)] = [
    ([], 0, .tooFewCorners(0)),
    ([(1, 1)], 0, .tooFewCorners(1)),
    ([(1, 1), (2, 2)], 0, .tooFewCorners(2)),
    ([(1, 1), (2, 2), (1, 1)], 0, .tooFewCorners(2)),
    ([(0, 0), (0, 1), (0, 1), (1, 1)], 2, .repeatedCorner(1)),
    ([(0, 0), (0, 1), (1, 1), (0, 0), (1, -1)], 3, .repeatedCorner(0)),
    ([(0, 180), (1, 179), (0, -180), (-1, 179)], 2, .repeatedCorner(0)),
    ([(90, 0), (80, 0), (90, 50), (80, 50)], 2, .repeatedCorner(0)),
    ([(0, 0), (1, 1), (0, 1), (1, 0)], 2, .edgesCross(ring: 0, corner: 0)),
    ([(0, 0), (0, 5), (0, 9)], 0, .noArea),
    ([(0, 20), (10, 20), (30, 20), (20, 20)], 0, .noArea),
    // A corner on another edge, and an edge that overlaps the previous edge.
    ([(0, 0), (0, 10), (5, 5), (0, 5), (5, 0)], 3, .edgesCross(ring: 0, corner: 0)),
    ([(0, 0), (0, 10), (0, 5), (5, 5)], 1, .edgesCross(ring: 0, corner: 0)),
    ([(0, 0), (0, 4), (5, 4), (5, 2), (0, 2), (0, 1), (6, 1), (6, 0)], 4, .edgesCross(ring: 0, corner: 0)),
  ]

  @Test("an outer ring is rejected with the corner and the fault", arguments: bad)
  func outer(_ corners: [(Double, Double)], _ corner: Int, _ problem: Problem) {
    let fault = Self.fault([Self.ring(corners)])
    #expect(fault?.ring == 0 && fault?.problem == problem && fault?.corner == corner, "\(String(describing: fault))")
  }

  static let badHoles: [(holes: [[(Double, Double)]], ring: Int, problem: Problem)] = [
    ([[(1, 1), (2, 2)]], 1, .tooFewCorners(2)),
    ([[(20, 20), (20, 21), (21, 20)]], 1, .holeOutside),
    ([[(80, 20), (80, 21), (81, 20)]], 1, .holeOutside),
    ([[(-5, -5), (-5, 15), (15, 15), (15, -5)]], 1, .holeOutside),
    ([[(5, 5), (5, 11), (6, 5)]], 1, .edgesCross(ring: 0, corner: 1)),
    ([[(1, 1), (1, 5), (5, 5), (5, 1)], [(2, 2), (2, 3), (3, 2)]], 2, .holeInHole(ring: 1)),
    ([[(2, 2), (2, 3), (3, 2)], [(1, 1), (1, 5), (5, 5), (5, 1)]], 1, .holeInHole(ring: 2)),
    ([[(1, 1), (1, 5), (5, 5), (5, 1)], [(3, 3), (3, 7), (7, 7), (7, 3)]], 2, .edgesCross(ring: 1, corner: 2)),
    ([[(1, 1), (1, 5), (5, 5), (5, 1)], [(1, 1), (1, 5), (5, 5), (5, 1)]], 2, .edgesCross(ring: 1, corner: 0)),
    ([square], 1, .edgesCross(ring: 0, corner: 0)),
  ]

  @Test("a hole is rejected with its number", arguments: badHoles)
  func holes(_ holes: [[(Double, Double)]], _ ring: Int, _ problem: Problem) {
    let fault = Self.fault([Self.ring(Self.square)] + holes.map(Self.ring))
    #expect(fault?.ring == ring, "\(String(describing: fault))")
    switch (fault?.problem, problem) {
    // If the rings cross more than once, any of the crossings may be reported.
    case (.edgesCross(let ring, _), .edgesCross(let expected, _)): #expect(ring == expected)
    case (.tooFewCorners(let count), .tooFewCorners(let expected)): #expect(count == expected)
    case (.holeInHole(let ring), .holeInHole(let expected)): #expect(ring == expected)
    case (.holeOutside, .holeOutside): break
    default: Issue.record("\(String(describing: fault)) instead of \(problem)")
    }
  }

  @Test("a hole that touches the outer ring or another hole at a corner is allowed")
  func touching() {
    let square = Self.ring(Self.square)
    #expect(Self.fault([square, Self.ring([(0, 0), (2, 5), (5, 2)])]) == nil)
    #expect(Self.fault([square, Self.ring([(0, 5), (5, 6), (5, 4)])]) == nil)
    #expect(Self.fault([square, Self.ring([(1, 1), (1, 4), (4, 4)]), Self.ring([(4, 4), (8, 4), (8, 8)])]) == nil)
  }

  @Test("a hole in a notch of the outer ring is outside, although all of its corners are corners of the outer ring")
  func overTheBay() {
    let bay = Self.ring([(0, 0), (0, 10), (10, 10), (5, 5), (10, 0)])
    let hole = Self.ring([(10, 0), (5, 5), (10, 10)])
    #expect(Self.fault([bay, hole])?.ring == 1)
  }

  @Test("a ring wider than 5,000 km is rejected with the reason")
  func tooLarge() {
    func fault(_ radius: Double, _ corners: Int) -> PolygonFault? {
      Self.fault([
        (0..<corners).map {
          GreatCircle.destination(from: .at(30, 170), course: Double($0) * 360 / Double(corners), distance: radius)
        }
      ])
    }
    #expect(fault(2_499_000, 12) == nil)
    for radius in [2_500_001.0, 2_600_000, 9_000_000, 12_000_000] {
      guard case .tooLarge(let width) = fault(radius, 3)?.problem else {
        Issue.record("a radius of \(radius) was accepted")
        continue
      }
      #expect(width > 0 && width <= 20_100_000 && fault(radius, 3)?.ring == 0)
    }
    let band = Self.ring([(0, -170), (0, -50), (0, 70), (10, 70), (10, -50), (10, -170)])
    guard case .tooLarge = Self.fault([band])?.problem else {
      Issue.record("a band around the earth was accepted")
      return
    }
  }

  @Test("more than 100,000 corners are rejected")
  func tooMany() {
    let ring = (0...100_000).map { Coordinate.at(Double($0) / 10_000, 0) }
    #expect(Self.fault([ring])?.problem == .tooManyCorners(100_001))
  }

  @Test(
    "the text of every fault",
    arguments: [
      (Problem.tooFewCorners(2), "hole 2 needs at least 3 corners; it has 2"),
      (.repeatedCorner(1), "corner 7 of hole 2 is the same place as its corner 1"),
      (.edgesCross(ring: 0, corner: 4), "the edge from corner 7 of hole 2 meets the edge from corner 4 of the outer ring"),
      (.noArea, "hole 2 has no area: its corners are on one line"),
      (.holeOutside, "corner 7 of hole 2 is not inside the outer ring"),
      (.holeInHole(ring: 1), "corner 7 of hole 2 is inside hole 1"),
      (.tooLarge(5_000_001), "the maximum diameter of a polygon is 5000 km; this one has 5001 km"),
      (.tooManyCorners(100_001), "a polygon may have 100000 corners at most; this one has 100001"),
    ])
  func words(_ problem: Problem, _ words: String) {
    #expect(PolygonFault(ring: 2, corner: 7, problem: problem).description == words)
  }

  /// Whether two shortest lines cross: the ends of each line are on different sides of the other, and all are on one hemisphere.
  static func cross(_ a: Coordinate, _ b: Coordinate, _ c: Coordinate, _ d: Coordinate) -> Bool {
    let (a, b, c, d) = (Vector(a), Vector(b), Vector(c), Vector(d))
    let (one, other) = (a.cross(b), c.cross(d))
    return one.dot(c) * one.dot(d) < 0 && other.dot(a) * other.dot(b) < 0
  }

  @Test("a crossing is found where there is one, and the two edges intersect", arguments: 1...300)
  func crossings(_ seed: Int) {
    var random = SeededNumbers(UInt64(seed))
    // A valid ring, some corners of which are swapped or moved.
    let center = polygonCenters[seed % polygonCenters.count]
    let radius = [50.0, 10_000, 1_000_000][seed % 3]
    var ring = random.star(around: center, radius, corners: .random(in: 4...30, using: &random))
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let (a, b) = (Int.random(in: ring.indices, using: &random), Int.random(in: ring.indices, using: &random))
      if Bool.random(using: &random) { ring.swapAt(a, b) } else { ring[a] = random.place(near: center, radius) }
    }
    let edges = zip(ring, ring.dropFirst() + ring.prefix(1)).map { ($0, $1) }
    var isCrossed = false
    for (index, edge) in edges.enumerated() {
      // Adjacent edges, including the first and the last one, have only a corner in common.
      for other in edges[..<max(0, index - 1)].dropFirst(index == edges.count - 1 ? 1 : 0)
      where Self.cross(edge.0, edge.1, other.0, other.1) { isCrossed = true }
    }
    let fault = Self.fault([ring])
    #expect((fault != nil) == isCrossed)
    guard let fault else { return }
    guard case .edgesCross(0, let corner) = fault.problem else {
      Issue.record("\(fault)")
      return
    }
    let (one, other) = (edges[fault.corner], edges[corner])
    #expect(Self.cross(one.0, one.1, other.0, other.1) && fault.corner > corner)
  }

  @Test("a ring of 20,000 corners is checked quickly, and its only crossing is found", .timeLimit(.minutes(20)))
  func manyCorners() {
    var random = SeededNumbers(3)
    var ring = random.star(around: .at(45, 14), 50_000, corners: 20_000)
    #expect(Self.fault([ring]) == nil)
    ring.swapAt(7_000, 7_001)
    guard case .edgesCross(0, let corner) = Self.fault([ring])?.problem else {
      Issue.record("the crossing was not found")
      return
    }
    #expect((6_990...7_010).contains(corner))
  }
}
