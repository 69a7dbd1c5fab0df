import Foundation
import GodwitModel
import GodwitServer
import Testing

@testable import GodwitGeofencing
@testable import GodwitRegions

@Suite("Region events of the server: rules")
struct RegionEvaluatorTests {
  @Test(
    "random regions and positions give the same events as a check of every region, with restarts and changed regions",
    arguments: WalkingWorld.middles.map(\.name), 1...2 as ClosedRange<UInt64>)
  func worlds(_ name: String, _ seed: UInt64) throws {
    var world = try #require(WalkingWorld(name, seed: seed))
    var regions = try world.regions(50)
    var evaluator = RegionEvaluator(GeofenceSet(regions))
    var plain = PlainEvaluator(regions)
    var presence = RegionPresence()
    var kinds: [RegionEvent.Kind: Int] = [:]
    for (number, fix) in world.walk(1500).enumerated() {
      if number % 500 == 250 {
        // The server was restarted.
        presence = RegionPresence(time: presence.time, stays: presence.stays, lineStart: presence.lineStart)
      }
      if number % 700 == 350 {
        let changed = try world.region("r\(number % 50)")
        let gone = "r\((number + 7) % 50)"
        regions.removeAll { $0.id == changed.id || $0.id == gone }
        regions.append(changed)
        evaluator.geofences.apply([(changed.id, changed), (gone, nil)])
        plain.regions = regions
      }
      var events: [RegionEvent] = []
      evaluator.evaluate(at: fix, &presence, into: &events)
      #expect(plain.faults(of: events, at: fix) == [], "fix \(number)")
      for event in events { kinds[event.kind, default: 0] += 1 }
    }
    #expect(Set(presence.stays.map(\.id)) == Set(plain.inside.keys))
    // The random walk caused enough events of each kind.
    #expect(kinds[.entered, default: 0] > 10 && kinds[.exited, default: 0] > 10 && kinds[.dwelled, default: 0] > 0, "\(kinds)")
    #expect(plain.crossings.certain > 10 && kinds[.crossed, default: 0] >= plain.crossings.certain)
  }

  @Test("regions for one device only give the same events as a check of every region", arguments: 1...2 as ClosedRange<UInt64>)
  func chosen(_ seed: UInt64) throws {
    var world = try #require(WalkingWorld("Ljubljana", seed: seed))
    let regions = try world.regions(50)
    let evaluator = RegionEvaluator(GeofenceSet(regions))
    var plain = PlainEvaluator(regions)
    var presence = RegionPresence()
    var count = 0
    for fix in world.walk(1500) {
      var events: [RegionEvent] = []
      evaluator.evaluate(at: fix, &presence, choosing: { $0.tags.contains("a") }, into: &events)
      #expect(plain.faults(of: events, at: fix) { $0.tags.contains("a") } == [])
      count += events.count
    }
    #expect(count > 10)
  }

  @Test("a geofence set after many changes gives the same events as a new one")
  func changes() throws {
    var world = try #require(WalkingWorld("Ljubljana", seed: 9))
    var fences = GeofenceSet(try world.regions(100))
    var last: [String: Region] = [:]
    for round in 0..<1500 {
      let region = try world.region("r\(round % 400)")
      let isGone = round % 5 == 0
      fences.apply([(region.id, isGone ? nil : region)])
      last[region.id] = isGone ? nil : region
    }
    #expect(fences.count == last.count)
    let fresh = RegionEvaluator(GeofenceSet(Array(last.values)))
    let grown = RegionEvaluator(fences)
    var (a, b) = (RegionPresence(), RegionPresence())
    for fix in world.walk(1500) {
      var (first, second): ([RegionEvent], [RegionEvent]) = ([], [])
      fresh.evaluate(at: fix, &a, into: &first)
      grown.evaluate(at: fix, &b, into: &second)
      #expect(first == second)
    }
  }

  struct Step: Sendable {
    /// Metres east and north of the middle, seconds, accuracy.
    var east: Double
    var north: Double
    var second: Double
    var accuracy: Double?
    init(_ east: Double, _ second: Double, _ accuracy: Double? = 5, north: Double = 0) {
      (self.east, self.north, self.second, self.accuracy) = (east, north, second, accuracy)
    }
  }

  struct Story: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    var dwell: Double?
    /// The expected events with their seconds.
    var events: [String]
  }

  /// Movements near a circle with a radius of 100 m.
  static let stories = [
    Story(
      testDescription: "in and out", steps: [Step(500, 0), Step(0, 10), Step(500, 20)], events: ["entered 10", "exited 20"]),
    Story(
      testDescription: "hysteresis at the edge",
      steps: [Step(99, 0), Step(110, 1), Step(99, 2), Step(119, 3), Step(90, 4)], events: ["entered 0"]),
    Story(
      testDescription: "an inaccurate position causes no exit, an accurate one does",
      steps: [Step(0, 0), Step(300, 1, 250), Step(300, 2, 100)], events: ["entered 0", "exited 2"]),
    Story(
      testDescription: "a position less accurate than 100 m causes no entry", steps: [Step(0, 0, 101), Step(10, 1, 100)],
      events: ["entered 1"]),
    Story(
      testDescription: "a late position changes nothing", steps: [Step(0, 10), Step(500, 5), Step(500, 10), Step(0, 11)],
      events: ["entered 10"]),
    Story(
      testDescription: "a position without an accuracy counts as accurate", steps: [Step(0, 0, nil), Step(125, 1, nil)],
      events: ["entered 0", "exited 1"]),
    Story(
      testDescription: "a dwell is reported once, with the time at which it was reached",
      steps: [Step(0, 0), Step(1, 299), Step(0, 450), Step(0, 900)], dwell: 300, events: ["entered 0", "dwelled 300"]),
    Story(
      testDescription: "an exit restarts the dwell time", steps: [Step(0, 0), Step(500, 450), Step(0, 500), Step(0, 800)],
      dwell: 300,
      events: ["entered 0", "exited 450", "entered 500", "dwelled 800"]),
    Story(
      testDescription: "a line through the region, with a fix on each side, is a crossing at its deepest place",
      steps: [Step(-300, 0), Step(600, 60), Step(-300, 90)], events: ["crossed 20", "crossed 80"]),
    Story(
      testDescription: "a line that only grazes the region is not a crossing",
      steps: [Step(-300, 0, north: 65), Step(300, 60, north: 65), Step(-300, 120, north: 63)], events: []),
    Story(
      testDescription: "a deeper line is a crossing, unless its fixes are inaccurate",
      steps: [Step(-300, 0, north: 45), Step(300, 60, north: 45), Step(-300, 120, 90, north: 45), Step(300, 180, north: 45)],
      events: ["crossed 30"]),
    Story(
      testDescription: "fixes more than five minutes or ten kilometres apart form no line",
      steps: [Step(-300, 0), Step(300, 301), Step(-9_800, 500), Step(-300, 700), Step(300, 1_000)], events: ["crossed 850"]),
    Story(
      testDescription: "an inaccurate fix is not an end of a line", steps: [Step(-300, 0), Step(-200, 30, 101), Step(300, 60)],
      events: ["crossed 30"]),
    Story(
      testDescription: "an entry or exit is not a crossing as well",
      steps: [Step(-300, 0), Step(50, 10), Step(300, 20), Step(110, 30), Step(-150, 40), Step(-110, 50), Step(-300, 60)],
      events: ["entered 10", "exited 20", "crossed 34"]),
    Story(
      testDescription: "a late fix changes no line", steps: [Step(-300, 0), Step(-200, 40), Step(0, 20), Step(300, 60)],
      events: ["crossed 48"]),
  ]

  @Test("events of a movement", arguments: stories)
  func story(_ story: Story) throws {
    let middle = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    let region = Region(id: "home", shape: .circle(Circle(center: middle, radius: 100)), dwell: story.dwell)
    let evaluator = RegionEvaluator(GeofenceSet([region]))
    var presence = RegionPresence()
    var events: [RegionEvent] = []
    for step in story.steps {
      let beside = GreatCircle.destination(from: middle, course: 90, distance: step.east)
      let place = GreatCircle.destination(from: beside, course: 0, distance: step.north)
      evaluator.evaluate(
        at: Fix(time: Date(timeIntervalSince1970: step.second), coordinate: place, horizontalAccuracy: step.accuracy), &presence,
        into: &events)
    }
    #expect(events.map { "\($0.kind.rawValue) \(Int($0.time.timeIntervalSince1970))" } == story.events)
  }

  @Test("a schedule that opens or closes causes entries or exits of devices inside, even across a clock change")
  func hours() throws {
    let middle = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    let schedule = RegionSchedule(windows: [.init(from: 60, to: 240)], timeZone: "Europe/Ljubljana")
    let region = Region(id: "night", shape: .circle(Circle(center: middle, radius: 100)), schedule: schedule)
    let evaluator = RegionEvaluator(GeofenceSet([region]))
    var presence = RegionPresence()
    var events: [RegionEvent] = []
    // On 2026-03-29 the clocks skip from 02:00 to 03:00: local 01:00 to 04:00 is 00:00 to 02:00 UTC.
    let midnight = try #require(RFC3339.date("2026-03-28T23:00:00Z"))
    for minute in 0..<300 {
      evaluator.evaluate(
        at: Fix(time: midnight.addingTimeInterval(Double(minute) * 60), coordinate: middle), &presence, into: &events)
    }
    #expect(
      events.map { "\($0.kind.rawValue) \(RFC3339.string($0.time))" } == [
        "entered 2026-03-29T00:00:00Z", "exited 2026-03-29T02:00:00Z",
      ])
  }

  @Test("a deleted region causes no exit event, and a beacon region causes no entry event")
  func gone() throws {
    let middle = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    let beacon = Beacon(identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2)), place: middle)
    var evaluator = RegionEvaluator(
      GeofenceSet([
        Region(id: "home", shape: .circle(Circle(center: middle, radius: 100))), Region(id: "door", shape: .beacon(beacon)),
      ]))
    var presence = RegionPresence()
    var events: [RegionEvent] = []
    evaluator.evaluate(at: Fix(time: Date(timeIntervalSince1970: 0), coordinate: middle), &presence, into: &events)
    #expect(events.map(\.region.id) == ["home"])
    evaluator.geofences.apply([("home", nil)])
    evaluator.evaluate(at: Fix(time: Date(timeIntervalSince1970: 1), coordinate: middle), &presence, into: &events)
    #expect(events.count == 1 && presence.stays.isEmpty)
  }
}
