internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// The numbers of removed records that each endpoint will never get, by its name.
package struct JournalRemoval: Sendable, Hashable {
  /// Records that waited for the endpoint.
  package var waiting: [String: Int] = [:]
  /// Records that were quarantined for the endpoint.
  package var quarantined: [String: Int] = [:]
}

/// The table of records that were removed before an endpoint had them.
enum JournalLosses {
  /// Maximum rows of the table.
  private static let maximum = 1000
  /// Seconds within which losses of the same kind are counted together.
  private static let span = DayLength.seconds

  /// Counts removed records of an endpoint. Requires a transaction.
  static func count(
    _ count: Int64, of endpoint: String, after: Int64, through: Int64, _ reason: Journal.LossReason, at now: Date,
    in database: Database
  ) throws {
    let first = try recorded("sequence > ? ORDER BY sequence", after, database) ?? now.timeIntervalSince1970
    let last = try recorded("sequence <= ? ORDER BY sequence DESC", through, database) ?? first
    let time = now.timeIntervalSince1970
    let known = try database.integer(
      "SELECT id FROM lost_records WHERE endpoint = ? AND reason = ? AND abs(time - ?) < ? ORDER BY id DESC LIMIT 1", endpoint,
      reason.rawValue, time, span)
    if let known {
      try database.run("UPDATE lost_records SET count = count + ?, last = ? WHERE id = ?", count, last, known)
      return
    }
    try database.run(
      "INSERT INTO lost_records (endpoint, reason, time, first, last, count) VALUES (?, ?, ?, ?, ?, ?)", endpoint,
      reason.rawValue, time, first, last, count)
    try database.run("DELETE FROM lost_records WHERE id <= (SELECT max(id) FROM lost_records) - ?", maximum)
  }

  private static func recorded(_ condition: String, _ sequence: Int64, _ database: Database) throws -> Double? {
    let rows = try database.statement("SELECT recorded FROM records WHERE \(condition) LIMIT 1")
    try rows.bind([sequence])
    defer { rows.reset() }
    return try rows.step() ? rows.double("recorded") : nil
  }

  /// Counts quarantined records as losses, and removes them. Requires a transaction.
  /// - Parameters:
  ///   - column: the column that is compared.
  ///   - limit: the largest value of that column in a record that is removed.
  /// - Returns: the number of records, by the name of the endpoint.
  static func loseQuarantined(
    _ column: String, _ limit: Int64, _ reason: Journal.LossReason, at now: Date, in database: Database
  ) throws -> [String: Int] {
    let rows = try database.statement(
      """
      SELECT endpoint, count(*) AS count, min(sequence) AS first, max(sequence) AS last FROM quarantined_records
      WHERE \(column) <= ? GROUP BY endpoint
      """)
    try rows.bind([limit])
    var parts: [(endpoint: String, count: Int64, first: Int64, last: Int64)] = []
    while try rows.step() {
      try parts.append((rows.text("endpoint"), rows.integer("count"), rows.integer("first"), rows.integer("last")))
    }
    rows.reset()
    for part in parts {
      try count(part.count, of: part.endpoint, after: part.first - 1, through: part.last, reason, at: now, in: database)
    }
    if !parts.isEmpty { try database.run("DELETE FROM quarantined_records WHERE \(column) <= ?", limit) }
    return Dictionary(uniqueKeysWithValues: parts.map { ($0.endpoint, Int($0.count)) })
  }

  /// Reduces the last loss of waiting records, because records that were counted as lost have arrived. Requires a transaction.
  static func countBack(_ count: Int64, _ endpoint: String, in database: Database) throws {
    try database.run(
      """
      UPDATE lost_records SET count = max(0, count - ?)
      WHERE id = (SELECT max(id) FROM lost_records WHERE endpoint = ? AND reason <> ?)
      """, count, endpoint, Journal.LossReason.rejected.rawValue)
  }

  /// Returns the losses, oldest first.
  static func read(since: Date, from database: Database) throws -> [Journal.Loss] {
    let rows = try database.statement(
      "SELECT endpoint, reason, count, first, last, time FROM lost_records WHERE time >= ? AND count > 0 ORDER BY id")
    try rows.bind([since.timeIntervalSince1970])
    defer { rows.reset() }
    var losses: [Journal.Loss] = []
    while try rows.step() {
      try losses.append(
        Journal.Loss(
          endpoint: rows.text("endpoint"), reason: Journal.LossReason(rawValue: rows.text("reason")) ?? .age,
          count: Int(rows.integer("count")),
          first: Date(timeIntervalSince1970: rows.double("first")), last: Date(timeIntervalSince1970: rows.double("last")),
          time: Date(timeIntervalSince1970: rows.double("time"))))
    }
    return losses
  }
}
