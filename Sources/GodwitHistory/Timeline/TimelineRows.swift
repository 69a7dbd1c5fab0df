package import Foundation
internal import GodwitModel
package import GodwitStore

/// Reads visits, trips and statistics of days.
package struct TimelineRows {
  package let connection: any SQLConnection

  package init(_ connection: any SQLConnection) { self.connection = connection }

  /// A query for visits or trips.
  package struct Query: Sendable {
    package var device: Int64
    /// Milliseconds since 1970. Entries that overlap the range are included.
    package var times: Range<Int64>
    /// Only entries that begin after it.
    package var after: Int64?
    package var limit = Int.max

    package init(device: Int64, times: Range<Int64>, after: Int64? = nil, limit: Int = .max) {
      self.device = device
      self.times = times
      self.after = after
      self.limit = limit
    }
  }

  /// Ordered by arrival.
  package func visits(_ query: Query) throws -> [FoundVisit] {
    try connection.all(
      """
      SELECT arrival, departure, seen, latitude, longitude, radius, points, reported FROM visits
      WHERE device = ?1 AND arrival < ?3 AND arrival > ?4 AND (departure IS NULL OR departure > ?2)
        AND arrival >= coalesce((SELECT max(arrival) FROM visits WHERE device = ?1 AND arrival <= ?2), ?2)
      ORDER BY arrival, day LIMIT ?5
      """, query.device, query.times.lowerBound, query.times.upperBound, query.after ?? .min, Int64(clamping: query.limit)
    ) { row in
      FoundVisit(
        arrival: row.integer(0), departure: row.optionalInteger(1), seen: row.integer(2),
        latitude: Int32(clamping: row.integer(3)), longitude: Int32(clamping: row.integer(4)), radius: row.double(5),
        points: Int(row.integer(6)), isReported: row.integer(7) != 0)
    }
  }

  /// Ordered by start.
  package func trips(_ query: Query) throws -> [FoundTrip] {
    try connection.all(
      """
      SELECT body FROM trips
      WHERE device = ?1 AND start < ?3 AND start > ?4 AND ended > ?2
        AND start >= coalesce((SELECT max(start) FROM trips WHERE device = ?1 AND start <= ?2), ?2)
      ORDER BY start, day LIMIT ?5
      """, query.device, query.times.lowerBound, query.times.upperBound, query.after ?? .min, Int64(clamping: query.limit)
    ) { try TimelineCoding.value(FoundTrip.self, $0.text(0)) }
  }

  /// Statistics of local days, in order.
  /// - Parameter days: since 1970, of local dates.
  package func shares(device: Int64, _ days: Range<Int64>) throws -> [(key: DayShare.Key, share: DayShare)] {
    try connection.all(
      """
      SELECT local_day, mode, CAST(sum(points) AS BIGINT), min(first), max(last), sum(distance), sum(seconds), sum(moving)
      FROM day_shares WHERE device = ? AND local_day >= ? AND local_day < ? GROUP BY local_day, mode ORDER BY local_day, mode
      """, device, days.lowerBound, days.upperBound
    ) { row in
      (
        DayShare.Key(localDay: row.integer(0), mode: TravelMode(rawValue: row.text(1))),
        DayShare(
          points: row.integer(2), first: row.optionalInteger(3), last: row.optionalInteger(4), distance: row.double(5),
          seconds: row.double(6), moving: row.double(7))
      )
    }
  }

  /// The time zone that defines a device's days.
  package func zone(of device: Int64) throws -> TimeZone {
    try connection.text("SELECT zone FROM timelines WHERE device = ?", device).flatMap { TimeZone(identifier: $0) } ?? .gmt
  }

  /// Sets the time zone that defines a device's days, which are computed again.
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

  /// Dirty days of a device up to a time.
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
