internal import GodwitSQLite

/// The history of the embedded database. Steps are appended, never edited.
enum Schema {
  static let migrations = Migrations([
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
    Migrations.Step(
      "regions, and which device gets which",
      """
      -- Clustered by the revision: what changed after a device's cursor lies together, in the order of its pages.
      CREATE TABLE regions (
        revision INTEGER PRIMARY KEY,   -- of its last change
        id TEXT NOT NULL UNIQUE,
        born INTEGER NOT NULL,          -- the revision that it was made with
        changed INTEGER NOT NULL,
        tags TEXT NOT NULL,             -- between U+001F
        earlier TEXT NOT NULL,          -- the lists of tags that it had before, between U+001E
        hash BLOB,                      -- of id and JSON; NULL: deleted
        south REAL, north REAL, west REAL, east REAL,
        json BLOB                       -- as our API writes it; NULL: deleted
      ) STRICT;
      CREATE INDEX regions_by_place ON regions (south, north, west, east) WHERE south IS NOT NULL;

      CREATE TABLE region_tags (
        tag TEXT NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (tag, id)
      ) STRICT, WITHOUT ROWID;

      -- One row for each change of regions, however many it changed. A cursor carries the mark of its own: after a backup
      -- was put back, history goes on with other marks, and who was further than the backup is told to begin anew.
      CREATE TABLE region_changes (
        last INTEGER PRIMARY KEY,       -- the highest revision that it made
        time INTEGER NOT NULL,
        mark INTEGER NOT NULL           -- by chance
      ) STRICT;

      CREATE TABLE region_status (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        epoch TEXT NOT NULL,
        revision INTEGER NOT NULL,
        horizon INTEGER NOT NULL,       -- deletions up to this revision are forgotten
        rules INTEGER NOT NULL,         -- counts changes of the rules below
        digest BLOB NOT NULL,
        count INTEGER NOT NULL
      ) STRICT;
      INSERT INTO region_status VALUES (1, lower(hex(randomblob(8))), 0, 0, 0, zeroblob(16), 0);

      CREATE TABLE region_rules (
        device INTEGER PRIMARY KEY REFERENCES devices (id),
        changed INTEGER NOT NULL,
        rule TEXT NOT NULL              -- JSON
      ) STRICT;
      CREATE TABLE region_groups (
        name TEXT PRIMARY KEY,
        changed INTEGER NOT NULL,
        rule TEXT NOT NULL              -- JSON
      ) STRICT, WITHOUT ROWID;

      -- What each device was told last.
      CREATE TABLE region_syncs (
        device INTEGER PRIMARY KEY REFERENCES devices (id),
        time INTEGER NOT NULL,
        scope TEXT NOT NULL,
        revision INTEGER NOT NULL,
        digest BLOB NOT NULL,
        count INTEGER NOT NULL,
        wanted TEXT NOT NULL            -- what the device itself asked for, JSON
      ) STRICT;
      """),
    Migrations.Step(
      "region events, webhooks and their letters",
      """
      -- Events of regions, of devices and of the server, in the order in which they came.
      CREATE TABLE region_events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        device INTEGER NOT NULL,
        region TEXT NOT NULL,
        name TEXT NOT NULL UNIQUE,      -- evt_…: made of what happened, so that the same event has the same name for ever
        body TEXT NOT NULL              -- JSON, as readers and webhooks get it
      ) STRICT;
      CREATE INDEX region_events_by_device ON region_events (device, id);
      CREATE INDEX region_events_by_region ON region_events (region, id);

      -- Where a device is, as far as the server's own look at regions goes.
      CREATE TABLE presences (
        device INTEGER PRIMARY KEY,
        time INTEGER NOT NULL,          -- of the newest fix that was looked at
        stays TEXT NOT NULL             -- JSON: the regions that it is in, and since when
      ) STRICT;

      CREATE TABLE webhooks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        terms TEXT NOT NULL,            -- JSON: address, and which events
        secret TEXT NOT NULL,
        enabled INTEGER NOT NULL,
        note TEXT,                      -- why the server turned it off
        created INTEGER NOT NULL,
        delivered INTEGER               -- when a letter was last acknowledged
      ) STRICT;

      -- What a webhook is still to be told: written with the event, gone with the acknowledgement.
      CREATE TABLE letters (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        event INTEGER NOT NULL REFERENCES region_events (id),
        webhook INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
        device INTEGER NOT NULL,
        written INTEGER NOT NULL,
        due INTEGER NOT NULL,           -- of the next attempt
        attempts INTEGER NOT NULL DEFAULT 0,
        dead INTEGER,                   -- when it was given up; NULL: it waits
        problem TEXT,                   -- what the last attempt came to
        UNIQUE (event, webhook)
      ) STRICT;
      CREATE INDEX letters_waiting ON letters (webhook, device, id) WHERE dead IS NULL;
      CREATE INDEX letters_dead ON letters (webhook, id) WHERE dead IS NOT NULL;
      """),
    WebhookTables.step,
    LeanPoints.step,
    OverviewTables.step,
    AccountTables.step,
    SharingTables.step,
    AppTables.step,
    OverviewTables.stays,
    MissingTables.step,
    MQTTTables.step,
    ImportTables.step,
    TimelineTables.step,
    PlaceTables.step,
    AddressTable.step,
    TimelineTables.lean,
    StaleDays.inTurn,
    LivePositionTable.step,
    ImportTables.tracing,
    DeletionTables.step,
    ScopedTokenTable.parents,
    SecondFactorTable.step,
    SessionConfirmation.step,
    AccountNoticeTable.step,
  ])
}
