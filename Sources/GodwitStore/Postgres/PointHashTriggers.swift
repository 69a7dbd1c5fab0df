package import GodwitPostgres

/// The triggers that update `point_hashes` with each statement that changes rows of `points`. They are in the database, so that
/// they apply to the rows of all servers and of other programs.
package struct PointHashTriggers {
  private static let function = "update_point_hashes"
  private static let names = ["point_hashes_insert", "point_hashes_update", "point_hashes_delete", "point_hashes_truncate"]

  /// The body of the trigger function. It contains the columns with their types, and a hash of constants. After a migration of
  /// `points`, or on a PostgreSQL that hashes differently, the text differs, and all hashes are computed again.
  private let body: String
  /// The hash of a row of `points`, as an expression.
  let hash: String

  /// The number of the day of a row (UTC, since 1970), as an expression. Does not overflow at any time.
  static let day = "(time / 86400000 - CASE WHEN time % 86400000 < 0 THEN 1 ELSE 0 END)"

  init(_ session: PostgresSession) throws {
    let columns = try session.run(
      """
      SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS names,
        string_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) AS types,
        hash_record_extended(ROW(1::bigint, 2::integer, 3::smallint, NULL::integer, 'four'::text COLLATE "C"), 0)::text AS constant
      FROM pg_attribute WHERE attrelid = to_regclass('points') AND attnum > 0 AND NOT attisdropped
      """)
    // An aggregate without GROUP BY always returns a row.
    _ = columns.next()
    let hash = "hash_record_extended(ROW(\(try columns.text("names"))), 0)"
    self.hash = hash
    body = """

      -- Columns: \(try columns.text("types")). Hash of constants: \(try columns.text("constant")).
      BEGIN
        IF TG_OP = 'INSERT' THEN
          INSERT INTO point_hashes AS known (device, day, points, hash)
          SELECT device, \(Self.day), count(*), bit_xor(\(hash)) FROM new_rows GROUP BY 1, 2 ORDER BY 1, 2
          \(Self.merge);
        ELSIF TG_OP = 'UPDATE' THEN
          INSERT INTO point_hashes AS known (device, day, points, hash)
          SELECT device, day, sum(points), bit_xor(hash) FROM (
            SELECT device, \(Self.day) AS day, -1 AS points, \(hash) AS hash FROM old_rows
            UNION ALL SELECT device, \(Self.day), 1, \(hash) FROM new_rows
          ) AS changes GROUP BY 1, 2 ORDER BY 1, 2
          \(Self.merge);
        ELSIF TG_OP = 'DELETE' THEN
          INSERT INTO point_hashes AS known (device, day, points, hash)
          SELECT device, \(Self.day), -count(*), bit_xor(\(hash)) FROM old_rows GROUP BY 1, 2 ORDER BY 1, 2
          \(Self.merge);
        ELSE
          DELETE FROM point_hashes;
        END IF;
        IF TG_OP IN ('UPDATE', 'DELETE') THEN
          DELETE FROM point_hashes WHERE points = 0 AND (device, day) IN (SELECT device, \(Self.day) FROM old_rows);
        END IF;
        RETURN NULL;
      END
      """ + "\n"
  }

  private static let merge =
    "ON CONFLICT (device, day) DO UPDATE SET points = known.points + excluded.points, hash = known.hash # excluded.hash"

  /// Whether the database has the triggers, with the function of this version for the current columns.
  func areInstalled(_ session: PostgresSession) throws -> Bool {
    guard try session.text("SELECT prosrc FROM pg_proc WHERE oid = to_regproc(?)", [.text(Self.function)]) == body else {
      return false
    }
    return try Self.installed(Self.names, session, condition: "tgenabled IN ('O', 'A')").count == Self.names.count
  }

  /// Creates the triggers, and computes the hashes of the existing rows. Must be called in a transaction during which no other
  /// transaction changes rows of `points`.
  func install(_ session: PostgresSession) throws {
    let (new, old) = ("NEW TABLE AS new_rows", "OLD TABLE AS old_rows")
    let events = [
      "INSERT ON points REFERENCING \(new)", "UPDATE ON points REFERENCING \(old) \(new)", "DELETE ON points REFERENCING \(old)",
      "TRUNCATE ON points",
    ]
    // `search_path` is fixed, so that the triggers find the table from programs with another search path.
    try session.execute(
      "CREATE OR REPLACE FUNCTION \(Self.function)() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$\(body)$body$"
    )
    for (name, event) in zip(Self.names, events) {
      try session.execute(
        "CREATE OR REPLACE TRIGGER \(name) AFTER \(event) FOR EACH STATEMENT EXECUTE FUNCTION \(Self.function)()")
    }
    try session.execute(
      """
      DELETE FROM point_hashes;
      INSERT INTO point_hashes (device, day, points, hash)
      SELECT device, \(Self.day), count(*), bit_xor(\(hash)) FROM points GROUP BY 1, 2
      """)
  }

  /// Removes the triggers and all hashes. Called in a transaction.
  package static func remove(_ session: PostgresSession) throws {
    // Dropping a trigger waits for readers. Therefore only existing triggers are dropped.
    for name in names where try !installed([name], session).isEmpty { try session.execute("DROP TRIGGER \(name) ON points") }
    try session.execute("DROP FUNCTION IF EXISTS \(function)(); DELETE FROM point_hashes")
  }

  /// Returns the names of the triggers that exist.
  private static func installed(_ names: [String], _ session: PostgresSession, condition: String = "true") throws -> [String] {
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    let found = try session.text(
      """
      SELECT string_agg(tgname, ' ') FROM pg_trigger
      WHERE tgrelid = to_regclass('points') AND tgname IN (\(list)) AND \(condition)
      """)
    return (found ?? "").split(separator: " ").map(String.init)
  }

  /// Whether a trigger function or hashes remain to be removed.
  static func remain(_ session: PostgresSession) throws -> Bool {
    try session.text("SELECT 'yes' WHERE to_regproc('\(function)') IS NOT NULL OR EXISTS (SELECT 1 FROM point_hashes)") != nil
  }
}
