import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAccounts
@testable import GodwitDeletion
@testable import GodwitServer
@testable import GodwitStore

@Suite("Retention")
struct RetentionTests {
  private static let now = Date(timeIntervalSince1970: 1_795_046_400)  // midnight, UTC
  private static let day = 86_400.0

  /// Stores a fix for each age, in seconds before ``now``.
  private static func store(_ ages: [Double], of device: Device, _ server: AccountServer) async throws {
    let place = try #require(Coordinate(latitude: 46, longitude: 14))
    let records = ages.map {
      Record(kind: .fix(Fix(time: now.addingTimeInterval(-$0), coordinate: place)))
    }
    _ = try await server.server.store.store(records, of: device, at: now)
  }

  private static func ages(of device: Device, _ server: AccountServer) throws -> [Double] {
    try server.server.store.points(PointQuery(device: device.id, limit: 100_000)).map { now.timeIntervalSince($0.fix.time) }
  }

  private static func run(_ retention: Retention, _ device: Device, _ server: AccountServer) async throws -> RetentionResult {
    try await server.server.store.write { try RetentionTable.set(retention, of: device.id, at: now, $0) }
    let entry = try #require(try server.server.store.read { try RetentionTable.entry(of: device.id, $0) })
    let run = RetentionRun(database: server.server.store)
    let reported = try run.dry(entry, at: now)
    let done = try run.run(entry, at: now)
    #expect(reported == done, "the dry run reports what the run deletes")
    return done
  }

  @Test("without a rule no record of a device is deleted")
  func untouched() async throws {
    try await AccountServer.with { server in
      let (phone, watch) = (try await server.device("phone", of: nil).device, try await server.device("watch", of: nil).device)
      for device in [phone, watch] { try await Self.store([1, 1000 * Self.day], of: device, server) }
      try await server.server.store.write {
        try RetentionTable.set(Retention(keepDays: 10), of: phone.id, at: Self.now - 2 * Self.day, $0)
      }
      let problems = try Self.nightly(server).runIfDue(at: Self.now)
      #expect(problems.isEmpty)
      #expect(try Self.ages(of: phone, server) == [1])
      #expect(try Self.ages(of: watch, server) == [1000 * Self.day, 1])
      #expect(try await Self.logged(server).first?.subject == "phone")
    }
  }

  @Test("a rule that was set with a future clock is applied when the clock is set back")
  func futureRule() async throws {
    try await AccountServer.with { server in
      let phone = try await server.device("phone", of: nil).device
      try await Self.store([1, 1000 * Self.day], of: phone, server)
      try await server.server.store.write {
        try RetentionTable.set(Retention(keepDays: 10), of: phone.id, at: Self.now + 300 * Self.day, $0)
      }
      let problems = try Self.nightly(server).runIfDue(at: Self.now)
      #expect(problems.isEmpty)
      #expect(try Self.ages(of: phone, server) == [1])
    }
  }

  /// - Parameter zone: the time zone of the server.
  private static func nightly(_ server: AccountServer, _ zone: String = "UTC") throws -> NightlyRetention {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    return NightlyRetention(database: server.server.store, audit: server.server.audit, calendar: calendar)
  }

  @Test("rules are applied once a night at 03:00, or at the first check after downtime; a new rule waits for a night")
  func nights() async throws {
    try await AccountServer.with { server in
      let phone = try await server.device("phone", of: nil).device
      try await server.server.store.write {
        // At noon of the previous day.
        try RetentionTable.set(Retention(keepDays: 10), of: phone.id, at: Self.now - 43_200, $0)
      }
      let nightly = try Self.nightly(server)
      func isApplied(_ hours: Double) async throws -> Bool {
        try await Self.store([1000 * Self.day], of: phone, server)
        #expect(try nightly.runIfDue(at: Self.now + 3600 * hours).isEmpty)
        return try Self.ages(of: phone, server).isEmpty
      }
      for (hours, isExpected) in [(2.9, false), (15.5, true), (16.5, false), (26.9, false), (27, true), (28, false), (75, true)] {
        #expect(try await isApplied(hours) == isExpected, "\(hours) h")
      }
    }
  }

  @Test(
    "the nightly run is at 03:00, or at the first time afterwards if the clocks skip 03:00",
    arguments: [
      ("Europe/Ljubljana", "2026-11-20T12:00:00Z", "2026-11-20T02:00:00Z"),
      ("Europe/Ljubljana", "2026-11-20T01:59:59Z", "2026-11-19T02:00:00Z"),
      ("Europe/Athens", "2026-03-29T12:00:00Z", "2026-03-29T01:00:00Z"),
      ("Europe/Athens", "2026-03-29T00:30:00Z", "2026-03-28T01:00:00Z"),
    ])
  func night(_ zone: String, _ now: String, _ night: String) async throws {
    try await AccountServer.with { server in
      let now = try #require(RFC3339.date(now))
      #expect(try Self.nightly(server, zone).newestNight(at: now) == RFC3339.date(night))
    }
  }

  @Test("a rule that cannot be applied is reported, does not stop the others, and is applied at the next check")
  func failing() async throws {
    try await AccountServer.with { server in
      let store = server.server.store
      let (phone, watch) = (try await server.device("phone", of: nil).device, try await server.device("watch", of: nil).device)
      for device in [phone, watch] {
        try await Self.store([1000 * Self.day], of: device, server)
        try await store.write { try RetentionTable.set(Retention(keepDays: 10), of: device.id, at: Self.now - 2 * Self.day, $0) }
      }
      try await store.write {
        try $0.run(
          "CREATE TRIGGER fault BEFORE DELETE ON points WHEN old.device = \(phone.id) BEGIN SELECT raise(ABORT, 'planted'); END")
      }
      let nightly = try Self.nightly(server)
      #expect(try nightly.runIfDue(at: Self.now).map(\.device) == ["phone"])
      #expect(try Self.ages(of: watch, server).isEmpty)
      try await store.write { try $0.run("DROP TRIGGER fault") }
      #expect(try nightly.runIfDue(at: Self.now + 3600).isEmpty)
      #expect(try Self.ages(of: phone, server).isEmpty)
    }
  }

  private static func logged(_ server: AccountServer) async throws -> [AuditEntry] {
    // Audit entries are written asynchronously and in order: this write is processed after them.
    try await server.run("DELETE FROM links WHERE id = -1", [])
    return try server.log()
  }

  @Test(
    "records older than the retention are deleted in small steps; the others remain, and the counts are correct",
    arguments: StoreKind.tested)
  func expiry(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let phone = try await server.device("phone", of: nil).device
      let old = (0..<2500).map { 10 * Self.day + 1 + Double($0) }
      try await Self.store(old + [10 * Self.day, 5, 0], of: phone, server)
      let result = try await Self.run(Retention(keepDays: 10), phone, server)
      #expect(result == RetentionResult(expired: 2500))
      #expect(try Self.ages(of: phone, server) == [10 * Self.day, 5, 0])
      #expect(try server.server.store.devices().first?.points == 3)
      let again = try await Self.run(Retention(keepDays: 10), phone, server)
      #expect(again == RetentionResult())
    }
  }

  @Test(
    "thinning keeps the first point of each interval, for any length, and all newer points",
    arguments: StoreKind.tested, [1, 7, 60])
  func thinning(_ kind: StoreKind, _ minutes: Int) async throws {
    try await AccountServer.with(on: kind) { server in
      let phone = try await server.device("phone", of: nil).device
      // A point every 20 seconds, for a day and a half before the limit and an hour after it.
      let ages = stride(from: 3.5 * Self.day, through: 2 * Self.day - 3600, by: -20).map { $0 }
      try await Self.store(ages, of: phone, server)
      let result = try await Self.run(Retention(thinDays: 2, thinMinutes: minutes), phone, server)
      let left = try Self.ages(of: phone, server)
      let limit = Int64((Self.now.timeIntervalSince1970 - 2 * Self.day) * 1000)
      let bucket = Int64(minutes) * 60_000
      func time(_ age: Double) -> Int64 { Self.now.addingTimeInterval(-age).millisecondsSince1970 }
      var expected: [Double] = []
      var seen: Set<Int64> = []
      for age in ages where time(age) >= limit - limit % bucket || seen.insert(time(age) / bucket).inserted {
        expected.append(age)
      }
      #expect(left == expected)
      #expect(result.thinned == ages.count - expected.count && result.expired == 0)
      #expect(try server.server.store.devices().first?.points == expected.count)
    }
  }

  @Test("late points are thinned the next night, together with the remaining points", arguments: StoreKind.tested)
  func late(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let phone = try await server.device("phone", of: nil).device
      try await Self.store([5 * Self.day, 5 * Self.day - 20], of: phone, server)
      _ = try await Self.run(Retention(thinDays: 2, thinMinutes: 10), phone, server)
      try await Self.store([5 * Self.day - 40], of: phone, server)
      let entry = try #require(try server.server.store.read { try RetentionTable.entry(of: phone.id, $0) })
      #expect(entry.thinned != nil)
      let result = try RetentionRun(database: server.server.store).run(entry, at: Self.now)
      #expect(result.thinned == 1)
      #expect(try Self.ages(of: phone, server) == [5 * Self.day])
    }
  }

  @Test("a run deletes nothing if its rule was changed or removed since it was read", arguments: StoreKind.tested)
  func changedRule(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let store = server.server.store
      let phone = try await server.device("phone", of: nil).device
      try await Self.store([5 * Self.day, 5 * Self.day - 20], of: phone, server)
      let (wide, none): (Retention, Retention?) = (Retention(keepDays: 100, thinDays: 50, thinMinutes: 10), nil)
      for rule in [Retention(keepDays: 1), Retention(thinDays: 1, thinMinutes: 10)] {
        for later in [none, wide] {
          try await store.write { try RetentionTable.set(rule, of: phone.id, at: Self.now, $0) }
          let entry = try #require(try store.read { try RetentionTable.entry(of: phone.id, $0) })
          try await store.write { try RetentionTable.set(later, of: phone.id, at: Self.now + 1, $0) }
          #expect(try RetentionRun(database: store).run(entry, at: Self.now) == RetentionResult())
        }
      }
      #expect(try Self.ages(of: phone, server).count == 2)
      #expect(try store.read { try RetentionTable.entry(of: phone.id, $0) }?.thinned == nil)
    }
  }

  @Test("the preview shows what a rule would delete, and deletes nothing", arguments: StoreKind.tested)
  func dry(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      try server.upload(users.annasPhone.caller, [(46, 14), (46, 14)], from: Date(timeIntervalSinceNow: -30 * Self.day))
      let path = "/api/v1/devices/annas-phone/retention"
      let reported = server.send("PUT", "\(path)?dry=true", as: anna, body: #"{"keep_days":10}"#)
      #expect((reported.object["would_remove"] as? [String: Any])?["expired"] as? Int == 2, "\(reported.text)")
      #expect(server.send("GET", path, as: anna).object["keep_days"] is NSNull)
      #expect(server.send("POST", "\(path)/run", as: anna).status == 409)
      #expect(server.send("PUT", path, as: anna, body: #"{"keep_days":1}"#).status == 200)
      #expect(server.send("GET", "/api/v1/points", as: anna).features.count == 2)
      let would = server.send("POST", "\(path)/run?dry=true", as: anna)
      #expect((would.object["would_remove"] as? [String: Any])?["expired"] as? Int == 2)
      let did = server.send("POST", "\(path)/run", as: anna)
      #expect((did.object["removed"] as? [String: Any])?["expired"] as? Int == 2)
      #expect(server.send("GET", "/api/v1/points", as: anna).features.isEmpty)
      #expect(server.send("DELETE", path, as: anna).object["keep_days"] is NSNull)
    }
  }

  @Test(
    "a run with a body or an unknown argument is rejected with the name of the argument, and deletes nothing",
    arguments: [
      ("", #"{"dry":true}"#, 422, "dry"), ("", "{}", 422, "dry"), ("?dry=true", #"{"dry":false}"#, 422, "dry"),
      ("?dry_run=true", "", 400, "dry_run"),
    ])
  func ignoredDry(_ query: String, _ body: String, _ status: Int, _ name: String) async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      try server.upload(users.annasPhone.caller, [(46, 14)], from: Date(timeIntervalSinceNow: -30 * Self.day))
      let path = "/api/v1/devices/annas-phone/retention"
      #expect(server.send("PUT", path, as: anna, body: #"{"keep_days":1}"#).status == 200)
      let response = server.send("POST", "\(path)/run\(query)", as: anna, body: body)
      #expect(response.status == status && response.object["at"] is String, "\(response.text)")
      #expect((response.object["detail"] as? String)?.contains(name) == true, "\(response.text)")
      #expect(server.send("GET", "/api/v1/points", as: anna).features.count == 1)
    }
  }

  @Test(
    "an invalid rule is rejected",
    arguments: [
      "{}", #"{"keep_days":0}"#, #"{"keep_days":1.5}"#, #"{"thin_days":3}"#, #"{"thin_minutes":3}"#, #"{"days":3}"#,
      #"{"keep_days":true}"#,
    ])
  func bad(_ body: String) async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      #expect(server.send("PUT", "/api/v1/devices/annas-phone/retention", as: anna, body: body).status == 422)
    }
  }
}
