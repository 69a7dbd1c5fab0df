package import Foundation
package import GodwitSQLite

/// A copy of the embedded database from before a newer program migrates it, for a return to the older program.
package enum MigrationCopy {
  /// Copies a folder's database if the migrations would change it. The copy of an earlier migration is removed.
  ///
  /// Without space for a copy there is none: an update must not need twice the disk.
  /// - Throws: what the file system or the database refuse. A damaged database is not migrated.
  package static func create(of folder: String, before migrations: Migrations, at now: Date) throws {
    let database = folder + "/godwit.sqlite"
    guard let version = try migrations.outdatedVersion(of: database), hasSpace(for: database) else { return }
    let copy = Migrations.copyPath(of: database, before: version + 1)
    _ = try Snapshot.create(of: folder, to: copy, replaces: true, preservesLayout: true, at: now)
    for earlier in (1...version).map({ Migrations.copyPath(of: database, before: $0) }) {
      try? FileManager.default.removeItem(atPath: earlier)
    }
  }

  /// Whether the copy, and as much again for the migration, fits.
  private static func hasSpace(for file: String) -> Bool {
    let files = FileManager.default
    let size = ["", "-wal"].reduce(0) { size, suffix in
      size + ((try? files.attributesOfItem(atPath: file + suffix)[.size] as? NSNumber)?.int64Value ?? 0)
    }
    let free = (try? files.attributesOfFileSystem(forPath: file)[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
    return free / 2 > size
  }
}
