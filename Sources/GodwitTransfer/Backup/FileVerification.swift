internal import Foundation
internal import GodwitModel
internal import GodwitSQLite
internal import GodwitStore

/// The result of verifying a database file.
package struct FileVerification: Sendable, Hashable {
  package let path: String
  /// Pages of the file.
  package private(set) var pages: Int64
  package private(set) var bytes: Int64
  /// Whether each page has a checksum.
  package private(set) var isProtected: Bool
  /// The damage, one sentence each.
  package private(set) var damage: [String]

  /// Reads each page of a file from the disk, compares it with its checksum, and checks the integrity of tables and
  /// indexes. Other programs may use the file at the same time.
  /// - Parameters:
  ///   - path: the database file.
  ///   - proceed: called before each read with the number of bytes.
  /// - Throws: `SQLiteError` if the file cannot be opened or read, except for damage.
  package static func run(_ path: String, proceed: (Int) -> Void = { _ in }) throws -> FileVerification {
    // Only the server's database syncs each commit.
    let syncsAll = (path as NSString).lastPathComponent == "godwit.sqlite"
    var result = FileVerification(path: path, pages: 0, bytes: 0, isProtected: false, damage: [])
    do {
      let scan = try scan(path, syncsAll, proceed)
      (result.pages, result.bytes, result.isProtected) = (scan.pages, scan.bytes, scan.isProtected)
      result.damage = describe(scan.damaged, in: path, syncsAll)
      // If a page is damaged, SQLite would only report consequences of the damage.
      if scan.damaged.isEmpty { result.damage = try structure(path, syncsAll) + blocks(path, syncsAll) }
    } catch let error as SQLiteError where error.isCorrupt {
      result.damage.append(error.message)
    }
    return result
  }

  private static func scan(_ path: String, _ syncsAll: Bool, _ proceed: (Int) -> Void) throws -> PageScan.Result {
    try PageScan.run(path, syncsAll: syncsAll, proceed: proceed)
  }

  private static func structure(_ path: String, _ syncsAll: Bool) throws -> [String] {
    try Database(path: path, access: .readOnly, syncsAll: syncsAll).problems(maximum: 5)
  }

  /// Returns the damaged blocks of points.
  private static func blocks(_ path: String, _ syncsAll: Bool) throws -> [String] {
    let connection = SQLiteConnection(try Database(path: path, access: .readOnly, syncsAll: syncsAll))
    guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'point_blocks'") != nil else { return [] }
    return try BlockScrub.damaged(connection).map(\.description)
  }

  private static func describe(_ pages: [UInt32], in path: String, _ syncsAll: Bool) -> [String] {
    let names = PageTables.names(of: pages, in: path, syncsAll: syncsAll)
    let sentences = pages.prefix(maximum).map { page in
      "page \(page) fails its checksum" + (names[page].map { ": it belongs to \($0)" } ?? "")
    }
    return pages.count > maximum ? sentences + ["and \((pages.count - maximum).counted("more page"))"] : sentences
  }

  /// Maximum damaged pages that are listed.
  private static let maximum = 20
}
