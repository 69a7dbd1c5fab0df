package import Foundation
internal import GodwitMirror
package import GodwitModel
internal import GodwitSQLite
package import GodwitStore

/// The days of devices whose timeline must be computed again.
///
/// A day is marked in the transaction that stores its points, so that a crash loses nothing. The mark is removed after the computation.
package enum DirtyDays {
  /// A dirty day of a device.
  package struct Entry: Sendable, Hashable {
    package var device: Int64
    /// Days since 1970, UTC.
    package var day: Int64
    /// The earliest time of the new points in it, milliseconds since 1970.
    package var since: Int64
    /// A counter of changes. If the number has changed, new points have arrived.
    package var touched: Int64
  }

  package static let sqlite = """
    -- Days (UTC, since 1970) with changed points, whose overviews, visits and statistics must be recomputed.
    CREATE TABLE dirty_days (
      device INTEGER NOT NULL,
      day INTEGER NOT NULL,
      since INTEGER NOT NULL,         -- the earliest new point
      queued INTEGER NOT NULL,        -- arrival of the first of them
      changed INTEGER NOT NULL,       -- arrival of the last of them
      revision INTEGER NOT NULL,      -- number of changes
      PRIMARY KEY (device, day)
    ) STRICT, WITHOUT ROWID;
    -- Finds the day that has waited longest without a scan.
    CREATE INDEX dirty_days_by_queued ON dirty_days (queued);
    """

  package static let postgres = """
    CREATE TABLE dirty_days (
      device BIGINT NOT NULL,
      day BIGINT NOT NULL,
      since BIGINT NOT NULL,
      queued BIGINT NOT NULL,
      changed BIGINT NOT NULL,
      revision BIGINT NOT NULL,
      PRIMARY KEY (device, day)
    );
    CREATE INDEX dirty_days_by_queued ON dirty_days (queued);
    """

  /// The day of a time: days since 1970, UTC.
  package static func day(of time: Int64) -> Int64 { DayLength.number(of: time) }

  /// The times at which a record affects the timeline: both ends of a visit, and the start of a trip.
  package static func times(of kind: Record.Kind) -> [Date] {
    switch kind {
    case .fix(let fix): [fix.time]
    case .visit(let visit): [visit.arrival, visit.departure].compactMap(\.self)
    case .trip(let trip): [trip.start]
    case .region, .action: []
    }
  }

  // MARK: Recording

  /// Marks a day as dirty.
  /// - Parameters:
  ///   - time: time of the earliest new point, milliseconds since 1970.
  ///   - received: time of receipt.
  package static func record(device: Int64, day: Int64, since time: Int64, at received: Int64, _ db: any SQLConnection)
    throws
  {
    try db.run(
      """
      INSERT INTO dirty_days (device, day, since, queued, changed, revision) VALUES (?1, ?2, ?3, ?4, ?4, 1)
      ON CONFLICT (device, day) DO UPDATE SET
        since = CASE WHEN excluded.since < dirty_days.since THEN excluded.since ELSE dirty_days.since END,
        changed = excluded.changed, revision = dirty_days.revision + 1
      """, device, day, time, received)
  }

  /// Marks the days of points that will be deleted, so that everything that was computed from them is computed again.
  /// - Parameters:
  ///   - device: the device.
  ///   - times: milliseconds since 1970.
  ///   - removal: what a mirror deletes in these times.
  ///   - db: in the transaction that deletes them.
  package static func recordAll(
    ofDevice device: Int64, _ times: Range<Int64>, removal: MirrorRemoval = .records, _ db: any SQLConnection
  ) throws {
    let length = DayLength.milliseconds
    var days = try db.all(
      """
      SELECT DISTINCT (time - (time % \(length) + \(length)) % \(length)) / \(length) AS day
      FROM points WHERE device = ? AND time >= ? AND time < ?
      """, device, times.lowerBound, times.upperBound
    ) { try $0.integer("day") }
    try PointLookup.forEachSealedTime(ofDevice: device, times, db) { time in
      let day = Self.day(of: time)
      if days.last != day { days.append(day) }
    }
    try MirrorChanges.record(times, ofDevice: device, removal: removal, db)
    // The line of the next day may begin with the last point before the day.
    for day in Set(days + days.map { $0 + 1 }).sorted() {
      try record(device: device, day: day, since: day * DayLength.milliseconds, at: 0, db)
    }
  }

  // MARK: Reading

  /// Returns entries of one device that may be computed now: entries without new points for a while, or dirty for long. The device with the
  /// oldest entry is first, so that no device starves. Several servers on one database choose randomly among the oldest entries.
  /// - Parameters:
  ///   - now: the time.
  ///   - resting: devices to skip.
  ///   - limit: the maximum number of entries.
  ///   - db: the database.
  package static func due(
    at now: Date, passingOver resting: Set<Int64> = [], limit: Int, _ db: any SQLConnection
  ) throws -> [Entry] {
    // The clamp prevents an overflow.
    let time = min(now, Self.latest).millisecondsSince1970
    let others = resting.isEmpty ? "" : "AND device NOT IN (\(resting.sorted().map(String.init).joined(separator: ", ")))"
    // A greater time of the change was recorded by a clock that was ahead.
    let isDue = "(changed <= ?1 OR queued <= ?2 OR changed > ?3)"
    let waiting = try db.all(
      "SELECT device FROM dirty_days WHERE \(isDue) \(others) ORDER BY queued LIMIT ?4", time - quiet, time - timeout,
      time + timeout, db.dialect.isShared ? choice : 1
    ) { try $0.integer("device") }
    guard let device = Set(waiting).randomElement() else { return [] }
    return try db.all(
      "SELECT \(columns) FROM dirty_days WHERE \(isDue) AND device = ?4 ORDER BY day LIMIT ?5", time - quiet, time - timeout,
      time + timeout, device, limit, body: Entry.init)
  }

  /// Returns the newest dirty days.
  /// - Parameters:
  ///   - days: the range of days, both inclusive.
  ///   - device: the device; `nil`: any.
  ///   - limit: the maximum number of entries.
  ///   - db: the database.
  package static func newest(
    _ days: ClosedRange<Int64>, ofDevice device: Int64?, limit: Int, _ db: any SQLConnection
  ) throws -> [Entry] {
    try db.all(
      """
      SELECT \(columns) FROM dirty_days
      WHERE (?1 < 0 OR device = ?1) AND day BETWEEN ?2 AND ?3 ORDER BY day DESC LIMIT ?4
      """, device ?? -1, days.lowerBound, days.upperBound, limit, body: Entry.init)
  }

  /// Returns the oldest dirty days of a device. - Parameter limit: the maximum number of entries.
  package static func oldest(ofDevice device: Int64, limit: Int, _ db: any SQLConnection) throws -> [Entry] {
    try db.all("SELECT \(columns) FROM dirty_days WHERE device = ? ORDER BY day LIMIT ?", device, limit, body: Entry.init)
  }

  private static let columns = "device, day, since, revision"

  /// Number of oldest entries among which several servers choose.
  private static let choice = 64
  private static let latest = Date(timeIntervalSince1970: 253_402_300_800)
  /// Milliseconds after the last new point from which a day is computed.
  package static let quiet: Int64 = 3_000
  /// Milliseconds after the first new point from which a day is computed, even if points still arrive.
  package static let timeout: Int64 = 60_000

  /// Removes an entry after its computation. If new points arrived since it was read, the entry stays.
  /// - Throws: ``AlreadyComputed`` if another server removed the entry. The computed result may then be outdated.
  package static func restore(_ entry: Entry, _ db: any SQLConnection) throws {
    let gone = try db.run(
      "DELETE FROM dirty_days WHERE device = ? AND day = ? AND revision = ?", entry.device, entry.day, entry.touched)
    if gone > 0 { return }
    let isThere = try db.integer("SELECT 1 FROM dirty_days WHERE device = ? AND day = ?", entry.device, entry.day)
    if isThere == nil { throw AlreadyComputed() }
    try db.run("UPDATE dirty_days SET queued = changed WHERE device = ? AND day = ?", entry.device, entry.day)
  }

  /// Another server has computed the same entry.
  package struct AlreadyComputed: Error {}
}

extension DirtyDays.Entry {
  fileprivate init(_ row: any SQLRow) throws {
    self.init(
      device: try row.integer("device"), day: try row.integer("day"), since: try row.integer("since"),
      touched: try row.integer("revision"))
  }
}
