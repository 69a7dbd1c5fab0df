package import GodwitSQLite

/// The first migrations of the embedded database: devices, points and events. The program continues the list, because
/// the steps of all features share one order. Steps are appended, never edited.
package enum StoreSchema {
  package static let steps: [Migrations.Step] = [
    Migrations.Step(
      "devices, tokens and points",
      """
      CREATE TABLE devices (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        created INTEGER NOT NULL,       -- all times: milliseconds since 1970, UTC
        last_contact INTEGER
      ) STRICT;

      CREATE TABLE tokens (
        hash BLOB PRIMARY KEY,          -- BLAKE2b of the secret; the secret itself is nowhere
        device INTEGER NOT NULL REFERENCES devices (id),
        created INTEGER NOT NULL,
        revoked INTEGER
      ) STRICT, WITHOUT ROWID;

      -- What many records share: a row once, a number in each record.
      CREATE TABLE contexts (
        id INTEGER PRIMARY KEY,
        wifi TEXT, trip TEXT, device_id TEXT, unique_id TEXT
      ) STRICT;

      CREATE INDEX contexts_by_value ON contexts (device_id, wifi, trip, unique_id);

      CREATE TABLE journals (
        id INTEGER PRIMARY KEY,
        device INTEGER NOT NULL REFERENCES devices (id),
        journal INTEGER NOT NULL,       -- the 64 bits of RecordID.journal
        UNIQUE (device, journal)
      ) STRICT;

      -- Clustered by its key: a device's day lies together, and a point that is there already is found by
      -- the same search that would insert it.
      CREATE TABLE points (
        device INTEGER NOT NULL,
        time INTEGER NOT NULL,
        latitude INTEGER NOT NULL,      -- 1e-7 degrees
        longitude INTEGER NOT NULL,     -- 1e-7 degrees
        altitude INTEGER,               -- cm
        horizontal_accuracy INTEGER,    -- cm
        vertical_accuracy INTEGER,      -- cm
        speed INTEGER,                  -- cm/s
        speed_accuracy INTEGER,         -- cm/s
        course INTEGER,                 -- 0.01 degrees
        course_accuracy INTEGER,        -- 0.01 degrees
        battery_level INTEGER,          -- 0.01 %
        battery_state INTEGER,
        motion INTEGER,
        context INTEGER,
        journal INTEGER,
        sequence INTEGER,
        received INTEGER NOT NULL,
        extras TEXT,                    -- JSON: what the sender said beyond these columns
        PRIMARY KEY (device, time, latitude, longitude)
      ) STRICT, WITHOUT ROWID;

      -- Visits, trips and actions: few, and of many shapes.
      CREATE TABLE events (
        device INTEGER NOT NULL,
        kind TEXT NOT NULL,             -- visit, trip, action
        time INTEGER NOT NULL,          -- visit: arrival (or departure, where the arrival is unknown); trip: start
        discriminator TEXT NOT NULL,
        received INTEGER NOT NULL,
        ended INTEGER NOT NULL,         -- 1: a visit with its departure, which replaces one without
        record TEXT NOT NULL,           -- JSON
        PRIMARY KEY (device, kind, time, discriminator)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE refusals (
        id INTEGER PRIMARY KEY,
        device INTEGER NOT NULL,
        received INTEGER NOT NULL,
        place TEXT NOT NULL,
        reason TEXT NOT NULL,
        raw BLOB NOT NULL
      ) STRICT;
      CREATE INDEX refusals_by_device ON refusals (device, received);
      """),
    Migrations.Step(
      "count points as they come",
      """
      -- Counting a device's points reads all of them, which is seconds for some years at one a second.
      ALTER TABLE devices ADD COLUMN points INTEGER NOT NULL DEFAULT 0;
      UPDATE devices SET points = (SELECT count(*) FROM points WHERE device = devices.id);
      """),
    Migrations.Step(
      "which numbers of a journal have come",
      """
      ALTER TABLE journals ADD COLUMN since INTEGER;   -- the first number that was meant for this server
      -- What uploads covered, merged: what lies between two rows was missed.
      CREATE TABLE ranges (
        journal INTEGER NOT NULL REFERENCES journals (id),
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        PRIMARY KEY (journal, first)
      ) STRICT, WITHOUT ROWID;
      """),
  ]

  /// A later step; the program decides its place in the list.
  package static let compactPoints = CompactPoints.step
}
