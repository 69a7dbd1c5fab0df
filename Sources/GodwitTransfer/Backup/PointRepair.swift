package import GodwitPostgres
package import GodwitStore

/// Replaces rows of damaged days, and recomputes the hashes of these days.
package struct PointRepair {
  let session: PostgresSession
  var db: PostgresConnection { PostgresConnection(session) }

  /// Timeout in seconds for reading all rows of points.
  private static let maximumSeconds = 6 * 3600
  /// The temporary table of the new rows.
  static let rows = "day_rows"

  /// - Parameter address: the address of the database. Servers may use it; their uploads wait while rows are replaced.
  /// - Throws: `PostgresError`.
  package init(_ address: PostgresAddress) throws {
    session = try PostgresSession(
      address, limits: PostgresSession.Limits(statement: Self.maximumSeconds, idleTransaction: Self.maximumSeconds))
  }

  /// Accepts the current rows of all damaged days. After that, the days are no longer reported as damaged.
  /// - Returns: the days.
  /// - Throws: `PostgresError`. In this case nothing was changed.
  package func acceptRows() throws -> [DamagedDay] {
    let days = try PointHashes.damaged(db)
    try inTransaction {
      for day in days { try session.execute("INSERT INTO \(Self.rows) SELECT * FROM points WHERE \(Self.condition(day))") }
      try replaceRows(of: days)
    }
    return days
  }

  /// Runs `body` in a transaction with an empty table of new rows.
  func inTransaction<Value>(_ body: () throws -> Value) throws -> Value {
    try session.transaction {
      // The lock prevents changes of rows during the repair. Indexes and partition pruning are disabled, because a damaged
      // row is in the index and the partition of its former key.
      try session.execute(
        """
        LOCK TABLE points IN SHARE ROW EXCLUSIVE MODE;
        SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off;
        SET LOCAL enable_partition_pruning = off; SET LOCAL constraint_exclusion = off;
        CREATE TEMPORARY TABLE \(Self.rows) (LIKE points) ON COMMIT DROP
        """)
      return try body()
    }
  }

  /// Replaces the rows of days with those in the table of new rows.
  func replaceRows(of days: [DamagedDay]) throws {
    for day in days { try session.execute("DELETE FROM points WHERE \(Self.condition(day))") }
    try session.execute("INSERT INTO points SELECT * FROM \(Self.rows) ON CONFLICT DO NOTHING")
    for day in days { try PointHashes.recompute(day, db) }
  }

  /// Returns the SQL condition for the rows of a day.
  static func condition(_ day: DamagedDay) -> String {
    "device = \(day.device) AND time >= \(day.times.lowerBound) AND time <= \(day.times.upperBound)"
  }
}
