import Foundation
import GodwitAccess
import GodwitModel
import GodwitPostgres
import TestCluster
import TestParts
import Testing

@testable import GodwitHTTP
@testable import GodwitServer
@testable import GodwitStore

@Suite(
  "Faults of the store on PostgreSQL", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"),
  .timeLimit(.minutes(20)))
struct PostgresHealthTests {
  /// The store fault for an error code of PostgreSQL; `nil` for errors of a statement, which are not faults of the store.
  static let codes: [(code: String, kind: StoreFault.Kind?)] = [
    // disk_full, out_of_memory, too_many_connections
    ("53100", .full), ("53200", .unreachable), ("53300", .unreachable),
    // read_only_sql_transaction, insufficient_privilege
    ("25006", .readOnly), ("42501", .readOnly),
    // io_error, data_corrupted
    ("58030", .device), ("XX001", .device),
    // query_canceled
    ("57014", .unreachable),
    // serialization_failure, division_by_zero, unique_violation, undefined_table
    ("40001", nil), ("22012", nil), ("23505", nil), ("42P01", nil),
  ]

  @Test("an error code of PostgreSQL maps to a store fault, which ends when an upload succeeds", arguments: codes)
  func code(_ one: (code: String, kind: StoreFault.Kind?)) async throws {
    let database = try TestDatabase()
    let store = try PostgresTrackStore(PostgresAddress(database.address))
    defer { store.close() }
    let device = try store.makeDevice()
    _ = try await store.store([try step(1)], of: device)
    // Each upload updates the row of its device.
    _ = try database.sql(
      """
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''a fault of the test'' USING ERRCODE = ''\(one.code)''; END'
      """)
    _ = try database.sql("CREATE TRIGGER fails BEFORE UPDATE ON devices FOR EACH ROW EXECUTE FUNCTION fail()")
    let error = await #expect(throws: PostgresError.self) { try await store.store([try step(2)], of: device) }
    #expect(error?.state == one.code)
    #expect(error.flatMap { StoreFault($0)?.kind } == one.kind && store.health.fault?.kind == one.kind)
    #expect(store.health.metrics.contains("\ngodwit_store_writable \(one.kind == nil ? 1 : 0)\n"))
    if let error {
      let problem = Problem.unavailable("Not stored", error)
      #expect(problem.status == 503 && !problem.detail.contains("fault of the test") && !problem.detail.contains("127.0.0.1"))
    }
    _ = try database.sql("DROP TRIGGER fails ON devices")
    _ = try await store.store([try step(2)], of: device)
    #expect(store.health.fault == nil && !store.health.isDamaged)
    #expect(try store.points(PointQuery(device: device.id, limit: 10)).count == 2)
  }

  @Test("a read-only database and a stopped server cause different faults, and the store recovers by itself")
  func real() async throws {
    let cluster = try TestCluster()
    let database = try TestDatabase(in: cluster)
    let clock = VirtualClock()
    let store = try PostgresTrackStore(PostgresAddress(database.address), parts: .server(clock: clock.clock))
    defer { store.close() }
    let device = try store.makeDevice()
    func reconnect() throws {
      _ = try cluster.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database.name)'", in: "postgres")
    }
    /// Uploads a record; returns the fault, or `nil` if the record is stored.
    func upload(_ second: Int) async throws -> StoreFault.Kind? {
      do {
        _ = try await store.store([try step(second)], of: device)
        return nil
      } catch {
        return StoreFault(error)?.kind
      }
    }
    _ = try cluster.sql("ALTER DATABASE \(database.name) SET default_transaction_read_only = on", in: "postgres")
    try reconnect()
    // The first upload may fail because its connection was terminated.
    var found = try await upload(1)
    if found == .unreachable { found = try await upload(1) }
    #expect(found == .readOnly && store.health.fault?.kind == .readOnly)
    _ = try cluster.sql("ALTER DATABASE \(database.name) SET default_transaction_read_only = off", in: "postgres")
    try reconnect()
    while try await upload(1) != nil { await clock.advance(by: .seconds(1)) }
    #expect(store.health.fault == nil)
    try cluster.kill()
    #expect(try await upload(2) == .unreachable && store.health.fault?.kind == .unreachable)
    try cluster.start()
    while try await upload(2) != nil { await clock.advance(by: .seconds(1)) }
    #expect(try store.health.fault == nil && store.points(PointQuery(limit: 10)).count == 2)
  }
}
