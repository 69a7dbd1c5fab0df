internal import Foundation
package import GodwitPostgres

/// A store whose tables are distributed by device over the workers of a cluster (the extension Citus): the rows of one device are on one
/// worker. Tables that are not distributed are in the coordinator's database.
package enum PostgresDistribution {
  /// The comment of the table of devices while only some tables are distributed.
  package static let unfinished = "The distribution is unfinished"

  /// Throws if only some tables are distributed: Citus does not join them with the others.
  static func checkCompleteness(_ session: PostgresSession) throws {
    guard try session.text("SELECT obj_description(to_regclass('devices'), 'pg_class')") == unfinished else { return }
    throw DistributionError(
      "The distribution of the store was interrupted. Run `godwit store distribute` again, which continues it.")
  }

  /// Throws if a worker does not answer. A transaction that waits for it would keep its locks.
  static func checkWorkers(_ address: PostgresAddress) throws {
    // A new session of the coordinator has no connection to a worker. To open one has a timeout, `citus.node_connection_timeout`.
    let session = try PostgresSession(address, limits: PostgresSession.Limits(statement: 5))
    let offline = """
      SELECT count(*)::text FROM citus_get_active_worker_nodes() AS workers (name, port)
      WHERE NOT coalesce(citus_check_connection_to_node(name, port::int), false)
      """
    guard (try? session.text(offline)) == "0" else {
      throw DistributionError(
        "A worker does not answer. `SELECT * FROM citus_check_cluster_node_health()` names it. Start it, and try again.")
    }
  }

  /// A statement: transactions that change tables and rows use one connection to each worker.
  package static let sequential = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"

  /// Prepares a session that writes.
  /// - Parameter isShared: whether its transactions hold a lock for which all servers wait. Then each of them opens connections to workers,
  ///   which has a timeout. A statement on an open connection to a worker that hangs has none: the coordinator waits until the worker has
  ///   cancelled it.
  /// - Returns: whether the store is distributed.
  static func prepareForWriting(_ session: PostgresSession, isShared: Bool = false) throws -> Bool {
    guard try isDistributed(session) else { return false }
    // A partition may be created after any other statement of a transaction.
    try session.execute("SET citus.multi_shard_modify_mode TO 'sequential'")
    if isShared { try session.execute("SET citus.max_cached_conns_per_worker TO 0") }
    return true
  }

  /// Makes the commit of the open transaction a two-phase commit, even if it changes rows of only one worker. Otherwise the worker
  /// would commit before the coordinator, and a failure of the coordinator in between would make the databases inconsistent.
  static func commitInTwoPhases(_ session: PostgresSession) throws {
    // Citus commits in two phases after each COPY. This COPY has no rows.
    try session.copy(PostgresCopy.statement(into: "points"), PostgresCopy().finished())
  }

  /// Whether the store is distributed.
  static func isDistributed(_ session: PostgresSession) throws -> Bool { try isDistributed("points", session) }

  /// Whether a table is distributed.
  package static func isDistributed(_ table: String, _ session: PostgresSession) throws -> Bool {
    guard try session.text("SELECT to_regclass('pg_dist_partition')::text") != nil else { return false }
    return try session.text("SELECT 'yes' FROM pg_dist_partition WHERE logicalrelid = to_regclass(?)", [.text(table)]) != nil
  }
}

/// Why a store cannot be distributed or opened.
package struct DistributionError: Error, CustomStringConvertible {
  /// The fault, and what to do.
  package let description: String
  package init(_ description: String) { self.description = description }
}
