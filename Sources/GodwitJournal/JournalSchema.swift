internal import GodwitSQLite

/// The migrations of the journal. Version 1 has all tables; later versions are appended and never edited.
///
/// All times are seconds since 1970.
package enum JournalSchema {
  /// The number in the header of the file: "GdwJ".
  static let applicationID: Int32 = 0x4764_774A

  static let migrations = Migrations(
    [
      Migrations.Step(
        "version 1",
        """
        -- One append changes the last page of this table and no other page.
        CREATE TABLE records (
          sequence INTEGER PRIMARY KEY,
          recorded REAL NOT NULL,          -- when it was appended
          kind INTEGER NOT NULL,           -- 0 fix; others: see detail
          time REAL NOT NULL,
          latitude REAL, longitude REAL,
          horizontal_accuracy REAL, altitude REAL, vertical_accuracy REAL,
          speed REAL, speed_accuracy REAL, course REAL, course_accuracy REAL,
          context INTEGER NOT NULL,
          detail TEXT,                     -- JSON of a visit, a trip or an action
          uptime INTEGER NOT NULL DEFAULT 0  -- seconds that trackers had run with this file when it was appended
        ) STRICT;

        -- The state of the device changes rarely: one row, with the number of the first record that has it.
        CREATE TABLE contexts (
          id INTEGER PRIMARY KEY,
          context TEXT NOT NULL,           -- JSON
          extras TEXT                      -- JSON object of members without a column
        ) STRICT;

        CREATE TABLE cursors (
          endpoint TEXT PRIMARY KEY,
          acknowledged INTEGER NOT NULL,
          identifier INTEGER NOT NULL DEFAULT 0,  -- identifies the journal at the endpoint
          number INTEGER NOT NULL DEFAULT 0,      -- the last sequence number that was assigned for the endpoint
          covered INTEGER NOT NULL DEFAULT 0,     -- sequence numbers up to here are in an acknowledged range
          dialect INTEGER NOT NULL DEFAULT 0      -- 0 no answer yet, 1 Godwit's, 2 another
        ) STRICT, WITHOUT ROWID;

        -- Records that an endpoint rejected. They stay in `records`.
        CREATE TABLE quarantined_records (
          endpoint TEXT NOT NULL,
          sequence INTEGER NOT NULL,
          reason TEXT NOT NULL,
          time REAL NOT NULL,
          uptime INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (endpoint, sequence)
        ) STRICT, WITHOUT ROWID;

        -- Records that were removed before an endpoint acknowledged them.
        CREATE TABLE lost_records (
          id INTEGER PRIMARY KEY,
          endpoint TEXT NOT NULL,
          reason TEXT NOT NULL,            -- age, size
          time REAL NOT NULL,              -- when the last of them was removed
          first REAL NOT NULL,             -- when the first of them was recorded
          last REAL NOT NULL,
          count INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE coverage (
          start INTEGER PRIMARY KEY,       -- minutes since 1970
          minutes INTEGER NOT NULL,
          reason TEXT NOT NULL,
          fixes INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE settings_changes (
          id INTEGER PRIMARY KEY,
          time REAL NOT NULL,
          source TEXT NOT NULL,            -- owner, server NAME, rollback NAME
          name TEXT NOT NULL,
          old TEXT NOT NULL, new TEXT NOT NULL
        ) STRICT;

        CREATE TABLE usage (
          endpoint TEXT PRIMARY KEY,
          day INTEGER NOT NULL,            -- days since 1970, UTC
          bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE stored_values (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """),
      .pageChecksums,
    ], applicationID: applicationID,
    conversion: { "Convert it into a new file: godwit convert \($0) NEW-FILE. An app calls JournalConversion.convert(from:to:)." }
  )

  /// Opens the file, unless a development build wrote it.
  static func open(_ path: String) throws -> Database {
    try migrations.checkHeader(of: path)
    return try Database(path: path, syncsAll: false)
  }

  /// Selects the time at which the first record from a sequence number on was appended.
  static let oldest = "SELECT recorded FROM records WHERE sequence >= ? ORDER BY sequence LIMIT 1"
}
