package import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// Reads the intact records of a damaged journal. Pages that fail their checksum are skipped.
package struct JournalSalvage {
  private let database: Database
  private let reader: RecordReader
  private let rows: Statement
  private let next: Statement
  /// The sequence number before the next record to read.
  private var after: Int64
  private var isAtEnd = false

  /// Maximum records of one read.
  private static let limit = 500
  /// Maximum sequence numbers that a search for the next readable record covers.
  private static let reach: Int64 = 1 << 40

  /// - Parameter path: the damaged file.
  /// - Throws: `SQLiteError` if nothing of it can be read.
  init(_ path: String) throws {
    database = try Database(path: path, access: .readOnly, syncsAll: false)
    reader = RecordReader(database, journal: 0)
    rows = try database.statement(
      "SELECT \(RecordAppender.columns) FROM records WHERE sequence > ? ORDER BY sequence LIMIT \(Self.limit)")
    next = try database.statement("SELECT sequence FROM records WHERE sequence > ? ORDER BY sequence LIMIT 1")
    // Records that every endpoint has are not sent again.
    after = (try? database.integer("SELECT min(acknowledged) FROM cursors")) ?? 0
  }

  /// Returns the readable values that were stored with the records, except those that belong to sequence numbers.
  func values() -> [String: String] {
    var values: [String: String] = [:]
    guard let rows = try? database.statement("SELECT key, value FROM stored_values") else { return [:] }
    defer { rows.reset() }
    while (try? rows.step()) == true {
      if let key = try? rows.text("key"), let value = try? rows.text("value") { values[key] = value }
    }
    return values.filter { !$0.key.hasPrefix(Journal.sinceNote("")) }
  }

  /// Returns the next records that an endpoint may not have; empty at the end.
  mutating func records() -> [Record] {
    var records: [Record] = []
    while records.isEmpty, !isAtEnd {
      let count = read { records.append($0) }
      if let count { isAtEnd = count < Self.limit } else { skip() }
    }
    return records
  }

  /// Reads the next records. - Returns: the number of rows; `nil`: an error ended the read.
  private mutating func read(_ use: (Record) -> Void) -> Int? {
    rows.reset()
    rows.bind(after, at: 1)
    defer { rows.reset() }
    var count = 0
    do {
      while try rows.step() {
        let (sequence, record) = try reader.read(rows)
        after = max(after, sequence)
        count += 1
        if !reader.damaged.contains(sequence) { use(record) }
      }
    } catch {
      return nil
    }
    return count
  }

  /// Moves to the first readable record after the damage: by steps that double, then by bisection of the last step.
  private mutating func skip() {
    var step: Int64 = 1
    while !isReadable(after &+ step) {
      step *= 2
      guard step < Self.reach, after < Int64.max - step else {
        isAtEnd = true
        return
      }
    }
    var low = step / 2
    while step - low > 1 {
      let middle = low + (step - low) / 2
      if isReadable(after + middle) { step = middle } else { low = middle }
    }
    after += step
  }

  private func isReadable(_ after: Int64) -> Bool {
    next.reset()
    next.bind(after, at: 1)
    defer { next.reset() }
    return (try? next.step()) != nil
  }

  /// Appends the readable records of a damaged journal that an endpoint may not have, and stores its values. An endpoint that had
  /// some of the records gets them again, as records of the new journal.
  /// - Parameters:
  ///   - path: the damaged file.
  ///   - journal: the new journal, with registered endpoints.
  ///   - now: the time, at which the records count as recorded.
  /// - Returns: the number of records.
  package static func append(recordsOf path: String, to journal: Journal, at now: Date) throws -> Int {
    guard var salvage = try? JournalSalvage(path) else { return 0 }
    try journal.append([], remembering: salvage.values().mapValues { $0 }, recordedAt: now)
    var count = 0
    while true {
      let records = salvage.records()
      guard !records.isEmpty else { return count }
      try journal.append(records, recordedAt: now)
      count += records.count
    }
  }
}
