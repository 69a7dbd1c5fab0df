internal import GodwitSQLite

/// The migrations of the regions file. Steps are appended, never edited.
enum RegionStorageSchema {
  static let migrations = Migrations([
    Migrations.Step(
      "regions, staged pages, events",
      """
      CREATE TABLE regions (
        id TEXT PRIMARY KEY,
        hash BLOB NOT NULL,              -- its part of the digest
        name TEXT NOT NULL,
        latitude REAL, longitude REAL, radius REAL,
        tags TEXT NOT NULL,              -- with U+001F between them
        dwell REAL,
        detail TEXT                      -- the whole region as JSON, where it is more than a circle
      ) STRICT, WITHOUT ROWID;

      -- Pages of a sync that is not complete.
      CREATE TABLE staged (
        id TEXT PRIMARY KEY,
        removed INTEGER NOT NULL,
        hash BLOB NOT NULL,
        name TEXT NOT NULL,
        latitude REAL, longitude REAL, radius REAL,
        tags TEXT NOT NULL,
        dwell REAL,
        detail TEXT
      ) STRICT, WITHOUT ROWID;

      -- Cursor, epoch and digest of what is used, the cursor of what is staged, and what the watch remembers.
      CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

      -- Events that the journal has not got yet. Numbers are never used twice.
      CREATE TABLE events (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        event TEXT NOT NULL              -- JSON
      ) STRICT;
      """)
  ])

  /// The columns of a region.
  static let columns = "id, hash, name, latitude, longitude, radius, tags, dwell, detail"
}
