/// The schema of journals that development builds wrote, as far as ``JournalConversion`` needs it.
enum FormerJournalSchema {
  /// The newest version.
  static let version: Int64 = 3

  /// The migrations from version 1 to 2, and from 2 to 3.
  static let steps = [
    """
    -- The state of the device changes rarely: one row, with the number of the first record that has it.
    CREATE TABLE contexts (
      id INTEGER PRIMARY KEY,
      context TEXT NOT NULL,           -- JSON
      extras TEXT                      -- JSON object of what has no place of its own
    ) STRICT;
    CREATE TABLE lean_records (
      sequence INTEGER PRIMARY KEY,
      recorded REAL NOT NULL,
      kind INTEGER NOT NULL,
      time REAL NOT NULL,
      latitude REAL, longitude REAL,
      horizontal_accuracy REAL, altitude REAL, vertical_accuracy REAL,
      speed REAL, speed_accuracy REAL, course REAL, course_accuracy REAL,
      context INTEGER NOT NULL,
      detail TEXT
    ) STRICT;
    INSERT INTO contexts (id, context, extras)
      SELECT sequence, json_object('batteryLevel', battery_level, 'batteryState', battery_state, 'motion', motion,
        'wifi', wifi, 'tripID', trip, 'deviceID', device_id, 'uniqueID', unique_id), extras FROM records;
    INSERT INTO lean_records
      SELECT sequence, recorded, kind, time, latitude, longitude, horizontal_accuracy, altitude, vertical_accuracy,
        speed, speed_accuracy, course, course_accuracy, sequence, detail FROM records;
    DROP TABLE records;
    ALTER TABLE lean_records RENAME TO records;

    CREATE TABLE ledger (
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
    """,
    """
    -- Seconds for which trackers had used this file when the row was written. The age of earlier records is unknown: they
    -- count as new.
    ALTER TABLE records ADD COLUMN lived INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE set_aside ADD COLUMN lived INTEGER NOT NULL DEFAULT 0;

    -- An existing endpoint keeps its identifier and its sequence numbers.
    ALTER TABLE cursors ADD COLUMN identifier INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE cursors ADD COLUMN number INTEGER NOT NULL DEFAULT 0;   -- sequence number of the last record that was sent
    ALTER TABLE cursors ADD COLUMN covered INTEGER NOT NULL DEFAULT 0;  -- sequence numbers up to here are in an acknowledged range
    ALTER TABLE cursors ADD COLUMN dialect INTEGER NOT NULL DEFAULT 0;  -- 0 never answered, 1 Godwit's, 2 another
    UPDATE cursors SET
      identifier = (SELECT value FROM meta WHERE key = 'journal'), number = acknowledged,
      covered = coalesce(
        (SELECT CAST(substr(value, 1, instr(value, '-') - 1) AS INTEGER) - 1 FROM notes
          WHERE key = 'passed_over ' || endpoint
            AND CAST(substr(value, instr(value, '-') + 1) AS INTEGER) = cursors.acknowledged), acknowledged);
    DELETE FROM notes WHERE key LIKE 'passed\\_over %' ESCAPE '\\';
    INSERT INTO meta (key, value) VALUES ('endpoint_key', random());

    -- Records that were removed before an endpoint acknowledged them.
    CREATE TABLE losses (
      id INTEGER PRIMARY KEY,
      endpoint TEXT NOT NULL,
      reason TEXT NOT NULL,            -- age, size
      time REAL NOT NULL,              -- when the last of them was removed
      first REAL NOT NULL,             -- when the first of them was recorded
      last REAL NOT NULL,
      count INTEGER NOT NULL
    ) STRICT;
    """,
  ]
}
