public import Foundation
public import GodwitEngine
internal import GodwitModel
internal import GodwitSQLite

/// A line of the coverage log, with the delivery of its fixes.
public struct CoverageLine: Sendable, Hashable {
  /// The minutes, and the reason why there are fixes in them or none.
  public var entry: CoverageEntry
  /// The endpoints that have not acknowledged all of these fixes yet.
  public var unsent: [String] = []
  /// Records that an endpoint rejected permanently.
  public var rejected: [Rejection] = []

  /// Records of some minutes that an endpoint rejected for the same reason.
  public struct Rejection: Sendable, Hashable {
    /// The endpoint's name.
    public var endpoint: String
    /// The reason that the endpoint gave.
    public var reason: String
    /// The number of records.
    public var count: Int
  }
}

extension Journal {
  /// Returns the lines of the coverage log in a time, oldest first, with unsent and rejected records. A run of minutes that is
  /// partly sent gives two lines.
  /// - Parameters:
  ///   - from: lines that end before this time are omitted.
  ///   - to: lines that begin at or after this time are omitted.
  public func coverageLines(from: Date = .distantPast, to: Date = .distantFuture) throws -> [CoverageLine] {
    try CoverageReport(journal: self).lines(from: from, to: to)
  }

  /// Returns the number of stored fixes that were recorded in a time.
  fileprivate func fixes(from: Date, to: Date) throws -> Int {
    try reading.withLock {
      Int(
        try reader.database.integer(
          "SELECT count(*) FROM records WHERE kind = 0 AND recorded >= ? AND recorded < ?",
          from.timeIntervalSince1970, to.timeIntervalSince1970) ?? 0)
    }
  }
}

/// Joins the coverage log with the unsent and the rejected records.
private struct CoverageReport {
  let journal: Journal

  func lines(from: Date, to: Date) throws -> [CoverageLine] {
    var unsentSince: [(endpoint: String, minute: Date)] = []
    var rejected: [(minute: Date, endpoint: String, reason: String)] = []
    for endpoint in journal.endpoints() {
      if let time = try journal.oldestWaiting(endpoint: endpoint) { unsentSince.append((endpoint, Self.minute(of: time))) }
      for (_, reason, record) in try journal.quarantined(endpoint: endpoint) {
        rejected.append((Self.minute(of: record.received ?? record.time), endpoint, reason))
      }
    }
    let cuts = Set(unsentSince.map(\.minute)).sorted()
    rejected.sort { $0.minute < $1.minute }
    return try journal.coverage(from: from, to: to).flatMap { try split($0, at: cuts) }.map { entry in
      var line = CoverageLine(entry: entry)
      if entry.fixes > 0 { line.unsent = unsentSince.filter { $0.minute < entry.end }.map(\.endpoint) }
      let first = rejected.partitioningIndex { $0.minute >= entry.start }
      for rejection in rejected[first...].prefix(while: { $0.minute < entry.end }) {
        if let index = line.rejected.firstIndex(where: { $0.endpoint == rejection.endpoint && $0.reason == rejection.reason }) {
          line.rejected[index].count += 1
        } else {
          line.rejected.append(CoverageLine.Rejection(endpoint: rejection.endpoint, reason: rejection.reason, count: 1))
        }
      }
      return line
    }
  }

  /// Splits an entry at the cuts and counts the fixes of each part. Unsent fixes are still stored, so the parts after the first
  /// cut can be counted; the first part has the remaining fixes.
  private func split(_ entry: CoverageEntry, at cuts: [Date]) throws -> [CoverageEntry] {
    let cuts = cuts.filter { $0 > entry.start && $0 < entry.end }
    guard entry.fixes > 0, !cuts.isEmpty else { return [entry] }
    let starts = [entry.start] + cuts
    var parts: [CoverageEntry] = []
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] : entry.end
      var part = entry
      part.start = start
      part.minutes = Int(end.timeIntervalSince(start) / 60)
      part.fixes = index == 0 ? 0 : try journal.fixes(from: start, to: end)
      parts.append(part)
    }
    parts[0].fixes = max(0, entry.fixes - parts.reduce(0) { $0 + $1.fixes })
    return parts
  }

  private static func minute(of time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 / 60).rounded(.down) * 60)
  }
}
