import GodwitPostgres
import TestCluster
import TestParts
import Testing

@testable import GodwitStore

@Suite(
  "Workers of a distributed store", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"),
  .timeLimit(.minutes(20)))
struct PostgresWorkersTests {
  private struct Failed: Error {}

  @Test("records of a worker that failed at once are rejected for a second, and then stored again")
  func pause() throws {
    let database = try TestDatabase()
    // The parts of Citus that are used; all devices are on worker 1.
    _ = try database.sql("CREATE TABLE pg_dist_placement (shardid BIGINT, groupid INTEGER)")
    _ = try database.sql("INSERT INTO pg_dist_placement VALUES (1, 1)")
    _ = try database.sql(
      """
      CREATE FUNCTION get_shard_id_for_distribution_column(TEXT, BIGINT) RETURNS BIGINT LANGUAGE sql AS 'SELECT 1::bigint'
      """)
    let session = try PostgresSession(PostgresAddress(database.address))
    let group = [Submission(device: Device(id: 3, name: "phone"), records: [], received: walkStart) { _ in }]
    var workers = PostgresWorkers()
    workers.failed(1, Failed(), process: session.process, since: .zero, at: .milliseconds(50))
    let rejected = try workers.parts(of: group, at: .milliseconds(1_000), session)
    #expect(rejected.map(\.worker) == [1] && rejected.first?.failure is Failed)
    let stored = try workers.parts(of: group, at: .milliseconds(1_100), session)
    #expect(stored.map(\.worker) == [1] && stored.first?.failure == nil)
  }
}
