package import Foundation
internal import GodwitModel
package import GodwitStore

/// Ranges of times whose records changed and must be sent to the mirror. They are written in the transactions of the changes.
/// Without a mirror nothing is written.
package enum MirrorChanges {
  /// A range of times of a device.
  package struct Change: Sendable, Hashable {
    package let id: Int64
    package let device: Int64
    /// The first and the last time, milliseconds since 1970, both inclusive.
    package let first: Int64
    package let last: Int64
    package let removal: MirrorRemoval
    /// Whether the records were imported, and not sent by a connected device.
    package let isHistory: Bool
  }

  /// Maximum milliseconds between two changed records in one range. The records between them are sent again.
  package static let gap: Int64 = 600_000

  /// Groups times into ranges, each with the number of its times.
  static func ranges(of times: some Sequence<Int64>) -> [(range: ClosedRange<Int64>, count: Int)] {
    var ranges: [(range: ClosedRange<Int64>, count: Int)] = []
    for time in times.sorted() {
      if let last = ranges.last {
        let (distance, isTooFar) = time.subtractingReportingOverflow(last.range.upperBound)
        if !isTooFar, distance <= gap {
          ranges[ranges.count - 1] = (last.range.lowerBound...time, last.count + 1)
          continue
        }
      }
      ranges.append((time...time, 1))
    }
    return ranges
  }

  /// Stores the ranges of new records.
  /// - Parameters:
  ///   - times: the times of the records, milliseconds since 1970.
  ///   - device: the device.
  ///   - isHistory: whether the records were imported.
  ///   - queued: the time of receipt.
  ///   - db: the transaction that stores the records, in a store with a mirror.
  static func add(
    _ times: some Sequence<Int64>, ofDevice device: Int64, isHistory: Bool, at queued: Date, _ db: any SQLConnection
  ) throws {
    for (range, count) in ranges(of: times) {
      try insert(range, device, .none, isHistory: isHistory, count, queued.millisecondsSince1970, db)
    }
  }

  /// Stores the ranges of records of a device that were deleted, moved or restored. Call it in the same transaction.
  /// - Parameters:
  ///   - times: the times of the records, milliseconds since 1970.
  ///   - device: the device.
  ///   - removal: what the mirror deletes.
  package static func record(
    _ times: some Sequence<Int64>, ofDevice device: Int64, removal: MirrorRemoval, _ db: any SQLConnection
  ) throws {
    guard try MirrorTables.isConfigured(db) else { return }
    for (range, _) in ranges(of: times) { try insert(range, device, removal, isHistory: true, 0, nil, db) }
  }

  /// Stores a range of records of a device that were deleted, moved or restored. - Parameter times: milliseconds since 1970.
  package static func record(
    _ times: Range<Int64>, ofDevice device: Int64, removal: MirrorRemoval, _ db: any SQLConnection
  ) throws {
    guard !times.isEmpty, try MirrorTables.isConfigured(db) else { return }
    try insert(times.lowerBound...(times.upperBound - 1), device, removal, isHistory: true, 0, nil, db)
  }

  private static func insert(
    _ range: ClosedRange<Int64>, _ device: Int64, _ removal: MirrorRemoval, isHistory: Bool, _ records: Int, _ queued: Int64?,
    _ db: any SQLConnection
  ) throws {
    try db.run(
      "INSERT INTO mirror_changes (device, first, last, removal, history, records, queued) VALUES (?, ?, ?, ?, ?, ?, ?)",
      device, range.lowerBound, range.upperBound, removal.rawValue, isHistory ? 1 : 0, records, queued)
  }

  /// Returns the oldest changes.
  package static func oldest(limit: Int, _ db: any SQLConnection) throws -> [Change] {
    try db.all("SELECT id, device, first, last, removal, history FROM mirror_changes ORDER BY id LIMIT ?", limit) {
      try Change(
        id: $0.integer("id"), device: $0.integer("device"), first: $0.integer("first"), last: $0.integer("last"),
        // An unknown value comes from a newer version. The strictest removal of this version is used.
        removal: MirrorRemoval(rawValue: $0.text("removal")) ?? .all, isHistory: $0.integer("history") != 0)
    }
  }

  /// Sets the time of changes without one. They come from transactions that do not know the time.
  package static func date(at now: Date, _ db: any SQLConnection) throws {
    try db.run("UPDATE mirror_changes SET queued = ? WHERE queued IS NULL", now.millisecondsSince1970)
  }

  /// Removes the part of changes before a time, because the mirror has it; `nil`: removes the changes.
  package static func finish(_ changes: [Change], before next: Int64?, _ db: any SQLConnection) throws {
    // By id: a transaction with a lower id may commit later.
    let done = changes.filter { change in next.map { change.last < $0 } ?? true }
    try forEachPart(done) { try db.run("DELETE FROM mirror_changes WHERE id IN (\($0))") }
    guard let next else { return }
    try forEachPart(changes.filter { $0.first < next && $0.last >= next }) {
      try db.run("UPDATE mirror_changes SET first = ? WHERE id IN (\($0))", next)
    }
  }

  private static func forEachPart(_ changes: [Change], _ body: (String) throws -> Void) throws {
    var rest = changes[...]
    while !rest.isEmpty {
      try body(rest.prefix(500).map { String($0.id) }.joined(separator: ", "))
      rest = rest.dropFirst(500)
    }
  }
}
