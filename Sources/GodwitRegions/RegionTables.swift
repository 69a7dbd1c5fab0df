internal import GodwitSQLite

/// The tables of regions, and of the devices that receive them.
package enum RegionTables {
  /// The tables of SQLite.
  package static let sqlite = """
    -- Clustered by the revision: changes after a device's cursor are in adjacent pages, in the order of its requests.
    CREATE TABLE regions (
      revision INTEGER PRIMARY KEY,   -- revision of the last change
      id TEXT NOT NULL UNIQUE,
      created_revision INTEGER NOT NULL, -- revision of the creation
      changed INTEGER NOT NULL,
      tags TEXT NOT NULL,             -- separated by U+001F
      former_tags TEXT NOT NULL,      -- earlier lists of tags, separated by U+001E
      hash BLOB,                      -- hash of ID and JSON; NULL: deleted
      south REAL, north REAL, west REAL, east REAL,
      json BLOB                       -- as our API writes it; NULL: deleted
    ) STRICT;
    CREATE INDEX regions_by_place ON regions (south, north, west, east) WHERE south IS NOT NULL;

    CREATE TABLE region_tags (
      tag TEXT NOT NULL,
      id TEXT NOT NULL,
      PRIMARY KEY (tag, id)
    ) STRICT, WITHOUT ROWID;

    -- One row for each transaction that changed regions. A cursor contains the row's random mark. After the restore of a
    -- backup new rows have other marks, so that a device with a newer cursor than the backup starts a full sync.
    CREATE TABLE region_changes (
      last INTEGER PRIMARY KEY,       -- the highest revision of the transaction
      time INTEGER NOT NULL,
      nonce INTEGER NOT NULL          -- by chance
    ) STRICT;

    CREATE TABLE region_status (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      epoch TEXT NOT NULL,
      revision INTEGER NOT NULL,
      horizon INTEGER NOT NULL,       -- deletions up to this revision have been removed
      rules INTEGER NOT NULL,         -- number of changes of the rules below
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

    -- The last answer to each device's sync.
    CREATE TABLE region_syncs (
      device INTEGER PRIMARY KEY REFERENCES devices (id),
      time INTEGER NOT NULL,
      scope TEXT NOT NULL,
      revision INTEGER NOT NULL,
      digest BLOB NOT NULL,
      count INTEGER NOT NULL,
      requested TEXT NOT NULL         -- what the device itself asked for, JSON
    ) STRICT;
    """

  /// The tables of PostgreSQL.
  package static let postgres = """
    CREATE TABLE regions (
      revision BIGINT PRIMARY KEY,
      id TEXT COLLATE "C" NOT NULL UNIQUE,
      created_revision BIGINT NOT NULL,
      changed BIGINT NOT NULL,
      tags TEXT COLLATE "C" NOT NULL,
      former_tags TEXT COLLATE "C" NOT NULL,
      hash BYTEA,
      south DOUBLE PRECISION, north DOUBLE PRECISION, west DOUBLE PRECISION, east DOUBLE PRECISION,
      json BYTEA
    );
    CREATE INDEX regions_by_place ON regions (south, north, west, east) WHERE south IS NOT NULL;

    CREATE TABLE region_tags (
      tag TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (tag, id)
    );

    CREATE TABLE region_changes (
      last BIGINT PRIMARY KEY,
      time BIGINT NOT NULL,
      nonce BIGINT NOT NULL
    );

    CREATE TABLE region_status (
      one BIGINT PRIMARY KEY CHECK (one = 1),
      epoch TEXT NOT NULL,
      revision BIGINT NOT NULL,
      horizon BIGINT NOT NULL,
      rules BIGINT NOT NULL,
      digest BYTEA NOT NULL,
      count BIGINT NOT NULL
    );
    INSERT INTO region_status
      VALUES (1, substr(md5(gen_random_uuid()::text), 1, 16), 0, 0, 0, decode(repeat('00', 16), 'hex'), 0);

    CREATE TABLE region_rules (
      device BIGINT PRIMARY KEY REFERENCES devices (id),
      changed BIGINT NOT NULL,
      rule TEXT NOT NULL
    );
    CREATE TABLE region_groups (
      name TEXT COLLATE "C" PRIMARY KEY,
      changed BIGINT NOT NULL,
      rule TEXT NOT NULL
    );

    CREATE TABLE region_syncs (
      device BIGINT PRIMARY KEY REFERENCES devices (id),
      time BIGINT NOT NULL,
      scope TEXT COLLATE "C" NOT NULL,
      revision BIGINT NOT NULL,
      digest BYTEA NOT NULL,
      count BIGINT NOT NULL,
      requested TEXT NOT NULL
    );
    -- Finds the newest rows, which are read every second.
    CREATE INDEX region_syncs_by_time ON region_syncs (time);
    """
}
