import Foundation
import GodwitModel
import Testing

@testable import GodwitDeletion
@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("Timelines in stores", .timeLimit(.minutes(20)))
struct TimelineStoreTests {
  /// A random track of several days: stays, trips, gaps and jumps, some of them across midnight.
  static func randomTrack(_ seed: UInt64, days: Int) -> Journey {
    var journey = Journey(at: "2026-05-04T05:00:00Z", seed: seed)
    let end = journey.time + Int64(days) * DayLength.milliseconds
    while journey.time < end {
      switch journey.random() {
      case ..<0.3: journey.stay(600 + journey.random() * 40_000, every: 300, noise: 30)
      case ..<0.4: journey.stay(600 + journey.random() * 150_000, every: nil)
      case ..<0.6: journey.go(200 + journey.random() * 2000, at: 1.4, every: 20)
      case ..<0.85:
        journey.go(1000 + journey.random() * 60_000, at: 8 + journey.random() * 15, every: 30, north: journey.random() < 0.5)
      case ..<0.9: journey.go(300_000, at: 80, every: nil)
      default:
        journey.stay(5, every: nil)
        journey.stray(north: 4000, east: 500)
        journey.stay(5, every: nil)
        journey.measure()
      }
    }
    return journey
  }

  /// All stored rows of a timeline, as text.
  static func everything(_ store: any StoreDatabase) throws -> [String] {
    try store.read { db in
      var rows: [String] = []
      func add(_ sql: String, _ columns: Int32) throws {
        try db.forEach(sql) { row in
          rows.append((0..<columns).map { row.isNull($0) ? "NULL" : row.text($0) }.joined(separator: " "))
        }
      }
      try add("SELECT 'day', day, state FROM timeline_days ORDER BY device, day", 3)
      try add(
        "SELECT 'visit', arrival, day, departure, seen, latitude, longitude, radius, points, reported FROM visits ORDER BY arrival, day",
        10)
      try add("SELECT 'trip', start, day, ended, body FROM trips ORDER BY start, day", 5)
      try add(
        "SELECT 'share', local_day, mode, day, points, first, last, distance, seconds, moving FROM day_shares ORDER BY local_day, mode, day",
        10)
      try add(
        "SELECT 'mark', time, latitude, longitude, reason, flagged, manual, day FROM outliers ORDER BY time, latitude, longitude",
        8)
      return rows
    }
  }

  private static func processBacklog(_ store: any StoreDatabase) async throws {
    try await RecomputeWorker(database: store).processBacklog(at: .distantFuture)
  }

  @Test(
    "the timeline of points in any order equals that of all points at once",
    arguments: StoreKind.tested, 1...4 as ClosedRange<UInt64>)
  func order(_ kind: StoreKind, _ seed: UInt64) async throws {
    var journey = Self.randomTrack(seed, days: 9)
    var records = journey.records
    // A visit and a trip reported by the device.
    let middle = journey.points[journey.points.count / 2]
    records.append(
      Record(
        kind: .visit(
          Visit(
            time: middle.date, coordinate: middle.coordinate, arrival: middle.date.addingTimeInterval(-90_000),
            departure: middle.date))))
    records.append(
      Record(
        kind: .trip(
          Trip(
            start: middle.date.addingTimeInterval(3600), end: middle.date.addingTimeInterval(20_000), mode: "car",
            duration: 16_400,
            distance: 1000))))
    let whole = try ContractStore(kind)
    defer { whole.end() }
    let wholeDevice = try whole.store.makeDevice()
    _ = try await whole.store.store(records, of: wholeDevice, at: Date())
    try await Self.processBacklog(whole.store)
    let expected = try Self.everything(whole.store)
    #expect(expected.contains { $0.hasPrefix("visit") } && expected.contains { $0.hasPrefix("trip") })
    #expect(expected.contains { $0.hasPrefix("mark") })

    let parts = try ContractStore(kind)
    defer { parts.end() }
    let device = try parts.store.makeDevice()
    let size = 20 + Int(journey.random() * 200)
    var chunks = stride(from: 0, to: records.count, by: size).map { Array(records[$0..<min($0 + size, records.count)]) }
    while !chunks.isEmpty {
      _ = try await parts.store.store(chunks.remove(at: Int(journey.random() * Double(chunks.count))), of: device, at: Date())
      if journey.random() < 0.4 { try await Self.processBacklog(parts.store) }
    }
    try await Self.processBacklog(parts.store)
    let inParts = try Self.everything(parts.store)
    let differing = zip(expected, inParts).first { $0 != $1 }
    #expect(inParts.count == expected.count && differing == nil, "\(String(describing: differing))")
  }

  @Test("an additional point on the first of many days recomputes few days", arguments: StoreKind.tested)
  func few(_ kind: StoreKind) async throws {
    let box = try ContractStore(kind)
    defer { box.end() }
    let device = try box.store.makeDevice()
    var journey = Journey()
    for _ in 0..<20 {
      journey.stay(8 * 3600, every: 600)
      journey.go(6000, at: 10)
      journey.stay(15 * 3600, every: 600)
    }
    let records = journey.records
    _ = try await box.store.store(Array(records.dropFirst()), of: device, at: Date())
    try await Self.processBacklog(box.store)
    _ = try await box.store.store([records[0]], of: device, at: Date())
    let change = try box.store.read { db in
      let due = try DirtyDays.due(at: .distantFuture, limit: 10, db)
      return try Timeline.change(of: due.map(\.day), ofDevice: device.id, along: nil, db)
    }
    #expect(change.days.count <= 3, "until the end of the next trip")
    #expect(change.done.count == 1)
  }

  @Test("if two servers compute the same days, one discards its result", arguments: StoreKind.tested)
  func twice(_ kind: StoreKind) async throws {
    let box = try ContractStore(kind)
    defer { box.end() }
    let device = try box.store.makeDevice()
    _ = try await box.store.store(Self.randomTrack(7, days: 2).records, of: device, at: Date())
    let change = try box.store.read { db in
      let due = try DirtyDays.due(at: .distantFuture, limit: 10, db)
      return try Timeline.change(of: due.map(\.day), ofDevice: device.id, along: nil, db)
    }
    try await box.store.write { try change.apply($0) }
    let before = try Self.everything(box.store)
    await #expect(throws: DirtyDays.AlreadyComputed.self) { try await box.store.write { try change.apply($0) } }
    #expect(try Self.everything(box.store) == before)
  }

  @Test("the device that waited longest is first, and a failing device does not delay others", arguments: StoreKind.tested)
  func turns(_ kind: StoreKind) async throws {
    let box = try ContractStore(kind)
    defer { box.end() }
    let devices = try ["first", "second", "third"].map { try box.store.makeDevice(named: $0, at: Date()) }
    let track = Self.randomTrack(5, days: 2)
    let start = Date(timeIntervalSince1970: 1_790_000_000)
    for (device, minutes) in zip(devices, [10.0, 0, 5]) {
      _ = try await box.store.store(track.records, of: device, at: start.addingTimeInterval(minutes * 60))
    }
    let now = start.addingTimeInterval(3600)
    if !kind.isPostgres {
      // On PostgreSQL the first device depends on the server.
      let first = try box.store.read { try DirtyDays.due(at: now, limit: 64, $0) }
      #expect(Set(first.map(\.device)) == [devices[1].id] && first.count > 1)
    }
    // The stored state before the first day is invalid.
    let day = try #require(track.points.first.map { DirtyDays.day(of: $0.time) })
    try await box.store.write {
      try $0.run("INSERT INTO timeline_days (device, day, state) VALUES (?, ?, '{')", devices[1].id, day - 1)
    }
    let loop = RecomputeWorker(database: box.store)
    var failed: Set<Int64> = []
    var computed = 0
    while true {
      do {
        guard try await loop.runOnce(at: now, passingOver: failed) else { break }
        computed += 1
      } catch let failure as RecomputeWorker.Failure { failed.insert(failure.device) }
    }
    #expect(failed == [devices[1].id] && computed >= 2)
    let left = try box.store.read { try DirtyDays.due(at: now, limit: 64, $0) }
    #expect(Set(left.map(\.device)) == [devices[1].id])
  }

  @Test("deleting points deletes their visits and trips", arguments: StoreKind.tested)
  func retention(_ kind: StoreKind) async throws {
    let track = Self.randomTrack(3, days: 6)
    let limit = track.points[track.points.count / 2].date
    let box = try ContractStore(kind)
    defer { box.end() }
    let device = try box.store.makeDevice()
    _ = try await box.store.store(track.records, of: device, at: Date())
    try await Self.processBacklog(box.store)
    let now = limit.addingTimeInterval(86_400 * 10)
    let entry = RetentionTable.Entry(device: device, retention: Retention(keepDays: 10), thinned: nil)
    _ = try RetentionRun(database: box.store).run(entry, at: now)
    try await Self.processBacklog(box.store)

    let rest = try ContractStore(kind)
    defer { rest.end() }
    let other = try rest.store.makeDevice()
    _ = try await rest.store.store(track.records.filter { $0.time >= limit }, of: other, at: Date())
    try await Self.processBacklog(rest.store)
    let (left, expected) = (try Self.everything(box.store), try Self.everything(rest.store))
    #expect(left == expected)
  }

  @Test("a reported visit of three months keeps its departure, and belongs to each of its days", arguments: StoreKind.tested)
  func longVisit(_ kind: StoreKind) async throws {
    let box = try ContractStore(kind)
    defer { box.end() }
    let device = try box.store.makeDevice()
    let (arrival, length) = (try #require(RFC3339.date("2026-01-02T10:00:00Z")), 90.0 * 86_400)
    let (departure, middle) = (arrival.addingTimeInterval(length), arrival.addingTimeInterval(length / 2).millisecondsSince1970)
    let visit = Visit(time: departure, coordinate: try coordinate(46, 14.5), arrival: arrival, departure: departure)
    _ = try await box.store.store([Record(kind: .visit(visit))], of: device, at: departure)
    try await Self.processBacklog(box.store)
    let found = try box.store.read {
      try TimelineRows($0).visits(TimelineRows.Query(device: device.id, times: middle..<middle + DayLength.milliseconds))
    }
    #expect(found.map(\.arrival) == [arrival.millisecondsSince1970])
    #expect(found.map(\.departure) == [departure.millisecondsSince1970])
  }

  @Test("lines of the map omit flagged points", arguments: StoreKind.tested)
  func lines(_ kind: StoreKind) async throws {
    let box = try ContractStore(kind)
    defer { box.end() }
    let device = try box.store.makeDevice()
    var journey = Journey()
    journey.go(600, at: 1.4)
    journey.stay(5, every: nil)
    journey.stray(north: 4000, east: 0)
    let wrong = try #require(journey.points.last)
    journey.stay(5, every: nil)
    journey.go(600, at: 1.4)
    _ = try await box.store.store(journey.records, of: device, at: Date())
    try await Self.processBacklog(box.store)
    let lines = try box.store.read {
      try OverviewReader($0).track(device: device.id, 0..<4_000_000_000_000, tolerance: 2)
    }
    #expect(lines.count == 1 && lines[0].allSatisfy { $0.time != wrong.time })
    let points = try box.store.points(PointQuery(device: device.id, limit: 10_000))
    #expect(points.count == journey.points.count, "no point is deleted")
  }

  @Test("flags of a phone whose clock is a year ahead are written some days at a time, and are found by an index")
  func manyOutliers() async throws {
    let box = try ContractStore(.sqlite)
    defer { box.end() }
    let device = try box.store.makeDevice()
    var journey = Journey(at: "2027-05-04T00:00:00Z")
    journey.stay(30 * 86_400, every: 200)
    _ = try await box.store.store(journey.records, of: device, at: #require(RFC3339.date("2026-05-04T00:00:00Z")))
    let change = try box.store.read { db in
      let due = try DirtyDays.due(at: .distantFuture, limit: 64, db)
      return try Timeline.change(of: due.map(\.day), ofDevice: device.id, along: nil, db)
    }
    let written = change.days.reduce(0) { $0 + $1.outliers.count }
    #expect(written >= 5_000 && written < 6_000 && change.done.count < 20)
    try await Self.processBacklog(box.store)
    let (outliers, plan) = try box.store.read { db in
      (
        try db.integer("SELECT count(*) FROM outliers"),
        try db.all(
          "EXPLAIN QUERY PLAN DELETE FROM outliers WHERE device = ? AND day = ? AND manual = 0", device.id, 20_000
        ) {
          $0.text(3)
        }
      )
    }
    #expect(outliers == Int64(journey.points.count))
    #expect(plan.contains { $0.contains("outliers_by_day (device=? AND day=? AND manual=?)") }, "\(plan)")
  }
}

@Suite("Encoded paths of trips")
struct EncodedPathTests {
  private struct Kept: Codable, Equatable { @EncodedPath var steps: [TimelineBuilder.Step] }

  @Test("a path is decoded as it was encoded, with less than 30 characters per position", arguments: 1...4 as ClosedRange<UInt64>)
  func same(_ seed: UInt64) throws {
    var journey = Journey(latitude: -17, longitude: -179.5, seed: seed)
    journey.go(30_000, at: 20, every: 5)
    journey.stay(600, every: nil)
    journey.go(4_000, at: 1.4, every: 7)
    var metres = 0.0
    let steps = journey.points.map { point in
      metres += 12.345678 * Double(point.motion + 1)
      return TimelineBuilder.Step(point, metres: metres)
    }
    let text = try TimelineCoding.text(Kept(steps: steps))
    #expect(try TimelineCoding.value(Kept.self, text) == Kept(steps: steps))
    #expect(text.utf8.count < 30 * steps.count && steps.count > 200)
  }

  @Test(
    "invalid numbers are an error",
    arguments: [
      "[1]", "[1,2,3,4]", "[0,900000001,0,0,0]", "[0,0,-1800000001,0,0]", "[0,0,0,256,0]", "[0,0,0,-1,0]",
      "[0,-9223372036854775808,0,0,0]", "[0,9223372036854775807,0,0,0,0,9223372036854775807,0,0,0]", "[\"\"]", "{}",
    ])
  func nothing(_ text: String) {
    #expect(throws: DecodingError.self) { try TimelineCoding.value(Kept.self, "{\"steps\":\(text)}") }
  }
}
