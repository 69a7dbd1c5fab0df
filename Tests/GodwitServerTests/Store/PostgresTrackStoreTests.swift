import Foundation
import GodwitModel
import GodwitPostgres
import TestCluster
import TestParts
import Testing

@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// Behaviour of the store on PostgreSQL only: partitions, and a database server that may be unavailable.
@Suite("The store on PostgreSQL", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"), .timeLimit(.minutes(20)))
struct PostgresTrackStoreTests {
  static let months: [(time: String, table: String)] = [
    ("1999-12-31T23:59:59.999Z", "points_default"), ("2000-01-01T00:00:00Z", "points_2000_01"),
    ("2024-02-29T23:59:59.999Z", "points_2024_02"), ("2024-03-01T00:00:00Z", "points_2024_03"),
    ("2026-11-30T23:59:59.999Z", "points_2026_11"), ("2026-12-31T23:59:59.999Z", "points_2026_12"),
    ("2027-01-01T00:00:00Z", "points_default"), ("9999-12-31T23:59:59.999Z", "points_default"),
    ("0001-01-01T00:00:00Z", "points_default"),
  ]

  @Test("each month with points has a partition, up to the next month; other points are in the default partition")
  func partitions() async throws {
    let database = try TestDatabase()
    let store = try PostgresTrackStore(PostgresAddress(database.address))
    defer { store.close() }
    let device = try store.makeDevice()
    let records = try Self.months.map { row in
      Record(kind: .fix(Fix(time: try #require(RFC3339.date(row.time)), coordinate: try coordinate(47, 10))))
    }
    #expect(try await store.store(records, of: device).saved == records.count)
    let tables = try database.sql("SELECT tableoid::regclass FROM points ORDER BY time").split(separator: "\n").map(String.init)
    #expect(tables == Self.months.sorted { $0.time < $1.time }.map(\.table))
  }

  @Test("points stored before their partition exists are moved into it at its creation, during reads and writes")
  func moving() async throws {
    let database = try TestDatabase()
    let address = try PostgresAddress(database.address)
    let stores = try (0..<3).map { _ in try PostgresTrackStore(address) }
    defer { for store in stores { store.close() } }
    let device = try stores[0].makeDevice()
    let future = walkStart.addingTimeInterval(200 * 86_400)
    let early = try (0..<50).map {
      Record(kind: .fix(Fix(time: future.addingTimeInterval(Double($0)), coordinate: try coordinate(47, 10))))
    }
    #expect(try await stores[0].store(early, of: device).saved == 50)
    #expect(try database.sql("SELECT count(*) FROM points_default") == "50")
    let late = try (50..<100).map {
      Record(kind: .fix(Fix(time: future.addingTimeInterval(Double($0)), coordinate: try coordinate(47, 10))))
    }
    let saved = try await withThrowingTaskGroup(of: Int.self) { group in
      for store in stores {
        for start in stride(from: 0, to: 50, by: 10) {
          let part = Array(late[start..<start + 10]) + Array(early[start..<start + 10])
          group.addTask { try await store.store(part, of: device, at: future).saved }
          group.addTask { try store.points(PointQuery(device: device.id, limit: 1000)).count >= 50 ? 0 : 1000 }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(saved == 50)
    #expect(try database.sql("SELECT count(*) FROM points_default") == "0")
    #expect(try stores[1].points(PointQuery(device: device.id, limit: 1000)).count == 100)
    #expect(try stores[2].devices().first?.points == 100)
  }

  @Test("a point is stored even if its partition cannot be created, and is moved later")
  func heldUp() async throws {
    let database = try TestDatabase()
    let address = try PostgresAddress(database.address)
    let store = try PostgresTrackStore(address)
    defer { store.close() }
    let device = try store.makeDevice()
    let reader = try PostgresSession(address)
    // A slow machine must not end the transaction.
    try reader.execute("SET idle_in_transaction_session_timeout = 0")
    try reader.execute("BEGIN; SELECT * FROM points")
    #expect(try await store.store([step(0)], of: device).saved == 1)
    #expect(try database.sql("SELECT count(*) FROM points_default") == "1")
    try reader.execute("COMMIT")
    #expect(try await store.store([step(0), step(1)], of: device).saved == 1)
    #expect(try database.sql("SELECT count(*) FROM points_2026_11") == "2")
  }

  @Test("calls fail while the database server is down, and succeed after its restart")
  func outage() async throws {
    let cluster = try TestCluster()
    let database = try TestDatabase(in: cluster)
    let clock = VirtualClock()
    let store = try PostgresTrackStore(PostgresAddress(database.address), parts: .server(clock: clock.clock))
    defer { store.close() }
    let token = AccessToken().hash
    let device = try store.addDevice(named: "walker", tokenHash: token, at: walkStart)
    #expect(try await store.store([step(0)], of: device).saved == 1)
    try cluster.kill()
    for second in 1...3 {
      let error = await #expect(throws: PostgresError.self) { try await store.store([step(second)], of: device) }
      #expect(error?.isPassing == true)
      #expect(error.map { "\($0)".contains("Is PostgreSQL running there") } == true)
    }
    #expect(throws: PostgresError.self) { try store.device(tokenHash: token) }
    await #expect(throws: PostgresError.self) { try await store.write { try $0.integer("SELECT 1") } }
    try cluster.start()
    // After a failure the pool opens no connection for a second.
    await clock.advance(by: .seconds(1))
    let stored = try await store.store([step(0), step(1)], of: device)
    #expect(stored.saved == 1 && stored.duplicates == 1)
    #expect(try store.device(tokenHash: token) == device)
    #expect(try await store.write { try $0.integer("SELECT count(*) FROM points") } == 2)
    #expect(try store.devices().first?.points == 2)
  }

  @Test("a database server that hangs delays only some calls, for some seconds")
  func hanging() async throws {
    let cluster = try TestCluster()
    let database = try TestDatabase(in: cluster)
    let store = try PostgresTrackStore(PostgresAddress(database.address))
    defer { store.close() }
    let token = AccessToken().hash
    let device = try store.addDevice(named: "walker", tokenHash: token, at: walkStart)
    try cluster.freeze()
    let start = ContinuousClock.now
    for _ in 0..<1000 { #expect(throws: PostgresError.self) { try store.device(tokenHash: token) } }
    // One call waits for its response; later calls fail immediately, or wait for a connection attempt.
    // If each call waited, they would take more than an hour.
    #expect(start.duration(to: .now) < .seconds(600))
    try cluster.thaw()
    while (try? store.device(tokenHash: token)) != device {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(try await store.store([step(0)], of: device).saved == 1)
  }

  @Test("sessions that were closed while idle are replaced without an error")
  func endedSessions() async throws {
    let database = try TestDatabase()
    let store = try PostgresTrackStore(PostgresAddress(database.address))
    defer { store.close() }
    let device = try store.makeDevice()
    for second in 0..<3 {
      #expect(try await store.store([step(second)], of: device).saved == 1)
      #expect(try store.device(named: "walker") == device)
      #expect(try await store.write { try $0.integer("SELECT 1") } == 1)
      _ = try database.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'godwit'"
      )
    }
    #expect(try store.points(PointQuery(limit: 9)).count == 3)
  }

  @Test("a database without the right to create tables is rejected with a solution")
  func rights() throws {
    let database = try TestDatabase()
    _ = try database.sql("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    let address = "postgres://guest:guest@127.0.0.1:\(database.cluster.port)/\(database.name)"
    let error = try #require(throws: PostgresError.self) { try PostgresTrackStore(PostgresAddress(address)) }
    #expect("\(error)".contains("permission denied") && "\(error)".contains("ALTER DATABASE"))
  }
}
