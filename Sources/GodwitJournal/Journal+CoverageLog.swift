public import Foundation
public import GodwitEngine
package import GodwitModel
internal import GodwitSQLite

/// The data about the tracker itself: the coverage log, changes of settings, and the bytes sent in a day.
extension Journal {
  /// Maximum lines of the coverage log: two months if every minute has its own line, usually years.
  package static let maximumCoverageLines = 86_400

  /// Writes lines. A line with the same start is replaced, and an earlier line that overlaps a new one is shortened.
  package func store(_ lines: [CoverageEntry]) throws {
    try writing.withLock {
      try writer.transaction {
        for line in lines { try CoverageTable.write(line, to: writer) }
        // A tracker that records nothing accumulates its running time here.
        try writer.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('uptime', ?)", runningTime)
        try writer.run(
          "DELETE FROM coverage WHERE start < (SELECT start FROM coverage ORDER BY start DESC LIMIT 1 OFFSET ?)",
          Self.maximumCoverageLines)
      }
    }
  }

  /// Returns the lines of a time, oldest first.
  public func coverage(from: Date = .distantPast, to: Date = .distantFuture) throws -> [CoverageEntry] {
    try reading.withLock { try reader.coverage(from: from, to: to) }
  }

  /// Returns the end of the coverage log; `nil`: it is empty.
  public func coverageEnd() throws -> Date? {
    try reading.withLock {
      try reader.database.integer("SELECT start + minutes FROM coverage ORDER BY start DESC LIMIT 1")
        .map { Date(timeIntervalSince1970: Double($0) * 60) }
    }
  }

  /// Returns the time at which the oldest record that an endpoint has not acknowledged was recorded; `nil`: none waits.
  public func oldestWaiting(endpoint: String) throws -> Date? {
    let after = acknowledged(endpoint: endpoint)
    return try reading.withLock { try reader.recordedTime(from: after + 1) }
  }

  /// A stored change of a setting.
  public struct SettingsEvent: Sendable, Hashable {
    public var time: Date
    /// "user", "server NAME" or "rollback NAME".
    public var source: String
    public var name: String
    /// The values as JSON.
    public var old: String
    public var new: String
  }

  /// Stores changes with their source.
  package func log(_ changes: [SettingChange], source: String, at now: Date) throws {
    let encoder = JSONEncoder()
    func json(_ value: SettingValue) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }
    try writing.withLock {
      try writer.transaction {
        for change in changes {
          try writer.run(
            "INSERT INTO settings_changes (time, source, name, old, new) VALUES (?, ?, ?, ?, ?)",
            now.timeIntervalSince1970, source, change.name, try json(change.old), try json(change.new))
        }
        try writer.run("DELETE FROM settings_changes WHERE id <= (SELECT max(id) FROM settings_changes) - 1000")
      }
    }
  }

  /// Returns the last changes of settings, newest first.
  public func settingsEvents(limit: Int = 50) throws -> [SettingsEvent] {
    try reading.withLock { try reader.settingsEvents(limit: limit) }
  }

  /// Returns the bytes that were sent to an endpoint on the day (UTC) of a time.
  public func sentBytes(endpoint: String, on day: Date) throws -> Int {
    try reading.withLock {
      Int(
        try reader.database.integer(
          "SELECT bytes FROM usage WHERE endpoint = ? AND day = ?", endpoint, Self.dayNumber(day)) ?? 0)
    }
  }

  /// Adds to the bytes that were sent to an endpoint on the day of `now`. Requires the lock `writing` and a transaction.
  func countUsage(_ endpoint: String, _ bytes: Int, at now: Date) throws {
    try writer.run(
      """
      INSERT INTO usage (endpoint, day, bytes) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET bytes = CASE WHEN day = ?2 THEN bytes ELSE 0 END + ?3, day = ?2
      """, endpoint, Self.dayNumber(now), bytes)
  }

  private static func dayNumber(_ time: Date) -> Int { Int((time.timeIntervalSince1970 / DayLength.seconds).rounded(.down)) }
}
