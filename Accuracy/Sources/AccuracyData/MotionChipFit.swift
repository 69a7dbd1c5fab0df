package import Foundation
import GodwitModel
package import GodwitSimulator

/// Counts the reports of chips in known situations, and creates the model of a chip from them: the rate of a change is the number of such
/// changes divided by the time with the previous report.
package struct MotionChipFit: Sendable {
  private struct Count: Sendable {
    var seconds: [MotionChipModel.Report: Double] = [:]
    var changes: [MotionChipModel.Report: [MotionChipModel.Report: Int]] = [:]
  }

  /// Seconds after which a report changes to the most frequent one of the situation, if the data has no change from it (assumed).
  package static let assumedStay = 60.0

  private var counts: [MotionChipModel.Situation: Count] = [:]

  package init() {}

  /// Adds a period with a known situation. A report is valid until the next one.
  /// - Parameters:
  ///   - reports: the reports of one phone in order of time, including those before the span.
  package mutating func add(_ situation: MotionChipModel.Situation, _ span: DateInterval, _ reports: [MobilityNet.MotionReport]) {
    // The last report not later than the start.
    let first = reports.partitioningIndex { $0.time > span.start }
    guard first > 0 else { return }
    var count = counts[situation, default: Count()]
    var (report, time) = (reports[first - 1].report, span.start)
    for next in reports[first...] {
      if next.time >= span.end { break }
      count.seconds[report, default: 0] += next.time.timeIntervalSince(time)
      if next.report != report { count.changes[report, default: [:]][next.report, default: 0] += 1 }
      (report, time) = (next.report, next.time)
    }
    count.seconds[report, default: 0] += span.end.timeIntervalSince(time)
    counts[situation] = count
  }

  /// Returns the model of the chip.
  package func model(name: String, title: String, source: String) -> MotionChipModel {
    MotionChipModel(name: name, title: title, source: source, situations: counts.compactMapValues(Self.rates))
  }

  private static func rates(_ count: Count) -> MotionChipModel.Rates? {
    let total = count.seconds.values.reduce(0, +)
    guard total > 0,
      let usual = MotionChipModel.Report.allCases.max(by: { count.seconds[$0, default: 0] < count.seconds[$1, default: 0] })
    else { return nil }
    var changes: [MotionChipModel.Report: [MotionChipModel.Report: Double]] = [:]
    for report in MotionChipModel.Report.allCases {
      if let observed = count.changes[report], let seconds = count.seconds[report], seconds > 0 {
        changes[report] = observed.mapValues { rounded(Double($0) / seconds * 3600) }
      } else if report != usual {
        changes[report] = [usual: 3600 / assumedStay]
      }
    }
    return MotionChipModel.Rates(
      hours: (total / 360).rounded() / 10, shares: count.seconds.mapValues { rounded($0 / total) }, changes: changes)
  }

  private static func rounded(_ number: Double) -> Double { min(36_000, (number * 1e4).rounded() / 1e4) }
}
