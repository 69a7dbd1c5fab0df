internal import Foundation
package import GodwitPostgres
internal import GodwitStore

/// Distributes the tables of a store by device over the workers of a cluster (the extension Citus).
package enum StoreDistributor {
  /// Number of shards of a table by default. More workers than shards are of no use.
  package static let shards = 64
  /// The limits of the number of shards.
  package static let shardLimits = 1...1024

  /// Distributes the tables that are not distributed yet. Each table is one transaction, so that a call continues an interrupted one.
  /// - Parameters:
  ///   - tables: tables with a column `device`. The others are colocated with the first.
  ///   - address: the coordinator's database. No server may use it.
  ///   - shards: the number of shards of each table.
  ///   - progress: called with the name of each table before its rows are moved.
  /// - Returns: the tables that this call distributed.
  /// - Throws: ``DistributionError`` if the database does not belong to a cluster or is in use; `PostgresError`.
  package static func distribute(
    _ tables: [String], of address: PostgresAddress, shards: Int = shards, progress: (String) -> Void = { _ in }
  ) throws -> [String] {
    // A long timeout, because rows are moved to the workers.
    let session = try PostgresSession(address, limits: PostgresSession.Limits(statement: maximumSeconds))
    // After the end of this program its statement ends as well. The name is not that of the sessions of servers.
    try session.execute("SET client_connection_check_interval TO '1s'; SET application_name TO 'godwit store distribute'")
    try checkCluster(session)
    guard let first = tables.first else { return [] }
    for table in tables where try session.text("SELECT to_regclass(?)::text", [.text(table)]) == nil {
      throw DistributionError(
        "The database has no table \(table): its schema is not of this version. Start a server with it once, and stop the server."
      )
    }
    let missing = try tables.filter { try !PostgresDistribution.isDistributed($0, session) }
    if !missing.isEmpty {
      try checkUse(session)
      // Tables with triggers cannot be distributed.
      try session.transaction { try PointHashTriggers.remove(session) }
    }
    for table in missing {
      progress(table)
      try session.transaction {
        try session.execute("\(PostgresLock.partitions.statement); \(PostgresDistribution.sequential)")
        // Another call may have distributed it while this one waited.
        guard try !PostgresDistribution.isDistributed(table, session) else { return }
        try prepare(table, session)
        let placement = table == first ? "shard_count => \(shards)" : "colocate_with => '\(first)'"
        try session.execute("SELECT create_distributed_table('\(table)', 'device', \(placement))")
        if table == first { try session.execute("COMMENT ON TABLE devices IS '\(PostgresDistribution.unfinished)'") }
      }
    }
    try session.execute("COMMENT ON TABLE devices IS NULL")
    // The moved rows are still on the coordinator's disk, also after an interrupted call.
    for table in tables where try hasLocalRows(table, session) {
      try session.execute("SELECT truncate_local_data_after_distributing_table('\(table)')")
    }
    return missing
  }

  private static func checkCluster(_ session: PostgresSession) throws {
    guard try session.text("SELECT 'yes' FROM pg_extension WHERE extname = 'citus'") != nil else {
      throw DistributionError(
        """
        The database does not have the extension Citus. Install it on the coordinator and on each worker, run CREATE EXTENSION citus in a \
        database of the same name on each of them, and run here: SELECT citus_set_coordinator_host('coordinator.example', 5432), \
        citus_add_node('worker1.example', 5432).
        """)
    }
    guard try session.text("SELECT 'yes' FROM citus_get_active_worker_nodes() LIMIT 1") != nil else {
      throw DistributionError(
        """
        The cluster has no worker. Run in this database, once for each worker: \
        SELECT citus_add_node('worker1.example', 5432).
        """)
    }
  }

  /// Throws if servers use the database. Distributing changes the types of columns, and prepared statements of other sessions would fail.
  private static func checkUse(_ session: PostgresSession) throws {
    let others = try session.text(
      """
      SELECT string_agg(DISTINCT coalesce(host(client_addr), 'this machine'), ', ') FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'godwit' AND pid <> pg_backend_pid()
      """)
    if let others { throw DistributionError("Servers use the database, from \(others). Stop all of them first.") }
  }

  /// Changes the keys and types of a table so that it can be distributed: the distribution columns of colocated tables have the
  /// same type, there are no foreign keys, and unique keys contain the device.
  private static func prepare(_ table: String, _ session: PostgresSession) throws {
    let constraints = try session.run(
      """
      SELECT quote_ident(conname) AS name, contype::text AS kind, (SELECT string_agg(quote_ident(attname), ', ')
        FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS columns
      FROM pg_constraint WHERE conrelid = to_regclass(?) AND contype IN ('f', 'p')
      """, [.text(table)])
    while constraints.next() {
      let name = try constraints.text("name")
      let columns = try constraints.text("columns")
      if try constraints.text("kind") == "f" {
        try session.execute("ALTER TABLE \(table) DROP CONSTRAINT \(name)")
      } else if !columns.components(separatedBy: ", ").contains("device") {
        try session.execute("ALTER TABLE \(table) DROP CONSTRAINT \(name), ADD PRIMARY KEY (device, \(columns))")
      }
    }
    let type = try session.text(
      "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass(?) AND attname = 'device'",
      [.text(table)])
    if type != "integer" { try session.execute("ALTER TABLE \(table) ALTER COLUMN device TYPE INTEGER") }
  }

  private static func hasLocalRows(_ table: String, _ session: PostgresSession) throws -> Bool {
    try session.text(
      """
      SELECT 'yes' FROM (SELECT to_regclass(?1) AS part UNION SELECT relid FROM pg_partition_tree(to_regclass(?1))) AS parts
      WHERE pg_relation_size(part) > 0 LIMIT 1
      """, [.text(table)]) != nil
  }

  /// Timeout in seconds for one table.
  private static let maximumSeconds = 48 * 3600
}
