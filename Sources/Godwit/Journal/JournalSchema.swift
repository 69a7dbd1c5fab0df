internal import GodwitSQLite

/// The history of the journal's file. Steps are appended, never edited.
enum JournalSchema {
  static let migrations = Migrations([
    Migrations.Step(
      "records, cursors, set aside",
      """
      -- One append touches the last page of this table and nothing else.
      CREATE TABLE records (
        sequence INTEGER PRIMARY KEY,
        recorded REAL NOT NULL,          -- when it was appended; all times: seconds since 1970
        kind INTEGER NOT NULL,           -- 0 fix; others: see detail
        time REAL NOT NULL,
        latitude REAL, longitude REAL,
        horizontal_accuracy REAL, altitude REAL, vertical_accuracy REAL,
        speed REAL, speed_accuracy REAL, course REAL, course_accuracy REAL,
        battery_level REAL, battery_state INTEGER, motion INTEGER NOT NULL,
        wifi TEXT, trip TEXT, device_id TEXT, unique_id TEXT,
        extras TEXT,
        detail TEXT                      -- JSON of a visit, a trip or an action
      ) STRICT;

      CREATE TABLE cursors (
        endpoint TEXT PRIMARY KEY,
        acknowledged INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Records that an endpoint will never take. They stay in `records`.
      CREATE TABLE set_aside (
        endpoint TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        reason TEXT NOT NULL,
        time REAL NOT NULL,
        PRIMARY KEY (endpoint, sequence)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      """)
  ])

  /// When the oldest record that waits was appended: the first one after a number.
  static let oldest = "SELECT recorded FROM records WHERE sequence >= ? ORDER BY sequence LIMIT 1"
}
