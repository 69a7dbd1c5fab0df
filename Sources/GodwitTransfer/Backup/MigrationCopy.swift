package import Foundation
package import GodwitSQLite

/// A copy of the embedded database from before a newer program migrates it, for a return to the older program.
package enum MigrationCopy {
  /// Copies a folder's database if the migrations would change it. The copy of an earlier migration is removed. If the last migration was
  /// interrupted, its copy stays, and there is no other one: the older program opens only that.
  ///
  /// Without space for a copy there is none: an update must not need twice the disk.
  /// - Parameters:
  ///   - folder: the data folder.
  ///   - migrations: those of the database.
  ///   - now: the time.
  ///   - free: returns the free bytes of the disk of a path; `nil`: not known.
  /// - Returns: the path of the copy; `nil`: there is none.
  /// - Throws: what the file system or the database refuse. A damaged database is not migrated.
  @discardableResult
  package static func create(
    of folder: String, before migrations: Migrations, at now: Date, free: (String) -> Int64? = DiskSpace.free
  ) throws -> String? {
    let database = folder + "/godwit.sqlite"
    guard let version = try migrations.outdatedVersion(of: database) else { return nil }
    if let copy = interrupted(in: folder, at: version) { return copy }
    // The copy, and as much again for the migration.
    guard (free(database) ?? 0) / 2 > DiskSpace.size(ofDatabase: database) else { return nil }
    let copy = Migrations.copyPath(of: database, before: version + 1)
    _ = try Snapshot.create(of: folder, to: copy, replaces: true, preservesLayout: true, at: now)
    for earlier in (1...version).map({ Migrations.copyPath(of: database, before: $0) }) {
      try? FileManager.default.removeItem(atPath: earlier)
    }
    // Without this file an interrupted migration is taken for two.
    try? Data("\(version)\n".utf8).write(to: URL(fileURLWithPath: recordFile(folder)), options: .atomic)
    return copy
  }

  /// Records that the migrations of a folder's database are complete.
  package static func finish(in folder: String) { try? FileManager.default.removeItem(atPath: recordFile(folder)) }

  /// Has the version before an unfinished migration.
  private static func recordFile(_ folder: String) -> String { folder + "/migration-unfinished" }

  /// The copy from before an interrupted migration that has made the present version; `nil`: there is none.
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
