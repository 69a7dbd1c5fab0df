internal import Foundation
package import GodwitPostgres
package import GodwitStore

/// The result of verifying all tables of a PostgreSQL database.
package struct PostgresVerification: Sendable, Hashable {
  package let tables: Int
  package let rows: Int64
  /// The kind of checksums that detect changed bits in points.
  package let coverage: PointHashes.Coverage
  /// The damage, one sentence each.
  package let damage: [String]

  /// Reads all values of all tables, compares points with their checksums or hashes, and checks all indexes if the
  /// extension amcheck is installed.
  /// - Parameter progress: called with the name of each table.
  /// - Throws: `PostgresError` if the database cannot be reached, except for damage.
  package static func run(_ address: PostgresAddress, progress: (String) -> Void = { _ in }) throws -> PostgresVerification {
    let session = try PostgresSession(address, limits: PostgresSession.Limits(statement: maximumSeconds))
    let coverage = try PointHashes.coverage(session)
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
        // Converting the whole row to text also reads values that are stored out of line (TOAST).
        rows += try session.text("SELECT count(length(t::text)) FROM \(table) t").flatMap { Int64($0) } ?? 0
      } catch {
        guard error.isDamage else { throw error }
        damage.append("\(table): \(error.message)")
      }
    }
    if (names ?? "").split(separator: " ").contains("point_blocks"), damage.isEmpty {
      damage += try BlockScrub.damaged(PostgresConnection(session)).map(\.description)
    }
    do { damage += try PointHashes.damaged(PostgresConnection(session)).map(\.description) } catch let error as PostgresError {
      // The damage was already reported with the name of the table.
      guard error.isDamage, !damage.isEmpty else { throw error }
    }
    guard try session.text("SELECT extversion FROM pg_extension WHERE extname = 'amcheck'") != nil else {
      return PostgresVerification(tables: tables, rows: rows, coverage: coverage, damage: damage)
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
    return PostgresVerification(tables: tables, rows: rows, coverage: coverage, damage: damage)
  }

  /// Timeout in seconds for one table.
  private static let maximumSeconds = 6 * 3600
}

extension PostgresError {
  /// Whether data or an index is corrupted: PostgreSQL's SQLSTATE XX001 and XX002.
  fileprivate var isDamage: Bool { state == "XX001" || state == "XX002" }
}
