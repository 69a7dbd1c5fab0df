package import Foundation
internal import GodwitHistory
internal import GodwitMirror
internal import GodwitModel
package import GodwitStore

/// The retention rule of a device. Without a rule nothing is deleted.
package struct Retention: Sendable, Hashable {
  /// Days after which records are deleted; `nil`: never.
  package var keepDays: Int?
  /// Days after which points are thinned to one per ``thinMinutes``; `nil`: points are not thinned.
  package var thinDays: Int?
  /// Minutes of which only the first point is kept.
  package var thinMinutes: Int?

  package init(keepDays: Int? = nil, thinDays: Int? = nil, thinMinutes: Int? = nil) {
    self.keepDays = keepDays
    self.thinDays = thinDays
    self.thinMinutes = thinMinutes
  }
}

/// The counts of a run, or of a dry run.
package struct RetentionResult: Sendable, Hashable {
  /// Points that were older than ``Retention/keepDays``.
  package var expired = 0
  /// Expired visits, trips, events and rejected records.
  package var expiredEvents = 0
  /// Points that were removed by thinning.
  package var thinned = 0
}

/// Retention rules in the database.
package enum RetentionTable {
  package struct Entry: Sendable {
    package var device: Device
    package var retention: Retention
    /// The time before which points are already thinned; milliseconds since 1970.
    package var thinned: Int64?
    /// When the rule was set.
    package var changed: Date?

    package init(device: Device, retention: Retention, thinned: Int64? = nil, changed: Date? = nil) {
      self.device = device
      self.retention = retention
      self.thinned = thinned
      self.changed = changed
    }
  }

  private static let select = """
    SELECT devices.id, devices.name, keep_days, thin_days, thin_minutes, thinned, changed
    FROM retentions JOIN devices ON devices.id = retentions.device
    """

  package static func all(_ db: any SQLConnection) throws -> [Entry] {
    try db.all("\(select) ORDER BY devices.id") { try Entry($0) }
  }

  package static func entry(of device: Int64, _ db: any SQLConnection) throws -> Entry? {
    try db.first("\(select) WHERE devices.id = ?", device) { try Entry($0) }
  }

  /// Sets or removes the rule of a device.
  ///
  /// - Parameters:
  ///   - retention: the rule; `nil`: nothing is deleted.
  ///   - device: the number of the device.
  ///   - now: the current time.
  ///   - db: a connection in a transaction.
  package static func set(_ retention: Retention?, of device: Int64, at now: Date, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM retentions WHERE device = ?", device)
    guard let retention else { return }
    try db.run(
      "INSERT INTO retentions (device, keep_days, thin_days, thin_minutes, changed) VALUES (?, ?, ?, ?, ?)", device,
      retention.keepDays, retention.thinDays, retention.thinMinutes, now.millisecondsSince1970)
  }
}

extension RetentionTable.Entry {
  fileprivate init(_ row: any SQLRow) throws {
    self.init(
      device: try Device(row),
      retention: Retention(
        keepDays: try row.optionalInteger("keep_days").map { Int($0) },
        thinDays: try row.optionalInteger("thin_days").map { Int($0) },
        thinMinutes: try row.optionalInteger("thin_minutes").map { Int($0) }), thinned: try row.optionalInteger("thinned"),
      changed: Date(millisecondsSince1970: try row.integer("changed")))
  }
}

/// Applies retention rules, with a thousand points in one transaction, so that uploads are not delayed.
package struct RetentionRun: Sendable {
  package let database: any StoreDatabase

  package init(database: any StoreDatabase) {
    self.database = database
  }

  /// Points in one transaction.
  package static let step = 1000
  /// Days before the thinned time that are examined again, because points may have arrived late.
  package static let late = 31.0
  private static let day = DayLength.milliseconds

  /// Returns the counts of records that a rule would delete now. Nothing is changed.
  package func dry(_ entry: RetentionTable.Entry, at now: Date) throws -> RetentionResult {
    try database.read { db in
      var result = RetentionResult()
      let device = entry.device.id
      let expiry = Self.limit(entry.retention.keepDays, now)
      if let expiry {
        result.expired = try PointLookup.count(ofDevice: device, .min..<expiry, db)
        result.expiredEvents =
          Int(try db.integer("SELECT count(*) FROM events WHERE device = ? AND time < ?", device, expiry) ?? 0)
          + Int(
            try db.integer("SELECT count(*) FROM rejected_records WHERE device = ? AND received < ?", device, expiry) ?? 0
          )
      }
      if let (limit, bucket) = Self.thinning(entry.retention, now) {
        let times = (expiry ?? .min)..<max(limit, expiry ?? .min)
        result.thinned = try Self.superfluous(PointSpan(device: device, times), bucket, db)
      }
      return result
    }
  }

  /// Applies a rule. Stops if the rule is changed or removed in the meantime. Blocks the thread.
  package func run(_ entry: RetentionTable.Entry, at now: Date) throws -> RetentionResult {
    var result = RetentionResult()
    let device = entry.device.id
    if let expiry = Self.limit(entry.retention.keepDays, now) {
      while true {
        let count = try write(for: entry) { try Self.expire(device, before: expiry, $0) } ?? 0
        result.expired += count
        if count == 0 { break }
      }
      let events = try write(for: entry) { db -> Int in
        try CorrectionTable.delete(ofDevice: device, within: .min..<expiry, db)
        if try db.integer("SELECT 1 FROM events WHERE device = ? AND time < ? LIMIT 1", device, expiry) != nil {
          try MirrorChanges.record(.min..<expiry, ofDevice: device, removal: .records, db)
        }
        return try db.run("DELETE FROM events WHERE device = ? AND time < ?", device, expiry)
          + db.run("DELETE FROM rejected_records WHERE device = ? AND received < ?", device, expiry)
      }
      result.expiredEvents = events ?? 0
    }
    if let (limit, bucket) = Self.thinning(entry.retention, now) {
      let late = entry.thinned.map { $0 - Int64(Self.late) * Self.day }
      var from = late ?? .min
      // Each part starts and ends at a bucket's bounds, so that the points of a bucket are in one part.
      while let part = try database.read({ try Self.part(device, from: from, limit: limit, bucket, $0) }) {
        guard let count = try write(for: entry, { try Self.thin(device, part, bucket, $0) }) else { return result }
        result.thinned += count
        from = part.upperBound
      }
      _ = try write(for: entry) { try $0.run("UPDATE retentions SET thinned = ? WHERE device = ?", limit, device) }
    }
    return result
  }

  /// Runs a step in a transaction. The device's row is locked first, as by a writer that stores records of the device.
  /// - Returns: `nil` if the rule was changed or removed after it was read, or the device was deleted or merged.
  private func write<Value: Sendable>(
    for entry: RetentionTable.Entry, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) throws -> Value? {
    try database.writeAndWait { db -> Value? in
      try db.run("UPDATE devices SET points = points WHERE id = ?", entry.device.id)
      // A rule without this time is not from the store.
      if entry.changed != nil {
        let current = try RetentionTable.entry(of: entry.device.id, db)
        guard current?.retention == entry.retention, current?.changed == entry.changed else { return nil }
      }
      return try body(db)
    }
  }

  private static func limit(_ days: Int?, _ now: Date) -> Int64? { days.map { now.millisecondsSince1970 - Int64($0) * day } }

  /// Returns the time before which points are thinned, which is a multiple of the bucket length, and the bucket length;
  /// both in milliseconds.
  private static func thinning(_ retention: Retention, _ now: Date) -> (limit: Int64, bucket: Int64)? {
    guard let limit = limit(retention.thinDays, now), let minutes = retention.thinMinutes else { return nil }
    let bucket = Int64(minutes) * 60_000
    return (limit - limit % bucket, bucket)
  }

  private static func expire(_ device: Int64, before limit: Int64, _ db: any SQLConnection) throws -> Int {
    guard let last = try ends(device, .min..<limit, db)?.upperBound else { return 0 }
    try PointSealer(ofDevice: device, db).open(.min..<last + 1)
    try DirtyDays.recordAll(ofDevice: device, Int64.min..<last + 1, db)
    let count = try db.run("DELETE FROM points WHERE device = ? AND time <= ?", device, last)
    try db.run("UPDATE devices SET points = points - ? WHERE id = ?", count, device)
    return count
  }

  /// Returns the next part with about ``step`` points; `nil`: none.
  private static func part(
    _ device: Int64, from: Int64, limit: Int64, _ bucket: Int64, _ db: any SQLConnection
  ) throws -> Range<Int64>? {
    guard from < limit, let found = try ends(device, from..<limit, db) else { return nil }
    return begin(found.lowerBound, bucket)..<min(limit, begin(found.upperBound, bucket) + bucket)
  }

  /// Returns the start of the bucket of a time, also for times before 1970.
  private static func begin(_ time: Int64, _ bucket: Int64) -> Int64 { time - ((time % bucket) + bucket) % bucket }

  /// Returns the times of the first and the last of the first ``step`` points in a range.
  private static func ends(_ device: Int64, _ times: Range<Int64>, _ db: any SQLConnection) throws -> ClosedRange<Int64>? {
    var ends: ClosedRange<Int64>?
    var span = PointSpan(device: device, times)
    span.limit = step
    try PointReader([.time], of: span, db).readEach { row in
      let time = try row.integer("time")
      ends = (ends?.lowerBound ?? time)...time
    }
    return ends
  }

  /// Returns the number of points that are not the first of their bucket.
  private static func superfluous(_ span: PointSpan, _ bucket: Int64, _ db: any SQLConnection) throws -> Int {
    var (count, last): (Int, Int64?) = (0, nil)
    try PointReader([.time], of: span, db).readEach { row in
      let begin = try begin(row.integer("time"), bucket)
      if begin == last { count += 1 }
      last = begin
    }
    return count
  }

  /// Deletes all points except the first of each bucket.
  private static func thin(
    _ device: Int64, _ part: Range<Int64>, _ bucket: Int64, _ db: any SQLConnection
  ) throws -> Int {
    // Blocks are unpacked only if points will be deleted.
    guard try superfluous(PointSpan(device: device, part), bucket, db) > 0 else { return 0 }
    try PointSealer(ofDevice: device, db).open(part)
    try DirtyDays.recordAll(ofDevice: device, part, db)
    let count = try db.run(
      """
      DELETE FROM points WHERE device = ?1 AND time >= ?2 AND time < ?3 AND (time, latitude, longitude) IN
        (SELECT time, latitude, longitude FROM
          (SELECT time, latitude, longitude,
            row_number() OVER (PARTITION BY (time - ?2) / ?4 ORDER BY time, latitude, longitude) AS place
          FROM points WHERE device = ?1 AND time >= ?2 AND time < ?3) AS ranked
        WHERE place > 1)
      """, device, part.lowerBound, part.upperBound, bucket)
    if count > 0 { try db.run("UPDATE devices SET points = points - ? WHERE id = ?", count, device) }
    return count
  }
}
