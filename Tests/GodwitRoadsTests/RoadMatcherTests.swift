import GodwitModel
import TestTexts
import TestTowns
import Testing

@testable import GodwitRoads

@Suite("Matching tracks to roads")
struct RoadMatcherTests {
  // The numbers are in their ranges.
  private static let maribor = Coordinate(latitude: 46.55, longitude: 15.64)!

  private func match(_ town: TestTown, _ fixes: [RoadFix], travel: Travel = .motor) -> [MatchedRoute] {
    var matcher = RoadMatcher(town.graph, travel: travel)
    return matcher.match(fixes)
  }

  @Test("the route of a noisy track through a town is found, for every interval of positions", arguments: [2.0, 20, 90, 250])
  func corners(step: Double) throws {
    let town = try TestTown(side: 12, at: Self.maribor)
    let corners = [(0.0, 0.0), (300, 0), (300, 500), (800, 500), (800, 100), (1000, 100), (1000, 1000)]
    var random = SeededNumbers(1)
    for _ in 0..<10 {
      let fixes = town.track(corners, step: step, noise: 12, from: &random)
      let routes = match(town, fixes)
      #expect(routes.count == 1)
      // With sparse positions, several routes of the same length are possible.
      #expect(abs(routes[0].length - 2800) < 40)
      #expect(routes[0].places.allSatisfy { (0...town.graph.length(of: $0.edge)).contains($0.offset) })
    }
  }

  @Test("the line of a route begins near the first position, ends near the last one, and has the length of the route")
  func line() throws {
    let town = try TestTown(side: 12, at: Self.maribor)
    var random = SeededNumbers(5)
    for _ in 0..<10 {
      let fixes = town.track([(30, 0), (300, 0), (300, 560), (820, 560)], step: 20, noise: 8, from: &random)
      let route = try #require(match(town, fixes).first)
      let line = route.line(in: town.graph)
      let length = zip(line, line.dropFirst()).reduce(0) { $0 + GreatCircle.distance($1.0, $1.1) }
      #expect(abs(length - route.length) < 1)
      let (first, last) = (try #require(line.first), try #require(line.last))
      #expect(GreatCircle.distance(first, town.place(30, 0)) < 40)
      #expect(GreatCircle.distance(last, town.place(820, 560)) < 60)
      // Each segment of the line runs north or east, like the streets.
      for (a, b) in zip(line, line.dropFirst()) {
        #expect(abs(a.latitude - b.latitude) < 2e-6 || abs(a.longitude - b.longitude) < 2e-6)
      }
    }
  }

  @Test("a one-way street is matched in its direction only for cars, and in both for walks")
  func oneDirection() throws {
    // The southernmost street is one-way to the east, and the others are open in both directions.
    let town = try TestTown(side: 6, at: Self.maribor) { from, to in (true, !(from.1 == 0 && to.1 == 0)) }
    var random = SeededNumbers(2)
    let east = town.track([(20, 0), (380, 0)], step: 5, noise: 3, from: &random)
    let west = town.track([(380, 0), (20, 0)], step: 5, noise: 3, from: &random)
    #expect(match(town, east).map(\.length).reduce(0, +) > 350)
    let against = match(town, west).flatMap(\.steps)
    #expect(against.allSatisfy { town.graph.isOpen($0.edge, to: .motor) })
    #expect(abs(match(town, west, travel: .foot).map(\.length).reduce(0, +) - 360) < 15)
  }

  @Test("a drive across a field divides the route into two parts, and a single outlier does not")
  func field() throws {
    // The town has no streets in the middle: rows 3 to 8 are closed.
    let town = try TestTown(side: 12, at: Self.maribor) { from, to in
      let isField = (3..<8).contains(from.1) && (3..<8).contains(to.1) || from.1 == 2 && to.1 == 3 || from.1 == 7 && to.1 == 8
      return (!isField, !isField)
    }
    var random = SeededNumbers(3)
    let across = town.track([(0, 200), (450, 200), (450, 800), (900, 800)], step: 5, noise: 4, from: &random)
    let routes = match(town, across)
    #expect(routes.count == 2)
    #expect(routes.allSatisfy { abs($0.length - 450) < 40 })

    var fixes = town.track([(0, 200), (900, 200)], step: 10, noise: 4, from: &random)
    fixes[40] = RoadFix(town.place(400, 420), time: fixes[40].time)
    let line = match(town, fixes)
    #expect(line.count == 1 && abs(line[0].length - 900) < 20)
  }

  @Test("the route of a car that turns around in a street ends at that place and not at the next crossing")
  func turn() throws {
    let town = try TestTown(side: 8, at: Self.maribor)
    var random = SeededNumbers(4)
    let routes = match(town, town.track([(0, 300), (350, 300), (0, 300)], step: 5, noise: 2, from: &random))
    #expect(routes.count == 1 && abs(routes[0].length - 700) < 25)
  }

  @Test("noise at rest adds little length")
  func standing() throws {
    let town = try TestTown(side: 8, at: Self.maribor)
    var random = SeededNumbers(5)
    var fixes = town.track([(50, 300), (340, 300)], step: 5, noise: 3, from: &random)
    let last = Double(fixes.count)
    for second in 0..<600 {
      let place = town.place(340 + .random(in: -12...12, using: &random), 300 + .random(in: -12...12, using: &random))
      fixes.append(RoadFix(place, time: last + Double(second)))
    }
    #expect(abs(match(town, fixes).map(\.length).reduce(0, +) - 290) < 60)
  }

  @Test("a lower accuracy widens the search, and an invalid one is ignored")
  func accuracy() throws {
    let town = try TestTown(side: 3, at: Self.maribor)
    let far = (0..<20).map { RoadFix(town.place(Double($0) * 10, -150), time: Double($0), accuracy: 150) }
    #expect(match(town, far).count == 1)
    let unknown = (0..<20).map { RoadFix(town.place(Double($0) * 10, -150), time: Double($0)) }
    #expect(match(town, unknown).isEmpty)
    for accuracy in [Double.nan, .infinity, -1, 0] {
      #expect(RoadFix(Self.maribor, time: 0, accuracy: accuracy).accuracy == nil)
    }
  }

  @Test(
    "tracks on the 180th meridian and near a pole are matched",
    arguments: [(-17.0, 179.997), (84.0, 20.0), (0.0, -180.0)])
  func everywhere(latitude: Double, longitude: Double) throws {
    let town = try TestTown(side: 8, at: #require(Coordinate(latitude: latitude, longitude: longitude)))
    var random = SeededNumbers(6)
    let routes = match(town, town.track([(0, 300), (600, 300), (600, 700)], step: 10, noise: 5, from: &random))
    #expect(routes.count == 1 && abs(routes[0].length - 1000) < 25)
  }

  @Test("empty, single, equal and unordered positions do not crash")
  func edges() throws {
    let town = try TestTown(side: 3, at: Self.maribor)
    #expect(match(town, []).isEmpty)
    let one = RoadFix(town.place(50, 0), time: 5)
    #expect(match(town, [one]).map(\.length) == [0])
    #expect(match(town, [one, one, one]).map(\.length) == [0])
    let back = match(town, [one, RoadFix(town.place(90, 0), time: 1), RoadFix(town.place(150, 0), time: -.infinity)])
    #expect(abs(back.map(\.length).reduce(0, +) - 100) < 5)
    #expect(match(town, [RoadFix(town.place(500_000, -300_000), time: 0)]).isEmpty)
  }
}
