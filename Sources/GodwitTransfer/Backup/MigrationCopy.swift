package import Foundation
package import GodwitSQLite

/// Copies the embedded database before a newer program migrates it, for a downgrade to the older program.
package enum MigrationCopy {
  /// Copies a folder's database if the migrations would change it. The copy of an earlier migration is removed. If the last
  /// migration was interrupted, its copy stays, and no other one is created, because the older program can open only that
  /// copy.
  ///
  /// If there is not enough space, no copy is created, because an update must not require twice the disk space.
  /// - Parameters:
  ///   - folder: the data folder.
  ///   - migrations: the migrations of the database.
  ///   - now: the time.
  ///   - free: returns the free bytes of the disk of a path; `nil`: unknown.
  /// - Returns: the path of the copy; `nil`: there is none.
  /// - Throws: an error of the file system or the database. A damaged database is not migrated.
  @discardableResult
  package static func create(
    of folder: String, before migrations: Migrations, at now: Date, free: (String) -> Int64? = DiskSpace.free
  ) throws -> String? {
    let database = folder + "/godwit.sqlite"
    guard let version = try migrations.outdatedVersion(of: database) else { return nil }
    if let copy = interrupted(in: folder, at: version) { return copy }
    // Space is required for the copy, and for the migration.
    guard (free(database) ?? 0) / 2 > DiskSpace.size(ofDatabase: database) else { return nil }
    let copy = Migrations.copyPath(of: database, before: version + 1)
    _ = try Snapshot.create(of: folder, to: copy, replaces: true, preservesLayout: true, at: now)
    for earlier in (1...version).map({ Migrations.copyPath(of: database, before: $0) }) {
      try? FileManager.default.removeItem(atPath: earlier)
    }
    // Without this file, an interrupted migration would be treated as two migrations.
    try? Data("\(version)\n".utf8).write(to: URL(fileURLWithPath: recordFile(folder)), options: .atomic)
    return copy
  }

  /// Records that the migrations of a folder's database are complete.
  package static func finish(in folder: String) { try? FileManager.default.removeItem(atPath: recordFile(folder)) }

  /// Returns the path of the file with the version before an unfinished migration.
  private static func recordFile(_ folder: String) -> String { folder + "/migration-unfinished" }

  /// Returns the copy from before an interrupted migration that produced the current version; `nil`: there is none.
  private static func interrupted(in folder: String, at version: Int) -> String? {
    let files = FileManager.default
    guard let text = files.contents(atPath: recordFile(folder)),
      let first = Int(String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)), first > 0,
      first < version
    else { return nil }
    let copy = Migrations.copyPath(of: folder + "/godwit.sqlite", before: first + 1)
    return files.fileExists(atPath: copy) ? copy : nil
  }
}
