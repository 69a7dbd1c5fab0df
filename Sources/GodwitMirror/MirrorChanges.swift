package import Foundation
internal import GodwitModel
package import GodwitStore

/// Ranges of times whose records changed, which are to be sent to the mirror. Written in the transactions of the changes; without a
/// mirror nothing is written.
package enum MirrorChanges {
  /// A range of a device's times.
  package struct Change: Sendable, Hashable {
    package let id: Int64
    package let device: Int64
    /// Milliseconds since 1970, both inclusive.
    package let first: Int64
    package let last: Int64
    package let removal: MirrorRemoval
    /// Whether the records are of former times, and not of a device that was connected.
    package let isHistory: Bool
  }

  /// Milliseconds without a changed record after which another range begins: what is between is sent again.
  package static let gap: Int64 = 600_000

  /// Ranges of times, each with its number of times.
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

  /// Records new records.
  /// - Parameters:
  ///   - times: of the records, milliseconds since 1970.
  ///   - device: the device.
  ///   - isHistory: whether they were imported.
  ///   - queued: the time of receipt.
  ///   - db: in the transaction that stores them, of a store with a mirror.
  static func add(
    _ times: some Sequence<Int64>, ofDevice device: Int64, isHistory: Bool, at queued: Date, _ db: any SQLConnection
  ) throws {
    for (range, count) in ranges(of: times) {
      try insert(range, device, .none, isHistory: isHistory, count, queued.millisecondsSince1970, db)
    }
  }

  /// Records that records of a device were deleted, moved or returned. Call it in the same transaction.
  /// - Parameters:
  ///   - times: of the records, milliseconds since 1970.
  ///   - device: the device.
  ///   - removal: what a mirror deletes.
  package static func record(
    _ times: some Sequence<Int64>, ofDevice device: Int64, removal: MirrorRemoval, _ db: any SQLConnection
  ) throws {
    guard try MirrorTables.isConfigured(db) else { return }
    for (range, _) in ranges(of: times) { try insert(range, device, removal, isHistory: true, 0, nil, db) }
  }

  /// The same for a whole range, milliseconds since 1970.
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

  /// The oldest changes.
  package static func oldest(limit: Int, _ db: any SQLConnection) throws -> [Change] {
    try db.all("SELECT id, device, first, last, removal, history FROM mirror_changes ORDER BY id LIMIT ?", limit) {
      try Change(
        id: $0.integer("id"), device: $0.integer("device"), first: $0.integer("first"), last: $0.integer("last"),
        // A removal of a newer version is the strictest that this one has.
        removal: MirrorRemoval(rawValue: $0.text("removal")) ?? .all, isHistory: $0.integer("history") != 0)
    }
  }

  /// Dates changes that have no time yet, which are of transactions that know none.
  package static func date(at now: Date, _ db: any SQLConnection) throws {
    try db.run("UPDATE mirror_changes SET queued = ? WHERE queued IS NULL", now.millisecondsSince1970)
  }

  /// Records that the mirror has what some changes name before a time; `nil`: all of it.
  package static func finish(_ changes: [Change], before next: Int64?, _ db: any SQLConnection) throws {
    // By their numbers: a transaction with a lower number may commit later.
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
