import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator

@Suite("The true track")
struct TruthTests {
  @Test("an empty track is an error with a remedy")
  func nothing() {
    #expect { try Truth(days: [[], []]) } throws: { ($0 as? TruthError)?.description.contains("at least one point") == true }
  }

  @Test("the track between two samples is straight, with constant speed and course")
  func between() throws {
    var cursor = TruthCursor(try Truth(days: [[sample(0, altitude: 100), sample(10, north: 100, altitude: 120)]]))
    let middle = cursor.state(at: at(5))
    #expect(cursor.nextChange == at(10))
    #expect(abs(GreatCircle.distance(here, middle.coordinate) - 50) < 0.01)
    #expect(abs(middle.speed - 10) < 0.001 && abs((middle.course ?? 180) - 0) < 0.01)
    #expect(abs(middle.altitude - 110) < 1e-6 && middle.isRecorded)
    let east = TruthCursor(try Truth(days: [[sample(0), sample(10, east: 50)]])).at(at(3))
    #expect(abs((east.course ?? 0) - 90) < 0.01 && abs(east.speed - 5) < 0.001)
  }

  @Test("before the first sample and after the last one the track is at rest there, indoors")
  func ends() throws {
    var cursor = TruthCursor(try Truth(days: [straight(from: 0, seconds: 60, speed: 2)]))
    for (time, north) in [(-1e9, 0.0), (-1, 0), (61, 120), (1e9, 120)] {
      let state = cursor.state(at: at(time))
      #expect(abs(GreatCircle.distance(here, state.coordinate) - north) < 0.01)
      #expect(state.speed == 0 && state.course == nil && state.motion == .stationary && state.environment == .indoors)
    }
  }

  @Test(
    "a gap is filled with a stay and a trip that arrives on time, at a plausible speed",
    arguments: [
      // Metres, seconds of the gap, seconds of the trip, motion of the trip.
      (0.0, 3_600.0, 0.0, Motion.stationary), (140, 3_600, 100, .walking), (1_400, 36_000, 1_000, .walking),
      (14_000, 36_000, 1_000, .driving), (280_000, 36_000, 20_000, .driving), (1_400, 500, 500, .running),
      (2_300_000, 36_000, 10_000, .driving),
    ])
  func gap(meters: Double, gap: Double, route: Double, motion: Motion) throws {
    var cursor = TruthCursor(try Truth(days: [[sample(0)], [sample(gap, north: meters)]]))
    if gap - route > 300 {
      let stay = cursor.state(at: at((gap - route) / 2))
      #expect(stay.motion == .stationary && stay.speed == 0 && stay.environment == .indoors)
      #expect(GreatCircle.distance(here, stay.coordinate) < 0.01)
    }
    if route > 0 {
      let moving = cursor.state(at: at(gap - route / 2))
      #expect(abs(moving.speed - meters / route) < 0.02 * moving.speed && moving.motion == motion && !moving.isRecorded)
      #expect(abs(GreatCircle.distance(here, moving.coordinate) - meters / 2) < meters * 0.001 + 0.1)
      #expect((moving.environment == .flight) == (meters > 400_000))
    }
    #expect(abs(GreatCircle.distance(here, cursor.state(at: at(gap)).coordinate) - meters) < 0.01 + meters * 1e-9)
  }

  @Test("a flight follows the great circle, also across the antimeridian")
  func flight() throws {
    // Tokyo and Seattle: in range.
    let tokyo = Coordinate(latitude: 35.55, longitude: 139.78)!
    let seattle = Coordinate(latitude: 47.44, longitude: -122.3)!  // in range
    let length = GreatCircle.distance(tokyo, seattle)
    let days = [[Fix(time: at(0).date, coordinate: tokyo)], [Fix(time: at(40_000).date, coordinate: seattle)]]
    let truth = try Truth(days: days)
    #expect(truth.repeated == 0 && truth.impossible == 0)
    var cursor = TruthCursor(truth)
    let departure = 40_000 - length / 230
    for part in stride(from: 0.0, through: 1, by: 0.1) {
      let state = cursor.state(at: at(departure + part * (40_000 - departure)))
      let done = GreatCircle.distance(tokyo, state.coordinate)
      #expect(abs(done - part * length) < 200)
      #expect(abs(done + GreatCircle.distance(state.coordinate, seattle) - length) < 50)
    }
  }

  @Test("an unreachable sample and a second sample of the same time are omitted")
  func impossible() throws {
    let truth = try Truth(days: [
      [sample(0), sample(5, north: 10), sample(8, north: 90_000), sample(10), sample(10), sample(15, north: 20)]
    ])
    #expect(truth.repeated == 1 && truth.impossible == 1)
    var cursor = TruthCursor(truth)
    for second in stride(from: 0.0, through: 15, by: 0.5) {
      #expect(GreatCircle.distance(here, cursor.state(at: at(second)).coordinate) < 30)
    }
  }

  @Test("stretches set the environment of a time range, and later ones override earlier ones")
  func stretches() throws {
    var rules = TruthRules()
    rules.surroundings = .only(.urban)
    rules.stretches = [
      .init(from: at(10), to: at(50), environment: .underground), .init(from: at(40), to: at(45.5), environment: .canyon),
    ]
    var cursor = TruthCursor(try Truth(days: [straight(from: 0, seconds: 100, speed: 10)], rules: rules))
    let seen = [5, 10, 39.999, 40, 45.4, 45.5, 49, 50, 99].map { cursor.state(at: at($0)).environment }
    #expect(seen == [.urban, .underground, .underground, .canyon, .canyon, .underground, .underground, .urban, .urban])
  }

  @Test(
    "motion is classified over a minute: walking, running, cycling, driving; a stop at a light is part of the drive",
    arguments: [(0.2, Motion.stationary), (1.3, .walking), (3, .running), (6, .cycling), (20, .driving)])
  func motion(speed: Double, motion: Motion) throws {
    var cursor = TruthCursor(try Truth(days: [straight(from: 0, seconds: 600, speed: speed)]))
    #expect(cursor.state(at: at(300)).motion == motion)
    let stop = straight(from: 0, seconds: 300, speed: 20) + straight(from: 305, seconds: 15, speed: 0, north: 6_000)
    let on = straight(from: 325, seconds: 300, speed: 20, north: 6_000)
    cursor = TruthCursor(try Truth(days: [stop + on]))
    #expect(cursor.state(at: at(312)).motion == [.driving, .stationary])
  }

  @Test("the speed between two times has a maximum, so the track never jumps", arguments: seeds)
  func continuous(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    var time = 0.0
    var (north, east) = (0.0, 0.0)
    let fixes = (0..<300).map { _ in
      time += random.exponential(mean: random.happens(0.1) ? 3_000 : 5)
      north += 30 * random.normal()
      east += 30 * random.normal()
      return sample(time, north: north, east: east)
    }
    var cursor = TruthCursor(try Truth(days: [fixes]))
    var last = cursor.state(at: at(-1)).coordinate
    for tenth in 0..<Int(time) {
      let next = cursor.state(at: at(Double(tenth))).coordinate
      #expect(GreatCircle.distance(last, next) <= 320.5, "seed \(seed), second \(tenth)")
      last = next
    }
  }

  @Test("queries in any order give the same states as queries in order of time", arguments: seeds)
  func order(seed: UInt64) throws {
    let truth = try ordinaryDay()
    var random = RandomSource(seed: seed)
    let times = (0..<500).map { _ in at(random.uniform(-1_000...90_000)) }
    var jumping = TruthCursor(truth)
    for time in times { #expect(jumping.state(at: time) == TruthCursor(truth).at(time)) }
    var going = TruthCursor(truth)
    for time in times.sorted() { #expect(going.state(at: time) == TruthCursor(truth).at(time)) }
  }

  @Test("the squares of a town have the requested shares of environments, and each square always has the same one")
  func town() {
    let town = Surroundings.town
    var counts: [Environment: Int] = [:]
    for row in 0..<100 {
      for column in 0..<100 {
        let square = GridSquare(latitude: Double(row) * 0.00225 + 45, longitude: Double(column) * 0.003 + 14, side: 0.00225)
        #expect(town.kind(in: square) == town.kind(in: square))
        counts[town.kind(in: square), default: 0] += 1
      }
    }
    for (kind, share) in [(Environment.suburb, 0.45), (.urban, 0.22), (.canyon, 0.08), (.openSky, 0.25)] {
      #expect(abs(Double(counts[kind] ?? 0) / 10_000 - share) < 0.02)
    }
  }
}

extension TruthCursor {
  /// Returns the state at a time, read by a new cursor.
  fileprivate func at(_ time: SimulatedTime) -> TruthState {
    var fresh = TruthCursor(truth)
    return fresh.state(at: time)
  }
}
