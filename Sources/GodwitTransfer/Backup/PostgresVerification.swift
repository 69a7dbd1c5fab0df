internal import Foundation
package import GodwitPostgres
internal import GodwitStore

/// What a check of all tables of a PostgreSQL database found.
package struct PostgresVerification: Sendable, Hashable {
  package let tables: Int
  package let rows: Int64
  /// Whether the cluster compares each page with a checksum when it reads it (`data_checksums`).
  package let isProtected: Bool
  /// What is damaged, a sentence each.
  package let damage: [String]

  /// Whether the cluster has checksums of pages.
  package static func isProtected(_ session: PostgresSession) throws -> Bool {
    try session.text("SELECT current_setting('data_checksums')") == "on"
  }

  /// Reads each value of each table, and follows each index if the extension amcheck is installed.
  /// - Parameter progress: called with the name of each table.
  /// - Throws: `PostgresError` if the database cannot be reached, except for damage.
  package static func run(_ address: PostgresAddress, progress: (String) -> Void = { _ in }) throws -> PostgresVerification {
    let session = try PostgresSession(address, limits: PostgresSession.Limits(statement: maximumSeconds))
    let isProtected = try isProtected(session)
    let names = try session.text(
      """
      SELECT string_agg(quote_ident(c.relname), ' ' ORDER BY c.relname) FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
      """)
    var (rows, damage, tables): (Int64, [String], Int) = (0, [], 0)
    for table in (names ?? "").split(separator: " ") {
      progress(String(table))
      tables += 1
      do {
        // The whole row as text reads long values as well.
        rows += try session.text("SELECT count(length(t::text)) FROM \(table) t").flatMap { Int64($0) } ?? 0
      } catch {
        guard error.isDamage else { throw error }
        damage.append("\(table): \(error.message)")
      }
    }
    if (names ?? "").split(separator: " ").contains("point_blocks"), damage.isEmpty {
      damage += try BlockScrub.damaged(PostgresConnection(session)).map(\.description)
    }
    guard try session.text("SELECT extversion FROM pg_extension WHERE extname = 'amcheck'") != nil else {
      return PostgresVerification(tables: tables, rows: rows, isProtected: isProtected, damage: damage)
    }
    do {
      _ = try session.text(
        """
        SELECT count(bt_index_check(c.oid)::text) FROM pg_class c JOIN pg_am a ON a.oid = c.relam
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'i' AND a.amname = 'btree'
        """)
    } catch {
      guard error.isDamage else { throw error }
      damage.append(error.message)
    }
    return PostgresVerification(tables: tables, rows: rows, isProtected: isProtected, damage: damage)
  }

  /// Seconds for one table.
  private static let maximumSeconds = 6 * 3600
}

extension PostgresError {
  /// Data or an index is corrupted: PostgreSQL's SQLSTATE XX001 and XX002.
  fileprivate var isDamage: Bool { state == "XX001" || state == "XX002" }
}
