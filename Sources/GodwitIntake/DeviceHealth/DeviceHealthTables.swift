internal import GodwitSQLite

/// The tables of device health: dropped rejected records, heartbeat rules, offline devices, hours with contacts, and outages of the
/// server.
package enum DeviceHealthTables {
  package static let sqlite = """
    -- Numbers of rejected records that exceeded the storage limit.
    CREATE TABLE rejected_drops (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      dropped INTEGER NOT NULL
    ) STRICT;

    -- Settings of a device's silence alarm.
    CREATE TABLE heartbeat_rules (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      threshold INTEGER,              -- milliseconds; NULL: the server computes it
      notify INTEGER NOT NULL         -- 0: no notices are sent
    ) STRICT;
    -- Devices with an active silence alarm.
    CREATE TABLE offline_devices (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      since INTEGER NOT NULL,         -- time of the last contact
      detected INTEGER NOT NULL,
      notified INTEGER NOT NULL       -- 1: there was a notice
    ) STRICT;
    -- Hours (UTC) with a contact of a device, and the longest silence that began in each.
    CREATE TABLE contact_hours (
      device INTEGER NOT NULL,
      day INTEGER NOT NULL,           -- since 1970
      hour INTEGER NOT NULL,
      began INTEGER,                  -- start of that silence
      length INTEGER NOT NULL,        -- milliseconds
      PRIMARY KEY (device, day, hour)
    ) STRICT, WITHOUT ROWID;
    -- Times without a running server.
    CREATE TABLE outages (
      began INTEGER PRIMARY KEY,
      ended INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE heartbeat_status (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      seen INTEGER NOT NULL           -- when a server was last known to be there
    ) STRICT;
    """

  /// The tables in PostgreSQL.
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
