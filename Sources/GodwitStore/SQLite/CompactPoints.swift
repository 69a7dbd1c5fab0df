internal import GodwitSQLite

/// Points in a compact layout: rarely changing columns move to the contexts, and the time of receipt becomes a delay.
/// It saves ten of sixty-eight bytes and three columns.
enum CompactPoints {
  static let step = Migrations.Step(
    "points in fewer bytes",
    """
    ALTER TABLE contexts ADD COLUMN journal INTEGER;        -- of this server's table of journals
    ALTER TABLE contexts ADD COLUMN battery_state INTEGER;
    ALTER TABLE contexts ADD COLUMN motion INTEGER;
    DROP INDEX contexts_by_value;
    CREATE INDEX contexts_by_value ON contexts (journal, device_id, wifi, trip, unique_id, motion, battery_state);

    ALTER TABLE points RENAME TO wide_points;
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
      extras TEXT,                    -- JSON: what the sender said beyond these columns
      PRIMARY KEY (device, time, latitude, longitude)
    ) STRICT, WITHOUT ROWID;

    -- The contexts that the points have now, by what they had before.
    CREATE TEMP TABLE moved AS
      SELECT DISTINCT coalesce(context, -1) AS context, coalesce(journal, -1) AS journal,
        coalesce(battery_state, -1) AS battery_state, coalesce(motion, -1) AS motion, 0 AS id
      FROM wide_points
      WHERE context IS NOT NULL OR journal IS NOT NULL OR battery_state IS NOT NULL OR motion IS NOT NULL;
    UPDATE moved SET id = rowid + (SELECT coalesce(max(id), 0) FROM contexts);
    CREATE UNIQUE INDEX temp.moved_by_value ON moved (context, journal, battery_state, motion);
    INSERT INTO contexts (id, wifi, trip, device_id, unique_id, journal, battery_state, motion)
      SELECT moved.id, wifi, trip, device_id, unique_id, nullif(moved.journal, -1), nullif(moved.battery_state, -1),
        nullif(moved.motion, -1)
      FROM moved LEFT JOIN contexts ON contexts.id = moved.context;
    INSERT INTO points
      SELECT device, time, latitude, longitude, altitude, horizontal_accuracy, vertical_accuracy, speed, speed_accuracy,
        course, course_accuracy, battery_level,
        (SELECT id FROM moved WHERE moved.context = coalesce(wide_points.context, -1)
          AND moved.journal = coalesce(wide_points.journal, -1)
          AND moved.battery_state = coalesce(wide_points.battery_state, -1)
          AND moved.motion = coalesce(wide_points.motion, -1)),
        sequence, (received - time - ((received - time) % 1000 + 1000) % 1000) / 1000, extras
      FROM wide_points ORDER BY device, time, latitude, longitude;
    DROP TABLE wide_points;
    DELETE FROM contexts WHERE id NOT IN (SELECT id FROM moved);
    DROP TABLE moved;
    """)
}
