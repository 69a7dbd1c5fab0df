import Foundation
import TestClient
import Testing

@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitServices
@testable import GodwitStore

/// The periodic tasks of a running server, in virtual time.
@Suite("Periodic work of a server", .timeLimit(.minutes(20)))
struct ServerServicesTests {
  @Test("each task is declared with its interval and the delay before its first run")
  func declared() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-tasks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let address = try #require(ListenAddress("127.0.0.1:0"))
    let server = try Server(configuration: Server.Configuration(listen: address, dataFolder: folder.path))
    defer { server.closeStore() }
    let declared = server.schedule.tasks.map { "\($0.name): \($0.interval), first after \($0.delay)" }
    #expect(
      declared == [
        "check that the store can write: 5.0 seconds, first after 5.0 seconds",
        "check the database for damage: 600.0 seconds, first after 1.0 seconds",
        "checkpoint the log of the database: 60.0 seconds, first after 60.0 seconds",
        "follow the machine's address in its network: 15.0 seconds, first after 15.0 seconds",
        "keep event streams alive: 15.0 seconds, first after 15.0 seconds",
        "close event streams of revoked tokens: 1.0 seconds, first after 1.0 seconds",
        "publish deletions by other programs: 1.0 seconds, first after 1.0 seconds",
        "publish region changes by other programs: 1.0 seconds, first after 1.0 seconds",
        "find deliveries and webhooks of other servers and commands: 30.0 seconds, first after 30.0 seconds",
        "find devices that went offline or online: 30.0 seconds, first after 0.0 seconds",
        "complete interrupted deletions: 3600.0 seconds, first after 0.0 seconds",
        "delete what is in the trash for a week: 3600.0 seconds, first after 30.0 seconds",
        "delete expired rows: 3600.0 seconds, first after 60.0 seconds",
        "apply retention: 3600.0 seconds, first after 60.0 seconds",
        "compress old points: 3600.0 seconds, first after 120.0 seconds",
        "check all blocks of points: 604800.0 seconds, first after 3600.0 seconds",
        "find a new base map: 5.0 seconds, first after 5.0 seconds",
        "find new roads: 5.0 seconds, first after 5.0 seconds",
      ])
  }

  @Test("an event stream gets a comment after 15 seconds, so that proxies keep its connection open")
  func keepAlive() async throws {
    let clock = VirtualClock()
    try await RegionServer.with(.overASocket, clock: clock) { server in
      await clock.sleepers(server.services)
      let events = try server.events()
      await events.first(with: "godwit")
      await clock.advance(by: .seconds(14))
      try await server.save(circle("a"))
      // No comment was sent before.
      #expect(await events.first(with: "event: regions").contains("\r\n: \n\n\r\n") == false)
      await clock.advance(by: .seconds(1))
      await events.first(with: "\r\n: \n\n\r\n")
    }
  }

  @Test("the database is checked after a second")
  func integrity() async throws {
    let clock = VirtualClock(Date(timeIntervalSince1970: 1_795_000_000))
    try await RegionServer.with(.overASocket, clock: clock) { server in
      await clock.sleepers(server.services)
      func checked() async throws -> Int? {
        let text = try await server.send("GET", "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix("godwit_store_last_check_timestamp_seconds ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
      }
      let first = try await checked()
      #expect(first == 0)
      await clock.advance(by: .seconds(1))
      let second = try await checked()
      #expect(second == 1_795_000_001)
    }
  }

  @Test("expired rows are deleted a minute after the start")
  func maintenance() async throws {
    let clock = VirtualClock()
    try await RegionServer.with(.overASocket, clock: clock) { server in
      await clock.sleepers(server.services)
      let store = try server.tracks()
      func add() async throws {
        let old = clock.now.addingTimeInterval(-(AuditTable.days + 1) * 86400)
        try await store.write { try AuditTable.add(AuditEntry(actor: "old", action: "sign-in", address: "local"), at: old, $0) }
      }
      func count() throws -> Int64? {
        try store.read { try $0.integer("SELECT count(*) FROM audit_log WHERE actor = 'old'") }
      }
      try await add()
      await clock.advance(by: .seconds(59))
      let before = try count()
      #expect(before == 1)
      // Rows that cannot be deleted do not prevent the deletion of others.
      try await store.write {
        try $0.run("INSERT INTO sign_in_failures (subject, failures, last) VALUES (x'00', 1, 0)")
        try $0.run("CREATE TRIGGER fault BEFORE DELETE ON sign_in_failures BEGIN SELECT raise(ABORT, 'planted'); END")
      }
      await clock.advance(by: .seconds(1))
      let after = try count()
      #expect(after == 0)
    }
  }

  @Test("no row is deleted when the date is set ahead by years")
  func dateAhead() async throws {
    let clock = VirtualClock()
    try await RegionServer.with(.overASocket, clock: clock) { server in
      await clock.sleepers(server.services)
      let (store, now) = (try server.tracks(), clock.now)
      try await store.write { try AuditTable.add(AuditEntry(actor: "new", action: "sign-in", address: "local"), at: now, $0) }
      clock.changeDate(by: 10 * 365 * 86_400)
      await clock.advance(by: .seconds(60))
      let count = try store.read { try $0.integer("SELECT count(*) FROM audit_log WHERE actor = 'new'") }
      #expect(count == 1)
    }
  }
}
