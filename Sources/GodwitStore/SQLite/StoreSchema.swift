/// The tables of devices, points and events in the embedded database, as SQL statements. The program that opens the store combines
/// them with the tables of all features to version 1 of the schema.
///
/// All times are milliseconds since 1970, UTC.
package enum StoreSchema {
  package static let sqlite = """
    CREATE TABLE devices (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      created INTEGER NOT NULL,
      last_contact INTEGER,
      points INTEGER NOT NULL DEFAULT 0  -- a count of the rows would read all of them
    ) STRICT;

    CREATE TABLE device_tokens (
      hash BLOB PRIMARY KEY,          -- SHA-256 of the secret; BLAKE2b for tokens of converted stores
      device INTEGER NOT NULL REFERENCES devices (id),
      created INTEGER NOT NULL,
      revoked INTEGER,
      parent INTEGER                  -- the access token that created it; NULL: a person
    ) STRICT, WITHOUT ROWID;

    -- Values that many records share: one row, and its ID in each record.
    CREATE TABLE contexts (
      id INTEGER PRIMARY KEY,
      wifi TEXT, trip TEXT, device_id TEXT, unique_id TEXT,
      journal INTEGER,                -- ID in the table `journals`
      battery_state INTEGER,
      motion INTEGER,
      import INTEGER,                 -- ID in the table `imports`
      retired INTEGER                 -- 1: new records do not refer to it; it is deleted with the last reference
    ) STRICT;
    CREATE INDEX contexts_by_value ON contexts
      (journal, device_id, wifi, trip, unique_id, motion, battery_state, import);
    CREATE INDEX contexts_by_import ON contexts (import) WHERE import IS NOT NULL;

    CREATE TABLE journals (
      id INTEGER PRIMARY KEY,
      device INTEGER NOT NULL REFERENCES devices (id),
      journal INTEGER NOT NULL,       -- the 64 bits of RecordID.journal
      since INTEGER,                  -- the first sequence number that was assigned for this server
      UNIQUE (device, journal)
    ) STRICT;

    -- Merged ranges of received sequence numbers. Numbers between two rows are missing.
    CREATE TABLE received_ranges (
      journal INTEGER NOT NULL REFERENCES journals (id),
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      began INTEGER,                  -- when the upload with the first number arrived
      ended INTEGER,                  -- when the upload with the last number arrived
      PRIMARY KEY (journal, first)
    ) STRICT, WITHOUT ROWID;

    -- Clustered by its key: a device's day is in adjacent pages, and a duplicate is found by the search that would insert it.
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
      context INTEGER,
      sequence INTEGER,
      delay INTEGER NOT NULL,         -- seconds from its time to its arrival, rounded down
      extras TEXT,                    -- JSON: members without a column
      PRIMARY KEY (device, time, latitude, longitude)
    ) STRICT, WITHOUT ROWID;

    -- Visits, trips, actions and region events, as JSON, because they are few and have different members.
    CREATE TABLE events (
      device INTEGER NOT NULL,
      kind TEXT NOT NULL,             -- visit, trip, action
      time INTEGER NOT NULL,          -- visit: arrival (or departure, where the arrival is unknown); trip: start
      discriminator TEXT NOT NULL,
      received INTEGER NOT NULL,
      ended INTEGER NOT NULL,         -- 1: a visit with its departure, which replaces one without
      record TEXT NOT NULL,           -- JSON
      import INTEGER,
      PRIMARY KEY (device, kind, time, discriminator)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX events_by_import ON events (import) WHERE import IS NOT NULL;

    CREATE TABLE rejected_records (
      id INTEGER PRIMARY KEY,
      device INTEGER NOT NULL,
      received INTEGER NOT NULL,
      place TEXT NOT NULL,            -- position in the upload
      reason TEXT NOT NULL,
      raw BLOB NOT NULL,
      protocol TEXT,                  -- NULL: stored before this column existed
      origin TEXT,                    -- JSON: other values that a repeated attempt needs
      size INTEGER,                   -- bytes before truncation; NULL: `raw` is complete
      attempts INTEGER NOT NULL DEFAULT 0,
      last_attempt INTEGER,
      resolved INTEGER
    ) STRICT;
    CREATE INDEX rejected_records_by_device ON rejected_records (device, received);
    """
}
