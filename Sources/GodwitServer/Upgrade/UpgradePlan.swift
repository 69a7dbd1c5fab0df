internal import Foundation
internal import GodwitSQLite
internal import GodwitTransfer

/// The changes that an upgrade would make in the SQLite database of a data folder.
package struct UpgradePlan: Sendable, Hashable {
  package let folder: String
  /// The number of steps applied to the database.
  package let version: Int
  /// The number of steps that this program has.
  package let newest: Int
  /// The names of the pending steps, in order; empty: the database is up to date.
  package let steps: [String]
  /// Bytes of the database and its write-ahead log.
  package let size: Int64
  /// Whether each page has a checksum.
  package let hasChecksums: Bool

  /// The path of the database.
  package var database: String { folder + "/godwit.sqlite" }

  /// Bytes of free space for a copy of the database and its migration. A migration may change every page, and adding checksums rewrites the
  /// file once more.
  package var neededSpace: Int64 {
    let (needed, isTooMuch) = size.multipliedReportingOverflow(by: hasChecksums ? 2 : 3)
    return isTooMuch ? .max : needed
  }

  /// Reads the schema of a data folder's database. Nothing is changed.
  /// - Throws: ``UpgradeProblem``, `MigrationError`, `FormerSchemaError` or `SQLiteError`.
  package init(folder: String) throws { try self.init(folder: folder, migrations: ServerSchema.migrations) }

  init(folder: String, migrations: Migrations) throws {
    self.folder = folder
    let path = folder + "/godwit.sqlite"
    guard FileManager.default.fileExists(atPath: path) else {
      throw UpgradeProblem(
        "There is no database at \(path). Name the data folder with --data; `godwit serve` creates a database.")
    }
    try migrations.checkHeader(of: path)
    let database = try Database(path: path, access: .readOnly)
    let pending = try migrations.pending(in: database)
    (version, newest) = (try migrations.version(of: database), migrations.steps.count)
    steps = pending.map(\.name)
    size = DiskSpace.size(ofDatabase: path)
    hasChecksums = database.hasChecksums
  }
}

extension Int64 {
  /// Bytes as MB, rounded up.
  package var megabytes: String { "\(self >> 20 + (self & 0xF_FFFF == 0 ? 0 : 1)) MB" }
}
