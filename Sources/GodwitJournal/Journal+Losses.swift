public import Foundation
internal import GodwitSQLite

/// The removal of records that an endpoint has not acknowledged, and the counts of such losses. ``LossReason`` has the reasons.
extension Journal {
  /// Why records were removed.
  public enum LossReason: String, Sendable, Hashable {
    /// They waited longer than the setting `retention`.
    case age
    /// The journal was larger than the setting `max_journal_size`.
    case size
    /// The endpoint had rejected them, and they were quarantined longer than the setting `retention`.
    case rejected
  }

  /// Records that an endpoint will never get.
  public struct Loss: Sendable, Hashable {
    /// The endpoint's name.
    public var endpoint: String
    public var reason: LossReason
    /// The number of records.
    public var count: Int
    /// The times at which the first and the last of them were recorded.
    public var first: Date
    public var last: Date
    /// The time at which the first of them was removed. Losses within a day are counted together.
    public var time: Date
  }

  /// Maximum number of records that one transaction removes.
  private static let slice: Int64 = 1000

  /// Removes the records that have waited for an endpoint longer than an age. Only time in which this journal was open counts, as
  /// `uptime` measures it. Records that other endpoints still need are kept for them.
  /// - Parameters:
  ///   - endpoint: the name of the endpoint.
  ///   - age: the age in seconds.
  ///   - now: the time.
  /// - Returns: the number of records that the endpoint will never get.
  @discardableResult
  package func removeRecords(waitingFor endpoint: String, olderThan age: Double, at now: Date) throws -> Int {
    try writing.withLock {
      let limit = runningTime - Int64(max(0, min(age, 1e12)))
      let after = queue.firstAfter(endpoint)
      guard queue.cursors[endpoint] != nil, after < queue.lastSequence else { return 0 }
      // The running time never decreases, so the search ends at the first record that is younger.
      let young = try writer.integer(
        "SELECT sequence FROM records WHERE sequence > ? AND uptime >= ? ORDER BY sequence LIMIT 1", after, limit)
      let through = young.map { $0 - 1 } ?? queue.lastSequence
      guard through > after else { return 0 }
      try change(isFlushed: true) {
        try queue.lose(endpoint, through: through, .age, at: now)
        try queue.deleteDelivered()
      }
      queue.recordRemoved(endpoint, after + 1...through)
      try queue.findFirst()
      return Int(through - after)
    }
  }

  /// Removes the oldest records until the journal does not exceed a size in bytes, but never the newest record.
  @discardableResult
  package func shrink(to bytes: Int, at now: Date) throws -> JournalRemoval {
    try writing.withLock {
      var lost = JournalRemoval()
      while try usedBytes() > bytes {
        let oldest = try writer.integer("SELECT min(sequence) FROM records") ?? queue.lastSequence
        let through = min(oldest + Self.slice - 1, queue.lastSequence - 1)
        guard through >= oldest else { break }
        let before = queue.cursors
        var quarantined: [String: Int] = [:]
        try change(isFlushed: true) {
          for endpoint in before.keys.sorted() where queue.firstAfter(endpoint) < through {
            try queue.lose(endpoint, through: through, .size, at: now)
          }
          quarantined = try JournalLosses.loseQuarantined("sequence", through, .size, at: now, in: writer)
          try writer.run("DELETE FROM records WHERE sequence <= ?", through)
          try writer.run("DELETE FROM contexts WHERE id <= ?", through - RecordAppender.contextSpan)
          try queue.storeLastSequence()
        }
        for (endpoint, cursor) in before where cursor.acknowledged < through {
          let from = max(cursor.acknowledged, queue.firstSequence - 1) + 1
          guard from <= through else { continue }
          queue.recordRemoved(endpoint, from...through)
          lost.waiting[endpoint, default: 0] += Int(through - from + 1)
        }
        lost.quarantined.merge(quarantined, uniquingKeysWith: +)
        try queue.findFirst()
      }
      return lost
    }
  }

  /// Removes quarantined records older than an age in seconds, and contexts that no record uses.
  /// - Returns: the number of records that each endpoint will never get, by its name.
  @discardableResult
  package func removeQuarantined(olderThan age: Double, at now: Date) throws -> [String: Int] {
    try writing.withLock {
      let limit = runningTime - Int64(max(0, min(age, 1e12)))
      return try writer.transaction {
        let lost = try JournalLosses.loseQuarantined("uptime", limit - 1, .rejected, at: now, in: writer)
        try queue.delete(through: min(queue.firstSequence, queue.lastSequence) - 1)
        let oldest = try writer.integer("SELECT min(sequence) FROM records") ?? queue.lastSequence
        try writer.run("DELETE FROM contexts WHERE id <= ?", oldest - RecordAppender.contextSpan)
        return lost
      }
    }
  }

  /// Returns the losses, oldest first.
  /// - Parameter since: losses with an earlier ``Loss/time`` are omitted.
  public func losses(since: Date = .distantPast) throws -> [Loss] {
    try reading.withLock { try JournalLosses.read(since: since, from: reader.database) }
  }

  /// Returns the bytes of the file that are in use.
  func usedBytes() throws -> Int {
    let pages = (try writer.integer("PRAGMA page_count") ?? 0) - (try writer.integer("PRAGMA freelist_count") ?? 0)
    return Int(pages * (try writer.integer("PRAGMA page_size") ?? 4096))
  }
}
