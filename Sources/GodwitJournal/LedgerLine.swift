public import Foundation
public import GodwitEngine
internal import GodwitModel
internal import GodwitSQLite

/// A line of the ledger with what became of its fixes.
public struct LedgerLine: Sendable, Hashable {
  /// Why there are fixes in these minutes, or none.
  public var entry: LedgerEntry
  /// The endpoints that do not have all of them yet.
  public var unsent: [String] = []
  /// What an endpoint refused for good.
  public var refused: [Refusal] = []

  /// Records of some minutes that an endpoint refused for the same reason.
  public struct Refusal: Sendable, Hashable {
    /// The endpoint's name.
    public var endpoint: String
    /// As the endpoint gave it.
    public var reason: String
    /// How many records.
    public var count: Int
  }
}

extension Journal {
  /// The ledger of a time, oldest first, with what is not yet sent and what was refused by whom. A run of minutes of which
  /// a part is sent is two lines.
  /// - Parameters:
  ///   - from: no line that ends before it.
  ///   - to: no line that begins at it or later.
  public func ledgerLines(from: Date = .distantPast, to: Date = .distantFuture) throws -> [LedgerLine] {
    var unsentSince: [(endpoint: String, minute: Date)] = []
    var refused: [(minute: Date, endpoint: String, reason: String)] = []
    for endpoint in endpoints() {
      if let time = try oldestWaiting(endpoint: endpoint) { unsentSince.append((endpoint, Self.minute(of: time))) }
      for (_, reason, record) in try setAside(endpoint: endpoint) {
        refused.append((Self.minute(of: record.received ?? record.time), endpoint, reason))
      }
    }
    let cuts = Set(unsentSince.map(\.minute)).sorted()
    return try ledger(from: from, to: to).flatMap { try split($0, at: cuts) }.map { entry in
      var line = LedgerLine(entry: entry)
      if entry.fixes > 0 { line.unsent = unsentSince.filter { $0.minute < entry.end }.map(\.endpoint) }
      for refusal in refused where refusal.minute >= entry.start && refusal.minute < entry.end {
        if let index = line.refused.firstIndex(where: { $0.endpoint == refusal.endpoint && $0.reason == refusal.reason }) {
          line.refused[index].count += 1
        } else {
          line.refused.append(LedgerLine.Refusal(endpoint: refusal.endpoint, reason: refusal.reason, count: 1))
        }
      }
      return line
    }
  }

  /// Cuts an entry, and gives each part its own fixes: those that are not sent are still here to be counted.
  private func split(_ entry: LedgerEntry, at cuts: [Date]) throws -> [LedgerEntry] {
    let cuts = cuts.filter { $0 > entry.start && $0 < entry.end }
    guard entry.fixes > 0, !cuts.isEmpty else { return [entry] }
    let starts = [entry.start] + cuts
    var parts: [LedgerEntry] = []
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] : entry.end
      var part = entry
      part.start = start
      part.minutes = Int(end.timeIntervalSince(start) / 60)
      part.fixes = index == 0 ? 0 : try fixes(from: start, to: end)
      parts.append(part)
    }
    parts[0].fixes = max(0, entry.fixes - parts.reduce(0) { $0 + $1.fixes })
    return parts
  }

  private func fixes(from: Date, to: Date) throws -> Int {
    try reading.withLock {
      Int(
        try reader.integer(
          "SELECT count(*) FROM records WHERE kind = 0 AND recorded >= ? AND recorded < ?",
          from.timeIntervalSince1970, to.timeIntervalSince1970) ?? 0)
    }
  }

  private static func minute(of time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 / 60).rounded(.down) * 60)
  }
}
