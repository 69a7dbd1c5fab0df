internal import GodwitModel
package import GodwitPostgres

/// Hashes of the rows of `points`, on a cluster without page checksums, where a flipped bit of the disk would change a position undetected.
/// Each device and day (UTC) with rows has an entry with the number of its rows and the XOR of their hashes, which triggers update.
///
/// Sealed points are not rows. Their blocks have checksums.
package enum PointHashes {
  package static let postgres = """
    CREATE TABLE point_hashes (
      device INTEGER NOT NULL,
      day BIGINT NOT NULL,            -- UTC, since 1970
      points BIGINT NOT NULL,
      hash BIGINT NOT NULL,
      PRIMARY KEY (device, day)
    ) WITH (fillfactor = 70);
    """

  /// How changed bits in rows of points are detected.
  package enum Coverage: Sendable, Hashable {
    /// PostgreSQL compares each page with a checksum when it reads it.
    case pages
    /// The hashes cover the rows of points. Other tables are not covered.
    case hashes
    /// They are not detected; with the reason.
    case none(reason: String)
  }

  /// Returns how a database is covered.
  /// - Throws: `PostgresError`.
  package static func coverage(_ session: PostgresSession) throws -> Coverage {
    if try hasPageChecksums(session) { return .pages }
    if let reason = try reasonAgainst(session) { return .none(reason: reason) }
    return try PointHashTriggers(session).areInstalled(session)
      ? .hashes : .none(reason: "the server adds hashes of the points when it starts")
  }

  /// Whether the cluster compares each page with a checksum when it reads it (`data_checksums`).
  /// - Throws: `PostgresError`.
  package static func hasPageChecksums(_ session: PostgresSession) throws -> Bool {
    try session.text("SELECT current_setting('data_checksums')") == "on"
  }

  /// Why the database cannot have hashes; `nil` if it can.
  private static func reasonAgainst(_ session: PostgresSession) throws -> String? {
    // `hash_record_extended` and the aggregate `bit_xor` need this version.
    guard let version = try session.text("SELECT current_setting('server_version_num')").flatMap({ Int($0) }), version >= 140_000
    else { return "hashes of the points need PostgreSQL 14" }
    if try PostgresDistribution.isDistributed(session) { return "a distributed store has no hashes of the points" }
    guard try session.text("SELECT to_regclass('point_hashes')::text") != nil else {
      return "the server adds hashes of the points when it starts"
    }
    return nil
  }

  // MARK: Creating

  /// Creates the hashes of a database that needs them, or removes those of a cluster that has page checksums now.
  /// - Parameter session: with a long statement timeout, after the migrations: all rows of points are read if the hashes are new.
  /// - Throws: `PostgresError`.
  static func prepare(_ session: PostgresSession) throws {
    guard try session.text("SELECT to_regclass('point_hashes')::text") != nil, try !isPrepared(session) else { return }
    try session.transaction {
      try session.execute(PostgresLock.hashes.statement)
      // Another server may have done it in the meantime.
      guard try !isPrepared(session) else { return }
      // Other sessions can read rows meanwhile, but not change them.
      try session.execute("LOCK TABLE points IN SHARE ROW EXCLUSIVE MODE")
      if try isWanted(session) {
        try PointHashTriggers(session).install(session)
      } else {
        try PointHashTriggers.remove(session)
      }
    }
  }

  private static func isWanted(_ session: PostgresSession) throws -> Bool {
    try !hasPageChecksums(session) && reasonAgainst(session) == nil
  }

  private static func isPrepared(_ session: PostgresSession) throws -> Bool {
    try isWanted(session) ? PointHashTriggers(session).areInstalled(session) : !PointHashTriggers.remain(session)
  }

  // MARK: Comparing

  /// Returns the days whose rows do not match their hash, in the order of devices and days. Empty if ``coverage(_:)`` is not `hashes`.
  /// - Parameter db: in a transaction with one snapshot, or not in a transaction.
  /// - Throws: the database's error.
  package static func damaged(_ db: any SQLConnection) throws -> [DamagedDay] {
    guard let session = (db as? PostgresConnection)?.session else { return [] }
    guard session.isInTransaction else {
      // With one snapshot, a row that moves into a new partition is read once.
      return try session.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { try damaged(db) }
    }
    guard try coverage(session) == .hashes else { return [] }
    return try withLongTimeout(session) { try days(comparison(try PointHashTriggers(session)), [], db) }
  }

  /// The hash of a row of `points`, as an expression of its columns.
  /// - Throws: `PostgresError`.
  package static func rowHash(_ session: PostgresSession) throws -> String { try PointHashTriggers(session).hash }

  /// Throws if rows of a device do not match the hash of their day.
  /// - Parameters:
  ///   - times: milliseconds since 1970. All rows of their days are read.
  ///   - db: in a transaction during which no other transaction changes rows of the device.
  /// - Throws: ``DamagedDay``, or the database's error.
  static func check(ofDevice device: Int64, _ times: ClosedRange<Int64>, _ db: any SQLConnection) throws {
    guard let session = (db as? PostgresConnection)?.session, try coverage(session) == .hashes else { return }
    let triggers = try PointHashTriggers(session)
    let (first, last) = (DayLength.number(of: times.lowerBound), DayLength.number(of: times.upperBound))
    let whole = DamagedDay.times(ofDay: first).lowerBound...DamagedDay.times(ofDay: last).upperBound
    let sql = comparison(
      triggers, rows: "WHERE device = CAST(?1 AS INTEGER) AND time >= ?2 AND time <= ?3",
      entries: "WHERE device = CAST(?1 AS INTEGER) AND day >= ?4 AND day <= ?5")
    let arguments = [device, whole.lowerBound, whole.upperBound, first, last].map { SQLArgument.integer($0) }
    if let day = try days(sql, arguments, db).first { throw day }
  }

  private static func comparison(_ triggers: PointHashTriggers, rows: String = "", entries: String = "") -> String {
    """
    SELECT device, day, coalesce(found.points, 0) AS points, coalesce(known.points, 0) AS stored_points,
      (SELECT name FROM devices WHERE devices.id = device) AS name
    FROM (
      SELECT device, \(PointHashTriggers.day) AS day, count(*) AS points, bit_xor(\(triggers.hash)) AS hash FROM points \(rows)
      GROUP BY 1, 2
    ) AS found FULL JOIN (SELECT device, day, points, hash FROM point_hashes \(entries)) AS known USING (device, day)
    WHERE found.hash IS DISTINCT FROM known.hash OR found.points IS DISTINCT FROM known.points ORDER BY device, day
    """
  }

  private static func days(_ sql: String, _ arguments: [SQLArgument], _ db: any SQLConnection) throws -> [DamagedDay] {
    var days: [DamagedDay] = []
    try db.query(sql, with: arguments) { row in
      let device = try row.integer("device")
      days.append(
        DamagedDay(
          device: device, name: try row.optionalText("name") ?? "number \(device)", number: try row.integer("day"),
          rows: try row.integer("points"), storedRows: try row.integer("stored_points")))
      return true
    }
    return days
  }

  /// Timeout in seconds of a statement that reads all rows of points.
  private static let maximumSeconds = 6 * 3600

  /// Runs `body` in the open transaction with a long statement timeout.
  private static func withLongTimeout<Value>(_ session: PostgresSession, _ body: () throws -> Value) throws -> Value {
    let (usual, setting) = (session.timeout, try session.text("SELECT current_setting('statement_timeout')") ?? "0")
    session.timeout = maximumSeconds + 5
    try session.execute("SET LOCAL statement_timeout = '\(maximumSeconds)s'")
    defer { session.timeout = usual }
    let value = try body()
    try session.execute("SET LOCAL statement_timeout = '\(setting)'")
    return value
  }

  // MARK: Changing

  /// Computes the entry of a day from its current rows, and replaces the stored entry.
  /// - Parameter db: in a transaction during which no other transaction changes rows of the device.
  /// - Throws: the database's error.
  package static func recompute(_ day: DamagedDay, _ db: any SQLConnection) throws {
    guard let session = (db as? PostgresConnection)?.session, try coverage(session) == .hashes else { return }
    try db.run("DELETE FROM point_hashes WHERE device = ? AND day = ?", day.device, day.number)
    try db.run(
      """
      INSERT INTO point_hashes (device, day, points, hash)
      SELECT device, \(PointHashTriggers.day), count(*), bit_xor(\(try PointHashTriggers(session).hash)) FROM points
      WHERE device = CAST(?1 AS INTEGER) AND time >= ?2 AND time <= ?3 GROUP BY 1, 2
      """, day.device, day.times.lowerBound, day.times.upperBound)
  }

  /// Removes the entries of a device whose points were deleted.
  /// - Throws: the database's error.
  package static func remove(ofDevice device: Int64, _ db: any SQLConnection) throws {
    guard db.dialect == .postgres else { return }
    try db.run("DELETE FROM point_hashes WHERE device = ?", device)
  }
}
