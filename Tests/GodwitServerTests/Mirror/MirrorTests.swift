import Foundation
import GodwitHTTP
import GodwitModel
import GodwitServices
import Synchronization
import TestClient
import TestTexts
import Testing

@testable import GodwitMirror
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Mirror", .timeLimit(.minutes(20)))
struct MirrorTests {
  @Test(
    "a mirror has all records exactly once over a network that loses and repeats requests, even after restarts",
    arguments: StoreKind.tested)
  func exactlyOnce(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      var generator = SeededNumbers(7)
      let names = ["phone", "watch", "boat"]
      var devices: [Device] = []
      for name in names { devices.append(try harness.store.makeDevice(name)) }
      var second = 0
      for round in 0..<60 {
        let device = devices[round % 3]
        var records = try (second..<second + 40).map { try MirrorHarness.fix($0, journal: UInt64(device.id)) }
        if round % 5 == 0 { records.append(try MirrorHarness.visit(second)) }
        if round % 7 == 0 { records.append(try MirrorHarness.trip(second)) }
        if round % 6 == 0 { records.append(try MirrorHarness.action(second, "started")) }
        // A device sends records again, and late records.
        _ = try await harness.store.store(records.shuffled(using: &generator), of: device, at: harness.clock.now)
        if round % 4 == 0 { _ = try await harness.store.store(Array(records.prefix(9)), of: device, at: harness.clock.now) }
        second += round % 9 == 0 ? -20 : 40 + (round % 8 == 0 ? 2_000 : 0)
        harness.network.add((0..<3).compactMap { _ in MirrorHarness.Fault.allCases.randomElement(using: &generator) })
        _ = try await harness.sender.step()
        await harness.clock.advance(by: .seconds(30))
        if round % 13 == 0 { try await harness.restart() }
      }
      try await harness.settle()
      try harness.expectSame()
      let state = try #require(try harness.state)
      #expect(state.pendingRecords == 0 && state.pendingChanges == 0 && state.uncopiedDevices == 0 && state.failures == 0)
      #expect(state.delay(at: harness.clock.now) == 0 && state.rejected == 0)
    }
  }

  @Test("a clock that is set back delays neither the next attempt nor another server", arguments: StoreKind.tested)
  func clockSetBack(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let walker = try harness.store.makeDevice("walker")
      _ = try await harness.store.store([try MirrorHarness.fix(0, journal: 4)], of: walker, at: harness.clock.now)
      harness.network.isDown = true
      let failed = try await harness.sender.step()
      #expect(!failed)
      harness.network.isDown = false
      let early = try await harness.sender.step()
      #expect(!early, "the next attempt is after a pause")
      harness.clock.changeDate(by: -20 * 86_400)
      let sent = try await harness.sender.step()
      #expect(sent)
      try await harness.settle()
      try harness.expectSame()
      let (url, now) = (harness.options.url, harness.clock.now)
      func claim(_ holder: String, _ seconds: Double) async throws -> Bool {
        try await harness.store.write {
          try MirrorTables.claim(by: holder, to: url, for: 180, at: now.addingTimeInterval(seconds), $0)
        }
      }
      try await harness.store.write { try $0.run("UPDATE mirror_status SET leased_until = 0") }
      #expect(try await claim("first", 0))
      #expect(try await !claim("second", 179))
      #expect(try await claim("second", -86_400))
    }
  }

  @Test("the history is copied in pages, which do not delay new records", arguments: StoreKind.tested)
  func history(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      // The records are stored before the mirror is configured.
      try await harness.store.write { try MirrorTables.remove($0) }
      let walker = try harness.store.makeDevice("walker")
      for first in stride(from: 0, to: 9_000, by: 3_000) {
        _ = try await harness.store.store(try (first..<first + 3_000).map { try MirrorHarness.fix($0, journal: 4) }, of: walker)
      }
      // More records with the same time than fit in a page.
      let same = try (0..<2_500).map { number in
        Record(kind: .fix(Fix(time: walkStart, coordinate: try coordinate(48, 11 + Double(number) / 1e6))))
      }
      _ = try await harness.store.store(same, of: walker)
      try await harness.sender.configure()
      _ = try await harness.sender.step()
      _ = try await harness.sender.step()
      let begun = try MirrorHarness.records(of: "walker", in: harness.copy).count
      #expect(begun > 2_000 && begun < 11_500)
      let late = try MirrorHarness.fix(50_000, journal: 4)
      _ = try await harness.store.store([late], of: walker)
      _ = try await harness.sender.step()
      #expect(try MirrorHarness.records(of: "walker", in: harness.copy).contains(late))
      // A restart continues at the stored position in the history.
      let requests = harness.network.requests
      try await harness.restart()
      try await harness.settle()
      try harness.expectSame()
      #expect(harness.network.requests - requests < 6, "it continued at its position")
    }
  }

  @Test("a mirror has all records five minutes after an outage of days", arguments: StoreKind.tested)
  func days(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let walker = try harness.store.makeDevice("walker")
      try await harness.settle()
      harness.network.isDown = true
      let before = harness.network.attempts
      for hour in 0..<72 {
        let second = hour * 3_600
        _ = try await harness.store.store(
          try (second..<second + 30).map { try MirrorHarness.fix($0, journal: 4) }, of: walker, at: harness.clock.now)
        for _ in 0..<12 {
          _ = try await harness.sender.step()
          await harness.clock.advance(by: .seconds(300))
        }
      }
      let state = try #require(try harness.state)
      #expect(state.pendingRecords == 72 * 30 && state.problem == "There is no network.")
      #expect(state.delay(at: harness.clock.now) > 71 * 3_600)
      #expect(harness.network.attempts - before < 72 * 12 + 20, "attempts are at most five minutes apart")
      harness.network.isDown = false
      let requests = harness.network.requests
      await harness.clock.advance(by: .seconds(300))
      while try await harness.sender.step() {}
      try harness.expectSame()
      #expect(try harness.state?.problem == nil)
      // Pending records are sent in fewer requests than uploads.
      #expect(harness.network.requests - requests <= 72)
    }
  }

  @Test("records from other servers and programs with the store are copied", arguments: StoreKind.tested)
  func others(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let walker = try harness.store.makeDevice("walker")
      try await harness.settle()
      let other = try harness.place.openAgain()
      defer { other.close() }
      _ = try await other.store(try (0..<20).map { try MirrorHarness.fix($0, journal: 4) }, of: walker)
      let boat = try other.makeDevice("boat")
      _ = try await other.store(try (0..<20).map { try MirrorHarness.fix($0, journal: 5) }, of: boat)
      try await harness.settle()
      try harness.expectSame()
    }
  }

  @Test("records and their change for the mirror are stored in one transaction", arguments: StoreKind.tested)
  func oneTransaction(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let walker = try harness.store.makeDevice("walker")
      try await harness.settle()
      // If the change cannot be stored, the record must not be stored: the mirror would never get it.
      try await harness.place.execute(
        kind.isPostgres
          ? "ALTER TABLE mirror_changes ADD CONSTRAINT refused CHECK (records < 0)"
          : "CREATE TRIGGER refused BEFORE INSERT ON mirror_changes BEGIN SELECT RAISE(ABORT, 'refused'); END")
      await #expect(throws: (any Error).self) { try await harness.store.store([MirrorHarness.fix(1, journal: 4)], of: walker) }
      #expect(try MirrorHarness.records(of: "walker", in: harness.store).isEmpty)
      try await harness.place.execute(
        kind.isPostgres ? "ALTER TABLE mirror_changes DROP CONSTRAINT refused" : "DROP TRIGGER refused")
      // If the transaction fails afterwards, no change is stored.
      harness.store.addParticipant(FailingParticipant())
      await #expect(throws: (any Error).self) { try await harness.store.store([MirrorHarness.fix(2, journal: 4)], of: walker) }
      #expect(try harness.state?.pendingChanges == 0)
    }
  }

  private final class FailingParticipant: CommitParticipant {
    func begin(_ group: [Submission], _ db: any SQLConnection) throws {}
    func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {}
    func end(_ db: any SQLConnection) throws { throw StoreError.closed }
    func discardState() {}
  }

  @Test("without a mirror no change is recorded, and a removed mirror leaves no changes", arguments: StoreKind.tested)
  func off(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let walker = try harness.store.makeDevice("walker")
      _ = try await harness.store.store([MirrorHarness.fix(1, journal: 4)], of: walker)
      #expect(try harness.state?.pendingRecords == 1)
      try await harness.store.write { try MirrorTables.remove($0) }
      #expect(try harness.state == nil)
      _ = try await harness.store.store([MirrorHarness.fix(2, journal: 4)], of: walker)
      #expect(try harness.store.read { try $0.integer("SELECT count(*) FROM mirror_changes") } == 0)
      #expect(try await !harness.sender.step() && harness.network.requests == 0)
    }
  }

  @Test("a device with the same name on the mirror is not changed, unless it is adopted", arguments: [false, true])
  func adoption(_ adopts: Bool) async throws {
    try await MirrorHarness.with(.sqlite, adopts: adopts) { harness in
      let walker = try harness.store.makeDevice("walker")
      let other = try harness.copy.makeDevice("walker")
      _ = try await harness.copy.store([MirrorHarness.fix(100_000, journal: 9)], of: other)
      _ = try await harness.store.store([MirrorHarness.fix(1, journal: 4)], of: walker)
      while try await harness.sender.step() {}
      let found = try MirrorHarness.records(of: "walker", in: harness.copy).count
      if adopts {
        #expect(try found == 2 && harness.state?.problem == nil)
      } else {
        #expect(found == 1)
        #expect(try harness.state?.problem?.contains("--mirror-adopt") == true)
      }
    }
  }

  @Test("a read token and a device's write token cannot store or delete on a mirror")
  func tokens() async throws {
    try await AccountServer.with(on: .sqlite) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let query = "source=s&number=1&name=walker&first=0&end=10&removal=none"
      for scope in [ScopedToken.Scope.read, .write] {
        let caller = try await server.token(scope, of: anna)
        #expect(server.send("POST", "/api/v1/mirror/records?\(query)", as: caller, body: #"{"locations":[]}"#).status == 403)
        #expect(server.send("DELETE", "/api/v1/mirror/devices?source=s&number=1", as: caller).status == 403)
      }
      // Each user has a separate mirror: other users cannot write, read or delete it.
      let (annas, bens) = (try await server.token(.admin, of: anna), try await server.token(.admin, of: ben))
      #expect(server.send("POST", "/api/v1/mirror/records?\(query)", as: annas, body: #"{"locations":[]}"#).status == 200)
      #expect(server.send("POST", "/api/v1/mirror/records?\(query)", as: bens, body: #"{"locations":[]}"#).status == 409)
      #expect(server.send("GET", "/api/v1/mirror/records?device=walker&first=0&end=10", as: bens).status == 404)
      #expect(server.send("GET", "/api/v1/mirror/records?device=walker&first=0&end=10", as: annas).status == 200)
      #expect(server.send("DELETE", "/api/v1/mirror/devices?source=s&number=1", as: bens).object["deleted"] is NSNull)
      #expect(try server.server.store.device(named: "walker") != nil)
      let deleted = server.send("DELETE", "/api/v1/mirror/devices?source=s&number=1", as: annas).object["deleted"]
      #expect(deleted as? String == "walker")
      #expect(server.send("GET", "/api/v1/mirror", as: annas).status == 403)
    }
  }

  @Test(
    "a mirror without TLS outside a private network causes a warning",
    arguments: [
      ("http://copy.example.org", true), ("http://203.0.113.7:8080", true), ("http://[2001:db8::7]", true),
      ("http://8.8.8.8", true),
      ("https://copy.example.org", false), ("https://203.0.113.7", false), ("http://127.0.0.1:8080", false),
      ("http://[::1]:8080", false),
      ("http://localhost", false), ("http://10.1.2.3", false), ("http://172.31.0.1", false), ("http://172.32.0.1", true),
      ("http://192.168.1.9", false), ("http://100.100.1.1", false), ("http://[fd00::7]", false),
      ("http://[fe80::1%25eth0]", false),
      ("http://nas", false), ("http://nas.local", false), ("http://nas.HOME.arpa", false), ("http://local.example.org", true),
    ])
  func warning(_ url: String, _ isExpected: Bool) async throws {
    let options = try #require(MirrorOptions(url: url, token: "x"))
    #expect((MirrorOptions.warning(about: options.url) != nil) == isExpected)
  }

  @Test("the log and `godwit doctor` warn about a mirror without TLS")
  func warnings() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-mirror-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var configuration = Server.Configuration(listen: try #require(ListenAddress("127.0.0.1:0")), dataFolder: folder)
    let notices = Mutex<[String]>([])
    configuration.notices = { text in notices.withLock { $0.append(text) } }
    configuration.mirror = MirrorOptions(url: "http://copy.example.org", token: "x")
    let server = try Server(configuration: configuration)
    try await server.store.write { try MirrorTables.configure("http://copy.example.org", source: "s", $0) }
    server.store.close()
    #expect(notices.withLock { $0.contains { $0.contains("http://copy.example.org: without TLS") } })
    let result = try #require(StoreCheckup.run(at: .folder(folder), now: walkStart).first { $0.subject == "Mirror" })
    #expect(result.outcome == .look && result.text.contains("without TLS"))
  }

  @Test("the state of the mirror is in the metrics, the API and `godwit doctor`")
  func state() async throws {
    try await MirrorHarness.with(.sqlite) { harness in
      let walker = try harness.store.makeDevice("walker")
      try await harness.settle()
      harness.network.isDown = true
      _ = try await harness.store.store([MirrorHarness.fix(1, journal: 4)], of: walker, at: harness.clock.now)
      await harness.clock.advance(by: .seconds(700))
      _ = try await harness.sender.step()
      var text = MetricsText()
      let state = try #require(try harness.state)
      state.write(at: harness.clock.now, to: &text)
      #expect(text.text.contains("\ngodwit_mirror_pending_records 1\n"))
      #expect(text.text.contains("\ngodwit_mirror_delay_seconds 700\n"))
      #expect(text.text.contains("\ngodwit_mirror_failures 1\n"))
      let result = try #require(
        StoreCheckup.run(at: try harness.place.location(), now: harness.clock.now).first { $0.subject == "Mirror" })
      #expect(result.outcome == .bad && result.text.contains("There is no network."))
      #expect(result.text.contains("copy.example.org") && result.text.contains("1 record and"))
      harness.network.isDown = false
      try await harness.settle()
      #expect(
        StoreCheckup.run(at: try harness.place.location(), now: harness.clock.now).first { $0.subject == "Mirror" }?.outcome
          == .good)
    }
    try await AccountServer.with(on: .sqlite, asAdministrator: true) { server in
      #expect(server.send("GET", "/api/v1/mirror").object["url"] is NSNull)
      try await server.server.store.write { try MirrorTables.configure("https://copy.example.org", source: "s", $0) }
      #expect(server.send("GET", "/api/v1/mirror").object["url"] as? String == "https://copy.example.org")
      #expect(server.send("GET", "/metrics").text.contains("godwit_mirror_pending_changes 0"))
    }
  }

  @Test("changes are sent as ranges: adjacent ones are merged, and ranges of deletions are exact", arguments: [0, 1])
  func ranges(_ seed: Int) {
    func change(_ id: Int64, _ first: Int64, _ last: Int64, _ removal: MirrorRemoval) -> MirrorChanges.Change {
      MirrorChanges.Change(
        id: id, device: 1, first: first, last: last, removal: removal, isHistory: removal == .records)
    }
    let changes = [
      change(1, 0, 100, .none), change(2, 500_000, 500_100, .none), change(3, 5_000_000, 5_000_000, .none),
      change(4, 50, 60, .all), change(5, .min, 10, .records), change(6, Int64.max - 1, .max, .none),
    ]
    let merged = MirrorRange.merged(seed == 0 ? changes : changes.reversed())
    #expect(
      merged.map { [$0.times.lowerBound, $0.times.upperBound] } == [
        [.min, 0], [0, 11], [11, 50], [50, 61], [61, 500_101], [5_000_000, 5_000_001], [.max - 1, .max],
      ])
    #expect(merged.map(\.removal) == [.records, .records, .none, .all, .none, .none, .none])
    #expect(merged.map(\.isHistory) == [true, false, false, false, false, false, false])
  }
}
