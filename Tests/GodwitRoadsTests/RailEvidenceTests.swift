import GodwitModel
import Testing

@testable import GodwitRoads

/// A graph of straight lines, five kilometres to the east.
private struct StraightRails {
  private var builder = RoadGraphBuilder()
  let origin: Coordinate

  init(latitude: Double = 60, longitude: Double = 25) throws {
    origin = try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  /// The place at some metres east and north of the origin.
  func place(_ east: Double, _ north: Double) -> Coordinate {
    GreatCircle.destination(
      from: GreatCircle.destination(from: origin, course: 0, distance: north), course: 90, distance: east)
  }

  mutating func add(_ kind: RoadKind, north: Double = 0) {
    var line = RoadAttributes(kind: kind)
    line.open(to: kind == .street ? .motor : .rail, forward: true, backward: true)
    let points = stride(from: 0.0, through: 5_000, by: 250).compactMap { builder.addPoint(RoadPoint(place($0, north))) }
    builder.addRoad(through: points, line)
  }

  /// The evidence of `count` positions from 1,000 m on, at a distance of `north` metres from the line through the origin.
  func evidence(beside north: Double = 0, count: Int = 1, every metres: Double = 150) -> RailEvidence {
    let graph = builder.build().graph
    return graph.railEvidence(
      of: (0..<count).map { RoadFix(place(1_000 + Double($0) * metres, north), time: Double($0) * 10) })
  }
}

@Suite("Evidence of rails")
struct RailEvidenceTests {
  /// The logarithm of the evidence of a position without rails nearby.
  private static let none = -1.498

  @Test(
    "a position on a railway makes a train more probable, and one at a distance less so",
    arguments: [(0, 1.352), (20, 1.103), (40, 0.366), (100, -1.497), (300, -1.498), (600, -1.498)])
  func distance(north: Double, expected: Double) throws {
    var rails = try StraightRails()
    rails.add(.rail)
    let evidence = rails.evidence(beside: north)
    #expect(abs(evidence.train - expected) < 0.004, "\(evidence.train)")
    #expect(abs(evidence.subway - Self.none) < 0.001 && abs(evidence.tram - Self.none) < 0.001)
  }

  @Test(
    "each kind of line is evidence for its kind of transport, and a street for none",
    arguments: [
      (RoadKind.rail, [true, false, false]), (.lightRail, [true, false, false]), (.subway, [false, true, false]),
      (.tram, [false, false, true]), (.street, [false, false, false]),
    ])
  func kinds(kind: RoadKind, expected: [Bool]) throws {
    var rails = try StraightRails()
    rails.add(kind)
    let evidence = rails.evidence()
    #expect([evidence.train > 0, evidence.subway > 0, evidence.tram > 0] == expected)
  }

  @Test("many nearby lines are weaker evidence than one")
  func yard() throws {
    var line = try StraightRails()
    line.add(.rail)
    var yard = line
    for track in 1...20 { yard.add(.rail, north: Double(track) * 10) }
    #expect(yard.evidence().train < line.evidence().train - 1)
    #expect(yard.evidence().train < 0.1)
  }

  @Test("evidence of positions more than 100 m apart is added, up to a maximum in both directions")
  func sum() throws {
    var rails = try StraightRails()
    rails.add(.subway)
    let one = rails.evidence().subway
    #expect(abs(rails.evidence(count: 2).subway - 2 * one) < 0.01)
    #expect(abs(rails.evidence(count: 3, every: 60).subway - 2 * one) < 0.01, "the second position is too near the first")
    #expect(rails.evidence(count: 20).subway == RailEvidence.maximum)
    #expect(rails.evidence(count: 20).train == -RailEvidence.maximum)
    #expect(rails.evidence(count: 0) == RailEvidence())
  }

  @Test(
    "lines across the 180th meridian and near a pole are found", arguments: [(60.0, 179.98), (-16.8, 179.99), (89.0, 25.0)])
  func edges(latitude: Double, longitude: Double) throws {
    var rails = try StraightRails(latitude: latitude, longitude: longitude)
    rails.add(.rail)
    #expect(rails.evidence().train > 1)
  }
}
