package import GodwitSQLite

/// The tables of device health: rejected records until they are resolved, covered ranges with their times, and expected
/// contacts.
package enum MissingTables {
  private static let name = "what is missing"

  package static let step = Migrations.Step(
    name,
    """
    ALTER TABLE refusals ADD COLUMN protocol TEXT;    -- whose words it is in; NULL: it came before that was kept
    ALTER TABLE refusals ADD COLUMN origin TEXT;      -- JSON: what else it takes to read it again
    ALTER TABLE refusals ADD COLUMN size INTEGER;     -- bytes of all of it; NULL: those of raw
    ALTER TABLE refusals ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE refusals ADD COLUMN tried INTEGER;
    ALTER TABLE refusals ADD COLUMN solved INTEGER;
    -- What was too much to be kept.
    CREATE TABLE refusal_drops (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      dropped INTEGER NOT NULL
    ) STRICT;

    -- When the upload came that covered the first number of a range, and the one that covered the last.
    ALTER TABLE ranges ADD COLUMN began INTEGER;
    ALTER TABLE ranges ADD COLUMN ended INTEGER;

    -- What the owner says of a device's silence.
    CREATE TABLE watch_rules (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      threshold INTEGER,              -- milliseconds; NULL: the server reckons
      notices INTEGER NOT NULL        -- 0: nobody is told
    ) STRICT;
    -- Devices that are silent for longer than can be explained.
    CREATE TABLE silences (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      since INTEGER NOT NULL,         -- the contact after which nothing came
      noticed INTEGER NOT NULL,
      told INTEGER NOT NULL           -- 1: there was a notice
    ) STRICT;
    -- Hours (UTC) in which a device was heard, and the longest silence that began in each.
    CREATE TABLE heard_hours (
      device INTEGER NOT NULL,
      day INTEGER NOT NULL,           -- since 1970
      hour INTEGER NOT NULL,
      began INTEGER,                  -- of that silence
      length INTEGER NOT NULL,        -- milliseconds
      PRIMARY KEY (device, day, hour)
    ) STRICT, WITHOUT ROWID;
    -- When no server was there to hear anybody.
    CREATE TABLE outages (
      began INTEGER PRIMARY KEY,
      ended INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE watch_status (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      seen INTEGER NOT NULL           -- when a server was last known to be there
    ) STRICT;
    """)

  /// Migration of PostgreSQL.
  package static let postgres = Migrations.Step(
    name,
    """
    ALTER TABLE refusals ADD COLUMN protocol TEXT COLLATE "C", ADD COLUMN origin TEXT, ADD COLUMN size BIGINT,
      ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0, ADD COLUMN tried BIGINT, ADD COLUMN solved BIGINT;
    CREATE TABLE refusal_drops (device BIGINT PRIMARY KEY REFERENCES devices (id), dropped BIGINT NOT NULL);
    ALTER TABLE ranges ADD COLUMN began BIGINT, ADD COLUMN ended BIGINT;
    CREATE TABLE watch_rules (
      device BIGINT PRIMARY KEY REFERENCES devices (id), threshold BIGINT, notices BIGINT NOT NULL);
    CREATE TABLE silences (
      device BIGINT PRIMARY KEY REFERENCES devices (id), since BIGINT NOT NULL, noticed BIGINT NOT NULL, told BIGINT NOT NULL);
    CREATE TABLE heard_hours (
      device BIGINT NOT NULL, day BIGINT NOT NULL, hour BIGINT NOT NULL, began BIGINT, length BIGINT NOT NULL,
      PRIMARY KEY (device, day, hour));
    CREATE TABLE outages (began BIGINT PRIMARY KEY, ended BIGINT NOT NULL);
    CREATE TABLE watch_status (one BIGINT PRIMARY KEY CHECK (one = 1), seen BIGINT NOT NULL);
    """)
}
