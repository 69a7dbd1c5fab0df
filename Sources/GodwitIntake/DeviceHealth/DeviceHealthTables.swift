internal import GodwitSQLite

/// The tables of device health: rejected records until they are resolved, covered ranges with their times, and expected
/// contacts.
package enum DeviceHealthTables {
  package static let sqlite = """
    -- What was too much to be kept.
    CREATE TABLE rejected_drops (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      dropped INTEGER NOT NULL
    ) STRICT;

    -- What the user says of a device's silence.
    CREATE TABLE heartbeat_rules (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      threshold INTEGER,              -- milliseconds; NULL: the server reckons
      notify INTEGER NOT NULL         -- 0: nobody is told
    ) STRICT;
    -- Devices that are silent for longer than can be explained.
    CREATE TABLE offline_devices (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      since INTEGER NOT NULL,         -- the contact after which nothing came
      detected INTEGER NOT NULL,
      notified INTEGER NOT NULL       -- 1: there was a notice
    ) STRICT;
    -- Hours (UTC) in which a device was heard, and the longest silence that began in each.
    CREATE TABLE contact_hours (
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
    CREATE TABLE heartbeat_status (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      seen INTEGER NOT NULL           -- when a server was last known to be there
    ) STRICT;
    """

  /// The same for PostgreSQL.
  package static let postgres = """
    CREATE TABLE rejected_drops (device BIGINT PRIMARY KEY REFERENCES devices (id), dropped BIGINT NOT NULL);
    CREATE TABLE heartbeat_rules (
      device BIGINT PRIMARY KEY REFERENCES devices (id), threshold BIGINT, notify BIGINT NOT NULL);
    CREATE TABLE offline_devices (
      device BIGINT PRIMARY KEY REFERENCES devices (id), since BIGINT NOT NULL, detected BIGINT NOT NULL, notified BIGINT NOT NULL);
    CREATE TABLE contact_hours (
      device BIGINT NOT NULL, day BIGINT NOT NULL, hour BIGINT NOT NULL, began BIGINT, length BIGINT NOT NULL,
      PRIMARY KEY (device, day, hour));
    CREATE TABLE outages (began BIGINT PRIMARY KEY, ended BIGINT NOT NULL);
    CREATE TABLE heartbeat_status (one BIGINT PRIMARY KEY CHECK (one = 1), seen BIGINT NOT NULL);
    """
}
