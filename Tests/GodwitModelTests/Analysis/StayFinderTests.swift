import Foundation
import GodwitModel
import TestTexts
import Testing

private let morning = Date(timeIntervalSince1970: 1_800_000_000)

private func fix(_ seconds: Double, _ east: Meters, _ start: Coordinate) -> Fix {
  Fix(
    time: morning + seconds, coordinate: GreatCircle.destination(from: start, course: east < 0 ? 270 : 90, distance: abs(east)))
}

@Suite("Stays in a track")
struct StayFinderTests {
  static let home = Coordinate(latitude: 45.4, longitude: 14)

  /// A track, in seconds and metres to the east, and its expected stays, in seconds and numbers of positions.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var track: [(Double, Meters)]
    var definition = StayFinder.Definition()
    var stays: [(arrival: Double, departure: Double, lastSeen: Double, count: Int)]
  }

  @Test(
    "a stay begins at its first position and ends at the first position elsewhere",
    arguments: [
      Case(testDescription: "no position, no stay", track: [], stays: []),
      Case(testDescription: "one position, no stay", track: [(0, 0)], stays: []),
      Case(
        testDescription: "five minutes are enough", track: [(0, 0), (299, 90), (300, 500), (301, 900)],
        stays: [(0, 300, 299, 2)]),
      Case(testDescription: "a second less is no stay", track: [(0, 0), (298, 90), (299, 500), (310, 900)], stays: []),
      Case(
        testDescription: "the track ends at the place", track: [(0, 5000), (60, 0), (200, 60), (400, -60)],
        stays: [(60, 400, 400, 3)]),
      Case(testDescription: "the track ends too soon", track: [(0, 5000), (60, 0), (359, 60)], stays: []),
      Case(
        testDescription: "99 m are the same place, 101 m are not", track: [(0, 0), (200, 99), (400, 101), (500, 300)],
        stays: [(0, 400, 200, 2)]),
      Case(
        testDescription: "the distance counts from the first position, not from the last",
        track: [(0, 0), (100, 60), (400, 120), (800, 180), (900, 1000)], stays: [(0, 400, 100, 2), (400, 900, 800, 2)]),
      Case(
        testDescription: "a gap with both ends at one place is a stay", track: [(0, 0), (36_000, 20), (36_060, 500)],
        stays: [(0, 36_060, 36_000, 2)]),
      Case(
        testDescription: "a gap that is longer than the maximum ends the track", track: [(0, 0), (36_000, 20), (36_060, 500)],
        definition: .init(maximumGap: 900), stays: []),
      Case(
        testDescription: "a gap with its ends at two places ends at the second",
        track: [(0, 0), (10, 5), (36_000, 5000), (36_060, 9000)], stays: [(0, 36_000, 10, 2)]),
      Case(
        testDescription: "a gap of the maximum duration is allowed", track: [(0, 0), (900, 20), (960, 500)],
        definition: .init(maximumGap: 900), stays: [(0, 960, 900, 2)]),
      Case(
        testDescription: "another radius and another duration", track: [(0, 0), (30, 40), (61, 51)],
        definition: .init(radius: 50, minimumDuration: 60), stays: [(0, 61, 30, 2)]),
      Case(
        testDescription: "a position that is older than the previous one is skipped",
        track: [(0, 0), (200, 10), (100, 7000), (400, 500)], stays: [(0, 400, 200, 2)]),
      Case(
        testDescription: "two positions of the same time both count", track: [(0, 0), (200, 10), (200, 20), (400, 500)],
        stays: [(0, 400, 200, 3)]),
    ])
  func table(_ row: Case) throws {
    let home = try #require(Self.home)
    let stays = StayFinder.stays(in: row.track.map { fix($0.0, $0.1, home) }, row.definition)
    #expect(stays.map { $0.arrival.timeIntervalSince(morning) } == row.stays.map(\.arrival))
    #expect(stays.map { $0.departure.timeIntervalSince(morning) } == row.stays.map(\.departure))
    #expect(stays.map { $0.lastSeen.timeIntervalSince(morning) } == row.stays.map(\.lastSeen))
    #expect(stays.map(\.count) == row.stays.map(\.count))
    #expect(stays.map(\.duration) == row.stays.map { $0.departure - $0.arrival })
  }

  @Test(
    "the coordinate of a stay is the mean of its positions", arguments: awkwardPlaces.filter { abs($0.latitude) < 90 })
  func middle(_ latitude: Double, _ longitude: Double) throws {
    let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
    // Positions around the centre, so that their mean is the centre, even if their longitudes differ widely.
    let fixes = (0..<40).map { i in
      Fix(
        time: morning + Double(i) * 10,
        coordinate: GreatCircle.destination(from: center, course: Double(i % 8) * 45, distance: 40))
    }
    let stay = try #require(StayFinder.stays(in: fixes).first)
    #expect(stay.count == 40 && GreatCircle.distance(stay.coordinate, center) < 0.001)
  }

  @Test("the same holds at the poles, where all longitudes meet", arguments: [90.0, -90])
  func poles(_ latitude: Double) throws {
    let fixes = try (0..<36).map { i in
      let around = try #require(Coordinate(latitude: latitude * 0.999996, longitude: Double(i) * 10 - 180))
      return Fix(time: morning + Double(i) * 10, coordinate: around)
    }
    let stay = try #require(StayFinder.stays(in: fixes).first)
    #expect(stay.count == 36 && abs(stay.coordinate.latitude - latitude) < 1e-8)
  }

  @Test("a stay of years is as accurate as a stay of minutes")
  func years() throws {
    let home = try #require(Self.home)
    let places = [fix(0, 0, home).coordinate, fix(0, 50, home).coordinate]
    var finder = StayFinder()
    let ended = (0..<200_000).compactMap { finder.add(places[$0 % 2], at: morning + Double($0) * 600) }
    #expect(ended.isEmpty)
    let stay = try #require(finder.current)
    #expect(abs(GreatCircle.distance(stay.coordinate, home) - 25) < 0.001 && stay.count == 200_000)
  }

  @Test("stays of any track equal those of a naive implementation of the definition", arguments: 1...20)
  func definition(_ seed: UInt64) throws {
    var random = SeededNumbers(seed)
    let (latitude, longitude) = awkwardPlaces[Int(seed) % awkwardPlaces.count]
    let start = try #require(Coordinate(latitude: latitude, longitude: longitude))
    var time = morning
    let fixes = random.wander(from: start, count: 3000).map { place in
      time += Int.random(in: 0..<200, using: &random) == 0 ? .random(in: 600...4000, using: &random) : 10
      return Fix(time: time, coordinate: place)
    }
    for definition in [StayFinder.Definition(), .init(maximumGap: 900), .init(radius: 30, minimumDuration: 120)] {
      var expected: [[Date]] = []
      var first = 0
      for next in fixes.indices.dropFirst() {
        let isGap = definition.maximumGap.map { fixes[next].time.timeIntervalSince(fixes[next - 1].time) > $0 } ?? false
        guard isGap || GreatCircle.distance(fixes[first].coordinate, fixes[next].coordinate) > definition.radius else { continue }
        let lasted = fixes[next].time.timeIntervalSince(fixes[first].time) >= definition.minimumDuration
        if lasted, !isGap { expected.append([fixes[first].time, fixes[next].time]) }
        first = next
      }
      var finder = StayFinder(definition)
      let found = fixes.compactMap { finder.add($0.coordinate, at: $0.time) }
      #expect(found.map { [$0.arrival, $0.departure] } == expected)
      #expect(!found.isEmpty)
    }
  }

  /// A file of the reference, with the definition of stays that it was computed with.
  struct Reference: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var definition: StayFinder.Definition
    var count: Int
  }

  @Test(
    "stays of six people's days equal those that trackintel finds",
    .enabled(if: SharedTracks.areAvailable, SharedTracks.skipReason),
    arguments: [
      Reference(testDescription: "staypoints_d100_t5_gap15", definition: .init(maximumGap: 900), count: 217),
      Reference(testDescription: "staypoints_d100_t5_gapnone", definition: .init(), count: 332),
      Reference(
        testDescription: "staypoints_d200_t20_gapnone", definition: .init(radius: 200, minimumDuration: 1200), count: 151),
    ])
  func reference(_ reference: Reference) throws {
    let rows = try SharedTracks.rows("reference_trackintel/\(reference.testDescription).csv", ",")
    #expect(rows.count == reference.count)
    var (agreeing, found) = (0, 0)
    for user in [0, 1, 2, 5, 7, 10] {
      let theirs = rows.filter { $0[1] == "\(user)" }
      let fixes = try SharedTracks.fixes("geolife/" + String(format: "%03d", user), ".plt")
      let stays = StayFinder.stays(in: fixes, reference.definition)
      found += stays.count
      for row in theirs {
        let (arrival, departure) = (RFC3339.date(row[2]), RFC3339.date(row[3]))
        let place = try SharedTracks.place(row[4], row[5])
        agreeing += stays.count {
          $0.arrival == arrival && $0.departure == departure && GreatCircle.distance($0.coordinate, place) < 15
        }
      }
    }
    // The goal is 0.95; the same definition gives the same stays, to the second. trackintel computes the mean of distinct
    // positions, Godwit that of all positions, so that repeated positions count repeatedly.
    let f1 = 2 * Double(agreeing) / Double(found + rows.count)
    #expect(f1 == 1, "\(agreeing) of \(rows.count) agree, \(found) found: F1 \(f1)")
  }

  @Test(
    "all visits of two whole days are found, to three minutes, and no others",
    .enabled(if: SharedTracks.areAvailable, SharedTracks.skipReason), arguments: ["20250617.gpx", "20250618.gpx"])
  func visits(_ file: String) throws {
    let stays = StayFinder.stays(in: try SharedTracks.fixes("reitti/\(file)"))
    let visits = try SharedTracks.rows("reitti/expected_visits.csv", ",").filter { $0[0] == file }
    try #require(visits.count >= 5)
    for visit in visits {
      let (arrival, departure) = (try #require(RFC3339.date(visit[2])), try #require(RFC3339.date(visit[3])))
      let place = try SharedTracks.place(visit[4], visit[5])
      #expect(
        stays.contains {
          abs($0.arrival.timeIntervalSince(arrival)) <= 180 && abs($0.departure.timeIntervalSince(departure)) <= 180
            && GreatCircle.distance($0.coordinate, place) <= 100
        }, "visit \(visit[1])")
    }
    #expect(stays.count == visits.count)
  }
}
