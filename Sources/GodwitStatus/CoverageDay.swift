package import Foundation
package import Godwit
package import GodwitEngine
internal import GodwitModel

/// The last 24 hours in minutes, with the reasons why there are fixes or none.
package struct CoverageDay: Encodable {
  package struct Line: Encodable {
    package var start: Date
    package var minutes: Int
    package var reason: String
    package var fixes: Int
  }

  package struct Reason: Encodable {
    package var name: String
    package var title: String
    package var sentence: String
  }

  package static let length = DayLength.seconds

  package var from: Date
  package var to: Date
  /// Oldest first.
  package var lines: [Line]
  package var reasons: [Reason]

  package init(of tracker: Tracker, _ status: Tracker.Status) throws {
    let now = tracker.now
    self.init(
      try tracker.journal.coverage(from: now.addingTimeInterval(-Self.length), to: now), current: status.coverageEntry,
      now: now)
  }

  /// - Parameters:
  ///   - written: the entries of the journal, oldest first.
  ///   - current: the current entry, whose beginning the journal may contain.
  ///   - now: the end of the period.
  package init(_ written: [CoverageEntry], current: CoverageEntry?, now: Date) {
    // Entries have whole minutes.
    to = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 60).rounded(.down) * 60)
    from = to.addingTimeInterval(-Self.length)
    let from = from
    var all = written
    if let current {
      all.removeAll { $0.start >= current.start }
      all.append(current)
    }
    // Joins entries that a relaunch separated although the reason did not change.
    all = all.reduce(into: []) { lines, entry in
      if let last = lines.last, last.reason == entry.reason, last.end == entry.start {
        lines[lines.count - 1].minutes += entry.minutes
        lines[lines.count - 1].fixes += entry.fixes
      } else {
        lines.append(entry)
      }
    }
    lines = all.compactMap { entry in
      let start = max(entry.start, from)
      let minutes = Int((entry.end.timeIntervalSince(start) / 60).rounded())
      guard minutes > 0 else { return nil }
      return Line(start: start, minutes: minutes, reason: entry.reason.rawValue, fixes: Self.fixes(of: entry, in: minutes))
    }
    reasons = CoverageEntry.Reason.allCases.reversed().map { reason in
      Reason(name: reason.rawValue, title: reason.title, sentence: reason.explanation)
    }
  }

  /// The fixes of the last minutes of an entry. The entry does not have their times: of an entry that began earlier, the share of its minutes.
  private static func fixes(of entry: CoverageEntry, in minutes: Int) -> Int {
    guard minutes < entry.minutes else { return entry.fixes }
    return Int((Double(entry.fixes) * Double(minutes) / Double(entry.minutes)).rounded())
  }
}
