package import Foundation
internal import GodwitModel
package import GodwitStore

/// The tables of offline devices.
package enum HeartbeatTables {
  // MARK: Rules

  /// The rule of a device that a user set.
  package struct Rule: Sendable, Hashable {
    /// Seconds until the device counts as offline; `nil`: computed.
    package var threshold: TimeInterval?
    /// Whether notices are sent.
    package var notices = true

    package init(threshold: TimeInterval? = nil, notices: Bool = true) {
      self.threshold = threshold
      self.notices = notices
    }
  }

  package static func rules(_ db: any SQLConnection) throws -> [Int64: Rule] {
    var rules: [Int64: Rule] = [:]
    try db.forEach("SELECT device, threshold, notify FROM heartbeat_rules") { row in
      try rules[row.integer("device")] = Rule(
        threshold: row.optionalInteger("threshold").map { Double($0) / 1000 }, notices: row.integer("notify") != 0)
    }
    return rules
  }

  /// - Parameters:
  ///   - rule: the rule; `nil`: the threshold is computed, and notices are sent.
  ///   - device: the device.
  ///   - db: in a transaction.
  package static func set(_ rule: Rule?, of device: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM heartbeat_rules WHERE device = ?", device)
    guard let rule else { return }
    try db.run(
      "INSERT INTO heartbeat_rules (device, threshold, notify) VALUES (?, ?, ?)", device,
      rule.threshold.map { Int64(($0 * 1000).rounded()) }, rule.notices)
  }

  // MARK: Outages

  /// A period without a running server.
  package struct Outage: Sendable, Hashable {
    package var began: Date
    package var ended: Date
  }

  /// Days for which outages are stored.
  private static let outageDays = 31.0

  /// Returns all outages in the order of their times.
  package static func outages(_ db: any SQLConnection) throws -> [Outage] {
    try db.all("SELECT began, ended FROM outages ORDER BY began") {
      try Outage(began: $0.time("began"), ended: $0.time("ended"))
    }
  }

  /// Records that a server is running, and an outage if no server was running before.
  /// - Parameters:
  ///   - now: the time.
  ///   - timeout: the maximum seconds without a server that are not an outage.
  ///   - db: in a transaction.
  /// - Returns: whether this is the first server that monitors this database.
  package static func recordServer(at now: Date, timeout: TimeInterval, _ db: any SQLConnection) throws -> Bool {
    let time = now.millisecondsSince1970
    guard let seen = try db.integer("SELECT seen FROM heartbeat_status WHERE one = 1") else {
      // Servers before this table existed did not monitor, but stored contacts.
      let received = try db.integer("SELECT max(last_contact) FROM devices") ?? time
      try db.run("INSERT INTO heartbeat_status (one, seen) VALUES (1, ?)", time)
      try record(Outage(began: Date(millisecondsSince1970: received), ended: now), timeout, db)
      return true
    }
    try record(Outage(began: Date(millisecondsSince1970: seen), ended: now), timeout, db)
    // The time is also updated if the clock was set back.
    try db.run("UPDATE heartbeat_status SET seen = ? WHERE one = 1", time)
    try db.run(
      "DELETE FROM outages WHERE ended < ?", now.addingTimeInterval(-outageDays * DayLength.seconds).millisecondsSince1970)
    try correctFuture(at: time, timeout, db)
    return false
  }

  /// Replaces times in the future, which were stored before the clock was set back, by the current time. Otherwise no device would be
  /// offline until the clock reaches them again.
  private static func correctFuture(at time: Int64, _ timeout: TimeInterval, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM outages WHERE began >= ?", time)
    try db.run("UPDATE outages SET ended = ?1 WHERE ended > ?1", time)
    // The clocks of several servers may differ by less.
    let limit = time + Int64(timeout * 1000)
    guard try db.integer("SELECT max(last_contact) FROM devices") ?? 0 > limit else { return }
    try db.run("UPDATE devices SET last_contact = ?1 WHERE last_contact > ?2", time, limit)
  }

  private static func record(_ outage: Outage, _ timeout: TimeInterval, _ db: any SQLConnection) throws {
    guard outage.ended.timeIntervalSince(outage.began) > timeout else { return }
    try db.run(
      "INSERT INTO outages (began, ended) VALUES (?, ?) ON CONFLICT (began) DO UPDATE SET ended = excluded.ended",
      outage.began.millisecondsSince1970, outage.ended.millisecondsSince1970)
  }

  // MARK: Hours

  /// A contact, and the start of the pause that it ended.
  package struct EndedPause: Sendable, Hashable {
    package var device: Int64
    /// The contact that ended a pause.
    package var contact: Date
    /// The contact before the pause; `nil`: there was no relevant pause, or its length is unknown because no server was running.
    package var before: Date?
  }

  package static func record(_ received: EndedPause, _ db: any SQLConnection) throws {
    try record(device: received.device, at: received.contact, length: 0, db)
    if let before = received.before {
      try record(
        device: received.device, at: before, length: received.contact.millisecondsSince1970 - before.millisecondsSince1970, db)
    }
  }

  private static func record(device: Int64, at time: Date, length: Int64, _ db: any SQLConnection) throws {
    let timestamp = time.millisecondsSince1970
    let (day, hour) = (timestamp / DayLength.milliseconds, timestamp % DayLength.milliseconds / 3_600_000)
    // Idempotent, because several servers may write the same pause.
    try db.run(
      """
      INSERT INTO contact_hours (device, day, hour, began, length) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (device, day, hour) DO UPDATE SET began = excluded.began, length = excluded.length
        WHERE excluded.length > contact_hours.length
      """, device, day, hour, length > 0 ? timestamp : nil, length)
  }

  package static func discardHours(before day: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM contact_hours WHERE day < ?", day)
  }

  /// An hour with contacts, and the start of its longest pause.
  package struct ContactHour: Sendable, Hashable {
    package var hour: Habits.Hour
    package var began: Date?
  }

  /// Returns the hours with contacts of a device, in the order of their times.
  package static func hours(of device: Int64, _ db: any SQLConnection) throws -> [ContactHour] {
    try db.all(
      "SELECT day, hour, began, length FROM contact_hours WHERE device = ? ORDER BY day, hour", device
    ) { row in
      try ContactHour(
        hour: Habits.Hour(day: row.integer("day"), hour: Int(row.integer("hour")), maximum: Double(row.integer("length")) / 1000),
        began: row.optionalTime("began"))
    }
  }

  // MARK: Offline periods

  /// An offline period.
  package struct OfflinePeriod: Sendable, Hashable {
    /// The last contact.
    package var since: Date
    package var noticed: Date
    /// Whether a notice was sent.
    package var wasReported: Bool
  }

  package static func offlineDevices(_ db: any SQLConnection) throws -> [Int64: OfflinePeriod] {
    var offlineDevices: [Int64: OfflinePeriod] = [:]
    try db.forEach("SELECT device, since, detected, notified FROM offline_devices") { row in
      try offlineDevices[row.integer("device")] = OfflinePeriod(
        since: row.time("since"), noticed: row.time("detected"), wasReported: row.integer("notified") != 0)
    }
    return offlineDevices
  }

  /// Records the start of an offline period. - Returns: `false` if the device is already recorded as offline.
  package static func begin(_ period: OfflinePeriod, of device: Int64, _ db: any SQLConnection) throws -> Bool {
    try db.run(
      "INSERT INTO offline_devices (device, since, detected, notified) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", device,
      period.since.millisecondsSince1970, period.noticed.millisecondsSince1970, period.wasReported) > 0
  }

  /// Removes an offline period. - Returns: whether it was recorded.
  package static func end(_ period: OfflinePeriod, of device: Int64, _ db: any SQLConnection) throws -> Bool {
    try db.run(
      "DELETE FROM offline_devices WHERE device = ? AND since = ?", device, period.since.millisecondsSince1970) > 0
  }

  // MARK: Devices

  /// A monitored device.
  package struct Contact: Sendable, Hashable {
    package var device: Device
    package var last: Date
  }

  /// The devices that have an unrevoked token and had at least one contact.
  package static func contacts(_ db: any SQLConnection) throws -> [Contact] {
    try db.all(
      """
      SELECT id, name, last_contact FROM devices WHERE last_contact IS NOT NULL AND (
        EXISTS (SELECT 1 FROM device_tokens WHERE device_tokens.device = devices.id AND revoked IS NULL)
        OR EXISTS (SELECT 1 FROM access_tokens WHERE access_tokens.device = devices.id AND scope = 'write' AND revoked IS NULL))
      """
    ) {
      try Contact(device: Device($0), last: $0.time("last_contact"))
    }
  }

  package static func lastContact(of device: Int64, _ db: any SQLConnection) throws -> Date? {
    try db.integer("SELECT last_contact FROM devices WHERE id = ?", device).map { Date(millisecondsSince1970: $0) }
  }
}
