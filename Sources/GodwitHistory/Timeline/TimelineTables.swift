internal import GodwitSQLite
package import GodwitStore

/// The tables of visits, trips, flags and statistics.
///
/// Each row has the day whose points it was computed from (`day`, days since 1970, UTC), so that a day can be recomputed. The rows
/// of unfinished entries have the day ``openDay``.
package enum TimelineTables {
  /// The day of unfinished entries.
  package static let openDay: Int64 = 10_000_000

  package static let sqlite = """
    CREATE TABLE timelines (
      device INTEGER PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
      version INTEGER NOT NULL,       -- counts changes, so that one of two concurrent computations starts again
      zone TEXT                       -- NULL: UTC
    ) STRICT;
    -- The state of the computation at the end of a day.
    CREATE TABLE timeline_days (
      device INTEGER NOT NULL,
      day INTEGER NOT NULL,
      state TEXT NOT NULL,            -- JSON
      PRIMARY KEY (device, day)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE visits (
      device INTEGER NOT NULL,
      arrival INTEGER NOT NULL,
      day INTEGER NOT NULL,
      departure INTEGER,              -- NULL: still there
      seen INTEGER NOT NULL,
      latitude INTEGER NOT NULL,
      longitude INTEGER NOT NULL,
      radius REAL NOT NULL,
      points INTEGER NOT NULL,
      reported INTEGER NOT NULL,
      PRIMARY KEY (device, arrival, day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX visits_by_day ON visits (device, day);

    CREATE TABLE trips (
      device INTEGER NOT NULL,
      start INTEGER NOT NULL,
      day INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      body TEXT NOT NULL,             -- JSON
      PRIMARY KEY (device, start, day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX trips_by_day ON trips (device, day);

    -- The contribution of a day's points and trips (UTC) to the statistics of a local day.
    CREATE TABLE day_shares (
      device INTEGER NOT NULL,
      local_day INTEGER NOT NULL,
      mode TEXT NOT NULL,             -- '': the points
      day INTEGER NOT NULL,
      points INTEGER NOT NULL,
      first INTEGER,
      last INTEGER,
      distance REAL NOT NULL,
      seconds REAL NOT NULL,
      moving REAL NOT NULL,
      PRIMARY KEY (device, local_day, mode, day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX day_shares_by_day ON day_shares (device, day);

    -- Points that are excluded from tracks, visits and statistics. They are not deleted. The index has `manual`: without it SQLite reads all
    -- outliers of a device for those of one day.
    CREATE TABLE outliers (
      device INTEGER NOT NULL,
      time INTEGER NOT NULL,
      latitude INTEGER NOT NULL,
      longitude INTEGER NOT NULL,
      reason TEXT NOT NULL,
      flagged INTEGER NOT NULL,       -- 0: its owner says that it is right
      manual INTEGER NOT NULL,
      day INTEGER NOT NULL,
      PRIMARY KEY (device, time, latitude, longitude)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX outliers_by_day ON outliers (device, day, manual);
    """

  /// The same for PostgreSQL.
  package static let postgres = """
    CREATE TABLE timelines (
      device BIGINT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
      version BIGINT NOT NULL,
      zone TEXT
    );
    CREATE TABLE timeline_days (
      device BIGINT NOT NULL,
      day BIGINT NOT NULL,
      state TEXT NOT NULL,
      PRIMARY KEY (device, day)
    );

    CREATE TABLE visits (
      device BIGINT NOT NULL,
      arrival BIGINT NOT NULL,
      day BIGINT NOT NULL,
      departure BIGINT,
      seen BIGINT NOT NULL,
      latitude BIGINT NOT NULL,
      longitude BIGINT NOT NULL,
      radius DOUBLE PRECISION NOT NULL,
      points BIGINT NOT NULL,
      reported BIGINT NOT NULL,
      PRIMARY KEY (device, arrival, day)
    );
    CREATE INDEX visits_by_day ON visits (device, day);

    CREATE TABLE trips (
      device BIGINT NOT NULL,
      start BIGINT NOT NULL,
      day BIGINT NOT NULL,
      ended BIGINT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (device, start, day)
    );
    CREATE INDEX trips_by_day ON trips (device, day);

    CREATE TABLE day_shares (
      device BIGINT NOT NULL,
      local_day BIGINT NOT NULL,
      mode TEXT COLLATE "C" NOT NULL,
      day BIGINT NOT NULL,
      points BIGINT NOT NULL,
      first BIGINT,
      last BIGINT,
      distance DOUBLE PRECISION NOT NULL,
      seconds DOUBLE PRECISION NOT NULL,
      moving DOUBLE PRECISION NOT NULL,
      PRIMARY KEY (device, local_day, mode, day)
    );
    CREATE INDEX day_shares_by_day ON day_shares (device, day);

    CREATE TABLE outliers (
      device BIGINT NOT NULL,
      time BIGINT NOT NULL,
      latitude BIGINT NOT NULL,
      longitude BIGINT NOT NULL,
      reason TEXT NOT NULL,
      flagged BIGINT NOT NULL,
      manual BIGINT NOT NULL,
      day BIGINT NOT NULL,
      PRIMARY KEY (device, time, latitude, longitude)
    );
    CREATE INDEX outliers_by_day ON outliers (device, day, manual);
    """

  /// Recomputes all days, in both kinds of databases, to store the first positions and the model's probabilities of parts of trips.
  package static let recomputation = recomputation(where: "true")

  /// Recomputes all days for which a condition is true.
  static func recomputation(where condition: String) -> String {
    """
    INSERT INTO dirty_days (device, day, since, queued, changed, revision)
    SELECT device, day, day * 86400000, 0, 0, 1 FROM timeline_days WHERE \(condition) ON CONFLICT (device, day) DO NOTHING;
    """
  }
}

/// The contribution of a UTC day's points to a local day.
package struct DayShare: Sendable, Hashable {
  package struct Key: Sendable, Hashable, Comparable {
    /// Days since 1970, of the local date.
    package var localDay: Int64
    /// `nil` for the count of the points.
    package var mode: TravelMode?

    package static func < (a: Self, b: Self) -> Bool {
      (a.localDay, a.mode?.rawValue ?? "") < (b.localDay, b.mode?.rawValue ?? "")
    }
  }
  package var points: Int64 = 0
  /// Milliseconds since 1970.
  package var first: Int64?
  package var last: Int64?
  package var distance: Double = 0
  package var seconds: Double = 0
  package var moving: Double = 0

  package init(
    points: Int64 = 0, first: Int64? = nil, last: Int64? = nil, distance: Double = 0, seconds: Double = 0, moving: Double = 0
  ) {
    (self.points, self.first, self.last) = (points, first, last)
    (self.distance, self.seconds, self.moving) = (distance, seconds, moving)
  }
}

/// The result of one day's points.
package struct TimelineDay: Sendable {
  package var day: Int64
  /// The final state of the day; `nil` if the day has no points.
  package var state: String?
  package var visits: [FoundVisit] = []
  package var trips: [FoundTrip] = []
  package var outliers: [(point: TimelinePoint, reason: OutlierFilter.Reason)] = []
  package var shares: [DayShare.Key: DayShare] = [:]

  /// Adds results.
  /// - Parameter roads: the roads along which distances are measured; `nil`: distances are measured from position to position.
  package mutating func add(_ results: TimelineBuilder.Results, _ days: inout LocalDays, along roads: TripRoads?) {
    visits += results.visits
    outliers += results.outliers
    for trip in results.tracks.flatMap({ TripMaker.trips(of: $0, along: roads) }) {
      trips.append(trip)
      for share in TripMaker.shares(of: trip, &days) {
        let key = DayShare.Key(localDay: share.day, mode: share.mode)
        shares[key, default: DayShare()].distance += share.distance
        shares[key, default: DayShare()].seconds += share.seconds
        shares[key, default: DayShare()].moving += share.moving
      }
    }
  }

  /// Counts a point.
  package mutating func count(_ time: Int64, _ days: inout LocalDays) {
    let key = DayShare.Key(localDay: days.day(of: time), mode: nil)
    var share = shares[key] ?? DayShare()
    share.points += 1
    share.first = min(share.first ?? time, time)
    share.last = max(share.last ?? time, time)
    shares[key] = share
  }

  /// Replaces the previous result of the day.
  package func replace(device: Int64, _ db: any SQLConnection) throws {
    for table in ["visits", "trips", "day_shares"] {
      try db.run("DELETE FROM \(table) WHERE device = ? AND day = ?", device, day)
    }
    for visit in visits {
      try db.run(
        """
        INSERT INTO visits (device, arrival, day, departure, seen, latitude, longitude, radius, points, reported)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, device, visit.arrival, day, visit.departure, visit.seen, Int64(visit.latitude), Int64(visit.longitude),
        visit.radius, visit.points, visit.isReported)
    }
    for trip in trips {
      try db.run(
        "INSERT INTO trips (device, start, day, ended, body) VALUES (?, ?, ?, ?, ?)", device, trip.start, day, trip.end,
        try TimelineCoding.text(trip))
    }
    for (key, share) in shares.sorted(by: { $0.key < $1.key }) {
      try db.run(
        """
        INSERT INTO day_shares (device, local_day, mode, day, points, first, last, distance, seconds, moving)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, device, key.localDay, key.mode?.rawValue ?? "", day, share.points, share.first, share.last, share.distance,
        share.seconds, share.moving)
    }
    guard day != TimelineTables.openDay else { return }
    if let state {
      try db.run(
        """
        INSERT INTO timeline_days (device, day, state) VALUES (?1, ?2, ?3)
        ON CONFLICT (device, day) DO UPDATE SET state = excluded.state
        """, device, day, state)
    } else {
      try db.run("DELETE FROM timeline_days WHERE device = ? AND day = ?", device, day)
    }
  }

  /// Stores the flags of the day. The flags of all recomputed days must be deleted before, because a flag may move from the
  /// computation of one day to that of another.
  func writeOutliers(device: Int64, _ db: any SQLConnection) throws {
    for (point, reason) in outliers {
      try db.run(
        """
        INSERT INTO outliers (device, time, latitude, longitude, reason, flagged, manual, day) VALUES (?, ?, ?, ?, ?, 1, 0, ?)
        ON CONFLICT (device, time, latitude, longitude) DO UPDATE SET reason = excluded.reason, day = excluded.day
          WHERE outliers.manual = 0
        """, device, point.time, Int64(point.latitude), Int64(point.longitude), reason.rawValue, day)
    }
  }
}
