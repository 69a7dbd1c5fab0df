package import Foundation
internal import GodwitModel
package import GodwitStore

/// Reads the visits, trips and daily statistics of devices.
package struct TimelineRows {
  package let connection: any SQLConnection

  package init(_ db: any SQLConnection) { self.connection = db }

  /// A query for visits or trips.
  package struct Query: Sendable {
    package var device: Int64
    /// Milliseconds since 1970. Entries that overlap the range are included.
    package var times: Range<Int64>
    /// Only entries that begin after this time are returned.
    package var after: Int64?
    package var limit = Int.max

    package init(device: Int64, times: Range<Int64>, after: Int64? = nil, limit: Int = .max) {
      self.device = device
      self.times = times
      self.after = after
      self.limit = limit
    }
  }

  /// Returns visits, ordered by arrival.
  package func visits(_ query: Query) throws -> [FoundVisit] {
    try connection.all(
      """
      SELECT arrival, departure, seen, latitude, longitude, radius, points, reported FROM visits
      WHERE device = ?1 AND arrival < ?3 AND arrival > ?4 AND (departure IS NULL OR departure > ?2)
        AND arrival >= coalesce((SELECT max(arrival) FROM visits WHERE device = ?1 AND arrival <= ?2), ?2)
      ORDER BY arrival, day LIMIT ?5
      """, query.device, query.times.lowerBound, query.times.upperBound, query.after ?? .min, Int64(clamping: query.limit)
    ) { row in
      try FoundVisit(
        arrival: row.integer("arrival"), departure: row.optionalInteger("departure"), seen: row.integer("seen"),
        latitude: Int32(clamping: row.integer("latitude")), longitude: Int32(clamping: row.integer("longitude")),
        radius: row.double("radius"), points: Int(row.integer("points")), isReported: row.integer("reported") != 0)
    }
  }

  /// Returns trips, ordered by start.
  package func trips(_ query: Query) throws -> [FoundTrip] {
    try connection.all(
      """
      SELECT body FROM trips
      WHERE device = ?1 AND start < ?3 AND start > ?4 AND ended > ?2
        AND start >= coalesce((SELECT max(start) FROM trips WHERE device = ?1 AND start <= ?2), ?2)
      ORDER BY start, day LIMIT ?5
      """, query.device, query.times.lowerBound, query.times.upperBound, query.after ?? .min, Int64(clamping: query.limit)
    ) { try TripReader.trip($0.text("body")) }
  }

  /// Returns the trips at the times of active corrections, each once, ordered by start.
  /// - Parameter first: the number of the oldest correction to consider.
  func trips(ofDevice device: Int64, correctedSince first: Int64) throws -> [FoundTrip] {
    // For a cross join, SQLite reads the corrections first. Otherwise it compares each trip of the device with all corrections.
    let bodies = try connection.all(
      """
      SELECT trips.body AS body, trips.start AS start, trips.ended AS ended
      FROM timeline_corrections CROSS JOIN trips
      WHERE trips.device = timeline_corrections.device AND trips.start <= timeline_corrections.last
        AND trips.ended >= timeline_corrections.first AND trips.start >= coalesce(
          (SELECT max(start) FROM trips WHERE device = ?1 AND start <= timeline_corrections.first), timeline_corrections.first)
        AND timeline_corrections.device = ?1 AND undone IS NULL AND timeline_corrections.id >= ?2
        AND timeline_corrections.body LIKE '%"kind":"trip"%'
      ORDER BY trips.start, trips.day
      """, device, first
    ) { (times: try [$0.integer("start"), $0.integer("ended")], body: try $0.text("body")) }
    var trips: [FoundTrip] = []
    for (index, row) in bodies.enumerated() where index == 0 || row.times != bodies[index - 1].times {
      trips.append(try TripReader.trip(row.body))
    }
    return trips
  }

  /// Returns the statistics of local days, in order.
  /// - Parameter days: days since 1970 of local dates.
  package func shares(device: Int64, _ days: Range<Int64>) throws -> [(key: DayShare.Key, share: DayShare)] {
    try connection.all(
      """
      SELECT local_day, mode, CAST(sum(points) AS BIGINT) AS points, min(first) AS first, max(last) AS last,
        sum(distance) AS distance, sum(seconds) AS seconds, sum(moving) AS moving
      FROM day_shares WHERE device = ? AND local_day >= ? AND local_day < ? GROUP BY local_day, mode ORDER BY local_day, mode
      """, device, days.lowerBound, days.upperBound
    ) { row in
      try (
        DayShare.Key(localDay: row.integer("local_day"), mode: TravelMode(rawValue: row.text("mode"))),
        DayShare(
          points: row.integer("points"), first: row.optionalInteger("first"), last: row.optionalInteger("last"),
          distance: row.double("distance"), seconds: row.double("seconds"), moving: row.double("moving"))
      )
    }
  }

  /// Returns the time zone of a device's local days.
  package func zone(of device: Int64) throws -> TimeZone {
    try connection.text("SELECT zone FROM timelines WHERE device = ?", device).flatMap { TimeZone(identifier: $0) } ?? .gmt
  }

  /// Sets the time zone of a device's local days, and marks all days for recomputation.
  package func set(_ zone: TimeZone, of device: Int64) throws {
    try connection.run(
      """
      INSERT INTO timelines (device, version, zone) VALUES (?1, 1, ?2)
      ON CONFLICT (device) DO UPDATE SET zone = excluded.zone, version = timelines.version + 1
      """, device, zone.name)
    try connection.run(
      """
      INSERT INTO dirty_days (device, day, since, queued, changed, revision)
      SELECT device, day, day * 86400000, 0, 0, 1 FROM timeline_days WHERE device = ?
      ON CONFLICT (device, day) DO UPDATE SET queued = 0, revision = dirty_days.revision + 1
      """, device)
  }

  /// Returns the number of dirty days of a device up to the day of a time.
  package func pending(device: Int64, before time: Int64) throws -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM dirty_days WHERE device = ? AND day <= ?", device, DirtyDays.day(of: time)) ?? 0)
  }
}

extension TimeZone {
  /// The name in the tz database.
  package var name: String { self == .gmt || identifier == "GMT" ? "UTC" : identifier }
}
