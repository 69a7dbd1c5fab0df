package import Foundation
internal import GodwitModel

/// The table of rejected records.
package enum RejectedRecordTable {
  /// The state of a rejected record.
  package enum State: String, Sendable, Codable, CaseIterable {
    case open, solved, all
  }

  /// A query for rejected records.
  package struct Query: Sendable {
    /// `nil`: all devices.
    package var devices: [Int64]?
    package var reason: String?
    package var state = State.all
    /// Only records with a smaller number.
    package var before = Int64.max
    /// Only records with a larger number; if set, the oldest are returned first.
    package var after: Int64?
    package var limit: Int

    package init(
      devices: [Int64]? = nil, reason: String? = nil, state: State = .all, before: Int64 = .max, after: Int64? = nil, limit: Int
    ) {
      (self.devices, self.reason, self.state) = (devices, reason, state)
      (self.before, self.after, self.limit) = (before, after, limit)
    }

    /// The SQL conditions and their parameters.
    fileprivate var conditions: (text: String, arguments: [SQLArgument]) {
      var text = "id < ?"
      var arguments: [SQLArgument] = [before.argument]
      if let after {
        text += " AND id > ?"
        arguments.append(after.argument)
      }
      if let devices {
        let list = NumberList(devices)
        text += " AND device IN \(list.sql)"
        arguments += list.arguments
      }
      if let reason {
        text += " AND reason = ?"
        arguments.append(reason.argument)
      }
      switch state {
      case .all: break
      case .open: text += " AND resolved IS NULL"
      case .solved: text += " AND resolved IS NOT NULL"
      }
      return (text, arguments)
    }
  }

  private static let columns =
    "id, device, received, place, reason, raw, protocol, origin, size, attempts, last_attempt, resolved"

  /// Returns the rejected records of a query: the newest first, or the oldest first if the query has `after`.
  package static func all(_ query: Query, _ db: any SQLConnection) throws -> [StoredRejectedRecord] {
    let names = try DeviceNames(db, query.devices?.count == 1 ? query.devices?.first : nil)
    let (conditions, arguments) = query.conditions
    var found: [StoredRejectedRecord] = []
    try db.query(
      "SELECT \(columns) FROM rejected_records WHERE \(conditions) ORDER BY id \(query.after == nil ? "DESC" : "ASC") LIMIT ?",
      with: arguments + [query.limit.argument]
    ) { row in
      found.append(try StoredRejectedRecord(row, names))
      return true
    }
    return found
  }

  package static func one(_ id: Int64, _ db: any SQLConnection) throws -> StoredRejectedRecord? {
    try db.first("SELECT \(columns) FROM rejected_records WHERE id = ?", id) { row in
      try StoredRejectedRecord(row, DeviceNames(db, row.integer("device")))
    }
  }

  /// Removes the rejected records of a query. - Returns: the number of removed records.
  package static func remove(_ query: Query, _ db: any SQLConnection) throws -> Int {
    let (conditions, arguments) = query.conditions
    return try db.run("DELETE FROM rejected_records WHERE \(conditions)", with: arguments)
  }

  /// Number of records that were dropped because a device exceeded the maximum, by device.
  package static func dropped(_ db: any SQLConnection) throws -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    try db.forEach("SELECT device, dropped FROM rejected_drops") {
      try counts[$0.integer("device")] = Int($0.integer("dropped"))
    }
    return counts
  }

  // MARK: Results of retries

  package static func recordSolved(_ id: Int64, at now: Date, _ db: any SQLConnection) throws {
    let time = now.millisecondsSince1970
    try db.run(
      "UPDATE rejected_records SET resolved = ?1, last_attempt = ?1, attempts = attempts + 1 WHERE id = ?2 AND resolved IS NULL",
      time, id)
  }

  /// Records a failed retry with its reason.
  package static func countRejected(
    _ id: Int64, _ rejected: RejectedRecord, at now: Date, _ db: any SQLConnection
  ) throws {
    try db.run(
      "UPDATE rejected_records SET place = ?, reason = ?, last_attempt = ?, attempts = attempts + 1 WHERE id = ? AND resolved IS NULL",
      rejected.place, rejected.reason, now.millisecondsSince1970, id)
  }

  // MARK: Bounds

  /// Maximum stored rejected records of a device, and their bytes.
  package static let maximumParts = 1000
  package static let maximumBytes = 8 << 20
  /// Days for which a resolved record is stored.
  package static let solvedDays = 30.0

  /// Drops the oldest rejected records of a device that exceeds the maximum, resolved ones first, and counts the unresolved ones.
  package static func trim(device: Int64, _ db: any SQLConnection) throws {
    let ranked = """
      SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(length(raw)) OVER newest AS bytes FROM rejected_records WHERE device = ?1
        WINDOW newest AS (ORDER BY CASE WHEN resolved IS NULL THEN 0 ELSE 1 END, id DESC ROWS UNBOUNDED PRECEDING)
      ) AS ranked WHERE place > \(maximumParts) OR bytes > \(maximumBytes)
      """
    let over = try db.all(ranked, device) { try $0.integer("id") }
    guard !over.isEmpty else { return }
    var dropped = 0
    for id in over {
      let wasOpen = try db.integer("SELECT 1 FROM rejected_records WHERE id = ? AND resolved IS NULL", id) != nil
      try db.run("DELETE FROM rejected_records WHERE id = ?", id)
      if wasOpen { dropped += 1 }
    }
    guard dropped > 0 else { return }
    try db.run(
      """
      INSERT INTO rejected_drops (device, dropped) VALUES (?, ?)
      ON CONFLICT (device) DO UPDATE SET dropped = rejected_drops.dropped + excluded.dropped
      """, device, dropped)
  }

  /// Deletes records that were resolved more than ``solvedDays`` days ago.
  package static func discardResolved(at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "DELETE FROM rejected_records WHERE resolved < ?",
      now.addingTimeInterval(-solvedDays * DayLength.seconds).millisecondsSince1970)
  }
}

extension StoredRejectedRecord {
  /// - Parameters:
  ///   - row: with the table's columns.
  ///   - names: the names of the devices.
  fileprivate init(_ row: any SQLRow, _ names: DeviceNames) throws {
    let raw = try row.blob("raw")
    var rejected = RejectedRecord(place: try row.text("place"), reason: try row.text("reason"), raw: raw)
    rejected.origin = RejectedRecordOrigin(format: try row.optionalText("protocol"), stored: try row.optionalText("origin"))
    self.init(
      id: try row.integer("id"), device: names.device(try row.integer("device")), received: try row.time("received"),
      rejected: rejected, size: try row.optionalInteger("size").map { Int($0) } ?? raw.count,
      attempts: Int(try row.integer("attempts")),
      tried: try row.optionalTime("last_attempt"), solved: try row.optionalTime("resolved"))
  }
}
