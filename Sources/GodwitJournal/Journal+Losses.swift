public import Foundation
internal import GodwitSQLite

/// Records that are removed before every endpoint has them, for one of two reasons, and their counts.
extension Journal {
  /// Why records were removed.
  public enum LossReason: String, Sendable, Hashable {
    /// They waited longer than the setting `retention`.
    case age
    /// The journal was larger than the setting `max_journal_size`.
    case size
  }

  /// Records that an endpoint never gets.
  public struct Loss: Sendable, Hashable {
    /// The endpoint's name.
    public var endpoint: String
    public var reason: LossReason
    /// The number of records.
    public var count: Int
    /// When the first and the last of them were recorded.
    public var first: Date
    public var last: Date
    /// When the last of them was removed.
    public var time: Date
  }

  /// Maximum rows of losses.
  private static let maximumLosses = 1000
  /// Seconds within which losses are counted together.
  private static let lossSpan = 86_400.0
  /// Records that are removed in one transaction.
  private static let slice: Int64 = 1000

  /// Removes what has waited for an endpoint longer than an age. Only time while this journal was open counts, as
  /// `uptime` measures it; records that other endpoints still need stay for them.
  /// - Parameters:
  ///   - endpoint: its name.
  ///   - age: seconds.
  ///   - now: the time.
  /// - Returns: the number of records that it will never get.
  @discardableResult
  public func removeRecords(waitingFor endpoint: String, olderThan age: Double, at now: Date) throws -> Int {
    try writing.withLock {
      let limit = lived - Int64(max(0, min(age, 1e12)))
      let after = firstAfter(endpoint)
      guard cursors[endpoint] != nil, after < lastSequence else { return 0 }
      // The running time never decreases: the first record that is young enough ends the search.
      let young = try writer.integer(
        "SELECT sequence FROM records WHERE sequence > ? AND uptime >= ? ORDER BY sequence LIMIT 1", after, limit)
      let through = young.map { $0 - 1 } ?? lastSequence
      guard through > after else { return 0 }
      try synchronise(true)
      let before = cursors
      do {
        try writer.transaction {
          try lose(endpoint, through: through, .age, at: now)
          try deleteDelivered()
        }
      } catch {
        cursors = before
        throw error
      }
      noteRemoved(endpoint, after + 1...through)
      try findFirst()
      return Int(through - after)
    }
  }

  /// Removes the oldest records until the journal has its maximum size, but never the newest one.
  /// - Returns: the number of records that each endpoint will never get, by its name.
  @discardableResult
  public func shrink(to bytes: Int, at now: Date) throws -> [String: Int] {
    try writing.withLock {
      var lost: [String: Int] = [:]
      while try usedBytes() > bytes {
        let oldest = try writer.integer("SELECT min(sequence) FROM records") ?? lastSequence
        let through = min(oldest + Self.slice - 1, lastSequence - 1)
        guard through >= oldest else { break }
        try synchronise(true)
        let before = cursors
        do {
          try writer.transaction {
            for endpoint in cursors.keys.sorted() where firstAfter(endpoint) < through {
              try lose(endpoint, through: through, .size, at: now)
            }
            try writer.run("DELETE FROM quarantined_records WHERE sequence <= ?", through)
            try writer.run("DELETE FROM records WHERE sequence <= ?", through)
            try writer.run("DELETE FROM contexts WHERE id <= ?", through - RecordAppender.contextSpan)
            try keepLastSequence()
          }
        } catch {
          cursors = before
          throw error
        }
        for (endpoint, cursor) in before where cursor.acknowledged < through {
          let from = max(cursor.acknowledged, firstSequence - 1) + 1
          guard from <= through else { continue }
          noteRemoved(endpoint, from...through)
          lost[endpoint, default: 0] += Int(through - from + 1)
        }
        try findFirst()
      }
      return lost
    }
  }

  /// Removes old quarantined records, and contexts that no record uses.
  public func removeSetAside(olderThan age: Double) throws {
    try writing.withLock {
      let limit = lived - Int64(max(0, min(age, 1e12)))
      try writer.transaction {
        try writer.run("DELETE FROM quarantined_records WHERE uptime < ?", limit)
        try writer.run(
          "DELETE FROM records WHERE sequence < ? AND sequence NOT IN (SELECT sequence FROM quarantined_records)",
          min(firstSequence, lastSequence))
        let oldest = try writer.integer("SELECT min(sequence) FROM records") ?? lastSequence
        try writer.run("DELETE FROM contexts WHERE id <= ?", oldest - RecordAppender.contextSpan)
      }
    }
  }

  /// Returns the losses, oldest first.
  /// - Parameter since: losses before it are left out.
  public func losses(since: Date = .distantPast) throws -> [Loss] {
    try reading.withLock {
      let rows = try reader.statement(
        "SELECT endpoint, reason, count, first, last, time FROM lost_records WHERE time >= ? AND count > 0 ORDER BY id")
      try rows.bind([since.timeIntervalSince1970])
      defer { rows.reset() }
      var losses: [Loss] = []
      while try rows.step() {
        losses.append(
          Loss(
            endpoint: rows.text(0), reason: LossReason(rawValue: rows.text(1)) ?? .age, count: Int(rows.integer(2)),
            first: Date(timeIntervalSince1970: rows.double(3)), last: Date(timeIntervalSince1970: rows.double(4)),
            time: Date(timeIntervalSince1970: rows.double(5))))
      }
      return losses
    }
  }

  /// Bytes of the file that are in use.
  func usedBytes() throws -> Int {
    let pages = (try writer.integer("PRAGMA page_count") ?? 0) - (try writer.integer("PRAGMA freelist_count") ?? 0)
    return Int(pages * (try writer.integer("PRAGMA page_size") ?? 4096))
  }

  // MARK: With `writing` locked

  /// Requires a transaction.
  private func lose(_ endpoint: String, through: Int64, _ reason: LossReason, at now: Date) throws {
    guard var cursor = cursors[endpoint] else { return }
    let after = firstAfter(endpoint)
    let count = through - after
    let first = try recorded("sequence > ? ORDER BY sequence", after) ?? now.timeIntervalSince1970
    let last = try recorded("sequence <= ? ORDER BY sequence DESC", through) ?? first
    cursor.acknowledged = through
    cursor.lose(count)
    try cursor.write(as: endpoint, to: writer)
    cursors[endpoint] = cursor
    let time = now.timeIntervalSince1970
    let known = try writer.integer(
      "SELECT id FROM lost_records WHERE endpoint = ? AND reason = ? AND abs(time - ?) < ? ORDER BY id DESC LIMIT 1", endpoint,
      reason.rawValue, time, Self.lossSpan)
    if let known {
      try writer.run(
        "UPDATE lost_records SET count = count + ?, last = ? WHERE id = ?", count, last, known)
      return
    }
    try writer.run(
      "INSERT INTO lost_records (endpoint, reason, time, first, last, count) VALUES (?, ?, ?, ?, ?, ?)", endpoint,
      reason.rawValue, time, first, last, count)
    try writer.run("DELETE FROM lost_records WHERE id <= (SELECT max(id) FROM lost_records) - ?", Self.maximumLosses)
  }

  private func recorded(_ condition: String, _ sequence: Int64) throws -> Double? {
    let rows = try writer.statement("SELECT recorded FROM records WHERE \(condition) LIMIT 1")
    try rows.bind([sequence])
    defer { rows.reset() }
    return try rows.step() ? rows.double(0) : nil
  }

  private func noteRemoved(_ endpoint: String, _ numbers: ClosedRange<Int64>) {
    removed[endpoint] = min(removed[endpoint]?.lowerBound ?? numbers.lowerBound, numbers.lowerBound)...numbers.upperBound
  }

  /// Returns the number of records of a batch that were removed while it was in flight.
  func lostButArrived(_ endpoint: String, _ first: Int64, _ last: Int64) -> Int64 {
    guard let numbers = removed[endpoint] else { return 0 }
    return max(0, min(last, numbers.upperBound) - max(first, numbers.lowerBound) + 1)
  }

  /// Reduces the last loss. Requires a transaction.
  func countBack(_ count: Int64, _ endpoint: String) throws {
    try writer.run(
      "UPDATE lost_records SET count = max(0, count - ?) WHERE id = (SELECT max(id) FROM lost_records WHERE endpoint = ?)", count,
      endpoint)
  }
}
