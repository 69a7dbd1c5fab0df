internal import Foundation
internal import GodwitSQLite

/// The migrations of the file of regions. Version 1 has all tables; later versions are appended and never edited.
enum RegionStorageSchema {
  /// The number in the header of the file: "GdwR".
  static let applicationID: Int32 = 0x4764_7752

  static let migrations = Migrations(
    [
      Migrations.Step(
        "version 1",
        """
        CREATE TABLE regions (
          id TEXT PRIMARY KEY,
          hash BLOB NOT NULL,              -- the region's part of the digest
          name TEXT NOT NULL,
          latitude REAL, longitude REAL, radius REAL,
          tags TEXT NOT NULL,              -- separated by U+001F
          dwell REAL,
          detail TEXT                      -- the whole region as JSON, where it is more than a circle
        ) STRICT, WITHOUT ROWID;

        -- Pages of a sync that is not complete.
        CREATE TABLE staged_regions (
          id TEXT PRIMARY KEY,
          removed INTEGER NOT NULL,
          hash BLOB NOT NULL,
          name TEXT NOT NULL,
          latitude REAL, longitude REAL, radius REAL,
          tags TEXT NOT NULL,
          dwell REAL,
          detail TEXT
        ) STRICT, WITHOUT ROWID;

        -- Cursor, epoch and digest of the active regions, cursor of the staged pages, and the state of `RegionWatch`.
        CREATE TABLE stored_values (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

        -- Events that are not in the journal yet. IDs are never reused.
        CREATE TABLE events (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          event TEXT NOT NULL              -- JSON
        ) STRICT;
        """),
      .pageChecksums,
    ], applicationID: applicationID, conversion: { "Convert it into a new file: godwit convert \($0) NEW-FILE." })

  /// The columns of a region.
  static let columns = "id, hash, name, latitude, longitude, radius, tags, dwell, detail"
}

/// Converts a file of regions that a development build wrote: the regions, and the events that are not in the journal yet. The
/// next sync reads all regions again.
package enum RegionStorageConversion {
  /// Whether a development build wrote a file.
  package static func isFormer(_ path: String) -> Bool {
    guard let database = try? Database(path: path, access: .readOnly) else { return false }
    return (try? isFormer(database)) ?? false
  }

  private static func isFormer(_ database: Database) throws -> Bool {
    try database.integer("PRAGMA application_id") == 0 && database.integer("PRAGMA user_version") == 1
      && database.integer("SELECT count(*) FROM sqlite_master WHERE name IN ('regions', 'staged', 'events', 'notes')") == 4
  }

  /// Writes a new file with the data of a former one.
  /// - Parameters:
  ///   - source: the former file. It is not changed.
  ///   - target: the new file. It must not exist.
  /// - Throws: `SQLiteError`; the new file is incomplete then.
  package static func convert(from source: String, to target: String) throws {
    let copy = target + ".former"
    try? FileManager.default.removeItem(atPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try Database(path: source, access: .readOnly).copy(to: copy)
    let database = try Database(path: target)
    try RegionStorageSchema.migrations.apply(to: database)
    try database.run("ATTACH DATABASE ? AS former", copy)
    try database.transaction {
      try database.execute(
        """
        INSERT INTO regions (\(RegionStorageSchema.columns)) SELECT \(RegionStorageSchema.columns) FROM former.regions;
        INSERT INTO events (number, event) SELECT number, event FROM former.events;
        INSERT INTO stored_values (key, value) SELECT key, value FROM former.notes
          WHERE key NOT IN ('cursor', 'epoch', 'tag', 'query', 'digest') AND key NOT LIKE 'staged%';
        """)
    }
    try database.execute("DETACH DATABASE former")
  }
}
