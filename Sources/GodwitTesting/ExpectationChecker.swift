internal import Foundation
internal import GodwitEngine
internal import GodwitModel
internal import GodwitSimulator

/// Checks the expectations of a scenario against its outcome.
struct ExpectationChecker {
  let outcome: Outcome
  private let truth: Truth
  private let all: Expectation.Window

  init(_ outcome: Outcome) {
    self.outcome = outcome
    truth = outcome.scenario.route.truth
    all = Expectation.Window(from: outcome.scenario.route.start, to: outcome.scenario.end)
  }

  /// Checks an expectation. - Returns: `nil` if it holds or applies to other systems only.
  func failure(_ expectation: Expectation) -> Failure? {
    guard expectation.systems?.contains(outcome.system) ?? true else { return nil }
    return contradiction(expectation.check).map { Failure(expectation: expectation, found: $0) }
  }

  private func contradiction(_ check: Expectation.Check) -> String? {
    switch check {
    case .count(let quantity, let bound, let window):
      let count = count(quantity, window)
      return bound.holds(Double(count)) ? nil : "\(count)"
    case .hole(let bound, let window):
      let hole = outcome.track.maximumGap(window ?? all)
      return bound.holds(hole.seconds) ? nil : "one of \(ScriptTime.text(hole.seconds)) from \(clock(hole.start)) on"
    case .position(let meters, let time):
      guard let fix = outcome.track.newest(at: time) else { return "no position until then" }
      let error = Track.error(of: fix, at: time, truth)
      return error <= meters ? nil : "one of \(clock(SimulatedTime(fix.time))), \(Int(error)) m away"
    case .everyPosition(let meters, let window):
      guard let worst = outcome.track.part(window).worst(truth) else { return "no position" }
      return worst.error <= meters ? nil : "one of \(clock(SimulatedTime(worst.fix.time))), \(Int(worst.error)) m away"
    case .speed(let maximum, let window):
      guard let fastest = outcome.track.part(window).fastest else { return "fewer than two positions" }
      return fastest.speed <= maximum
        ? nil : "\(Self.text(fastest.speed)) m/s to the one of \(clock(SimulatedTime(fastest.fix.time)))"
    case .distance(let bound):
      let length = Track(outcome.scenario.route.samples).length
      guard length > 0 else { return "a path without length" }
      let percent = outcome.track.length / length * 100
      return bound.holds(percent) ? nil : "\(Self.text(percent)) % of \(Int(length)) m"
    case .energy(let bound, let window):
      let used = (outcome.snapshot(window?.end ?? all.end).joules - outcome.snapshot(window?.start ?? all.start).joules) / 3.6
      return bound.holds(used) ? nil : "\(Self.text(used)) mWh"
    case .app(let state, let time):
      let found = outcome.snapshot(time).app
      return found == state ? nil : found.rawValue
    case .nothingLost: return lost
    case .nothingWaiting: return outcome.log.waiting == 0 ? nil : "\(outcome.log.waiting) records"
    case .nothingTwice: return twice
    }
  }

  private func count(_ quantity: Expectation.Quantity, _ window: Expectation.Window?) -> Int {
    func counted(_ number: (RunLog.Counts) -> Int) -> Int {
      let (start, end) = (outcome.snapshot(window?.start ?? all.start), outcome.snapshot(window?.end ?? all.end))
      return number(end.counts) - number(start.counts)
    }
    func isInside(_ time: Date) -> Bool { window.map { $0.start.date <= time && time <= $0.end.date } ?? true }
    func recorded(_ isWanted: (Record.Kind) -> Bool) -> Int {
      outcome.log.records.count { isWanted($0.kind) && isInside($0.time) }
    }
    return switch quantity {
    case .records: recorded { _ in true }
    case .fixes: recorded { if case .fix = $0 { true } else { false } }
    case .visits: recorded { if case .visit = $0 { true } else { false } }
    case .trips: recorded { if case .trip = $0 { true } else { false } }
    case .actions: recorded { if case .action = $0 { true } else { false } }
    case .launches: counted(\.launches)
    case .wakes: counted(\.wakes)
    case .uploads: counted(\.uploads)
    case .failedUploads: counted(\.failedUploads)
    case .delivered: counted(\.delivered)
    case .notices(let kind):
      outcome.notices.count { (kind == nil || $0.notice.kind == kind) && isInside($0.time) }
    }
  }

  /// Describes records that are neither on the server nor waiting, or a gap in the sequence numbers; `nil` if there are none.
  private var lost: String? {
    let missing = outcome.log.records.count - outcome.arrived.count - outcome.log.waiting
    if missing != 0 {
      return "\(outcome.log.records.count) recorded, \(outcome.arrived.count) arrived, \(outcome.log.waiting) waiting"
    }
    let numbers = outcome.arrived.compactMap { $0.id?.sequence.value }.sorted()
    guard let hole = zip(numbers, 1...).first(where: { $0 != $1 }) else { return nil }
    return "record \(hole.1) is missing on the server"
  }

  private var twice: String? {
    var seen: Set<Fix> = []
    for fix in outcome.arrived.compactMap(\.fix) where !seen.insert(fix).inserted {
      return "the position of \(clock(SimulatedTime(fix.time))) twice"
    }
    return Set(outcome.arrived.compactMap(\.id)).count == outcome.arrived.count ? nil : "a record twice"
  }

  // MARK: Words

  /// Returns the time of day as "08:20:30", with the number of days since the start.
  private func clock(_ time: SimulatedTime) -> String {
    let midnight = all.start.microseconds - all.start.microseconds % 86_400_000_000
    let seconds = (time.microseconds - midnight) / 1_000_000
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let rest = seconds - day * 86_400
    let parts = [rest / 3_600, rest / 60 % 60, rest % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }
    return parts.joined(separator: ":") + (day == 0 ? "" : " (day \(day > 0 ? "+" : "")\(day))")
  }

  private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
