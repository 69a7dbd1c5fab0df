internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitStatus
public import Observation

/// The Coverage screen: the last 24 hours, with the reasons why there are positions or none.
@MainActor @Observable
public final class CoverageModel {
  private let state: AppState
  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }

  public var title: String { texts(.coverage) }
  public var explanation: String { texts(.coverageExplanation) }

  /// The segments of the day, oldest first.
  public var segments: [CoverageSegment] {
    guard let day else { return [] }
    let length = day.to.timeIntervalSince(day.from)
    return day.lines.enumerated().map { index, line in
      let start = line.start.timeIntervalSince(day.from)
      let reason = CoverageEntry.Reason(rawValue: line.reason)
      let name = texts.translated(reason?.title ?? line.reason)
      let span = state.measures.duration(Double(line.minutes) * 60)
      return CoverageSegment(
        id: index, title: name, explanation: texts.translated(reason?.explanation ?? ""), timeText: state.time(line.start),
        durationText: span, fixesText: line.fixes > 0 ? texts(.positions, "\(line.fixes)") : "",
        start: min(max(0, start / length), 1), width: min(max(0, Double(line.minutes) * 60 / length), 1),
        level: Self.level(reason), accessibilityLabel: texts(.coverageSegment, state.time(line.start), span, name))
    }
  }

  /// The reasons of the day with their durations, the longest first.
  public var reasons: [Figure] {
    guard let day else { return [] }
    let minutes = Dictionary(day.lines.map { ($0.reason, $0.minutes) }, uniquingKeysWith: +)
    return minutes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { name, count in
      Figure(
        id: name, title: texts.translated(CoverageEntry.Reason(rawValue: name)?.title ?? name),
        value: state.measures.duration(Double(count) * 60))
    }
  }

  /// The share of the day with a recorded position, 0…1.
  public var share: Double {
    let covered = (day?.lines ?? []).filter {
      [.recorded, .tooNear, .tooSoon].contains(CoverageEntry.Reason(rawValue: $0.reason))
    }
    return min(1, Double(covered.map(\.minutes).reduce(0, +)) / (CoverageDay.length / 60))
  }
  /// "Positions in 42 % of the last 24 hours."
  public var shareText: String { texts(.coverageShare, "\(Int((share * 100).rounded()))") }
  /// The text of an empty screen; `nil`: there are segments.
  public var emptyText: String? { segments.isEmpty ? texts(.coverageEmpty) : nil }

  // MARK: Gaps

  public var gapsTitle: String { texts(.coverageGaps) }
  /// The periods in which positions were expected but none was recorded, newest first.
  public var gaps: [CoverageGap] {
    (day?.lines ?? []).enumerated().reversed().compactMap { index, line in
      guard let reason = CoverageEntry.Reason(rawValue: line.reason), Self.isGap(reason) else { return nil }
      let (title, sentence) = (texts.translated(reason.title), texts.translated(reason.explanation))
      let time = "\(state.day(line.start)), \(state.measures.duration(Double(line.minutes) * 60))"
      return CoverageGap(
        id: index, title: title, explanation: sentence, timeText: time, level: Self.level(reason),
        accessibilityLabel: "\(title), \(time). \(sentence)")
    }
  }
  /// The text of an empty list of gaps; `nil`: there is a gap, or nothing is known yet.
  public var noGapsText: String? { gaps.isEmpty && !segments.isEmpty ? texts(.coverageNoGaps) : nil }
  /// A summary of the strip in a sentence, for VoiceOver.
  public var accessibilitySummary: String {
    if let emptyText { return emptyText }
    return gaps.isEmpty ? "\(shareText) \(texts(.coverageNoGaps))" : "\(shareText) \(texts(.coverageGapCount, "\(gaps.count)"))"
  }

  private static func isGap(_ reason: CoverageEntry.Reason) -> Bool {
    switch level(reason) {
    case .warning, .bad: true
    case .good, .quiet, .off: false
    }
  }

  private struct Cached {
    var minute: Int
    var current: CoverageEntry?
    var day: CoverageDay
  }

  /// The coverage of the current minute: it changes once a minute, and a screen reads it every second.
  @ObservationIgnored private var cached: Cached?

  private var day: CoverageDay? {
    guard let tracker = state.tracker else { return nil }
    let (now, current) = (state.now, state.status?.coverageEntry)
    let minute = Int(clamping: Int64((now.timeIntervalSince1970 / 60).rounded(.down)))
    if let cached, cached.minute == minute, cached.current == current { return cached.day }
    guard let written = try? tracker.journal.coverage(from: now.addingTimeInterval(-CoverageDay.length), to: now) else {
      return nil
    }
    let day = CoverageDay(written, current: current, now: now)
    cached = Cached(minute: minute, current: current, day: day)
    return day
  }

  private static func level(_ reason: CoverageEntry.Reason?) -> StatusLevel {
    switch reason {
    case .recorded, .tooNear, .tooSoon: .good
    case .atRest, .paused, .notAsked, .notOnTrip: .quiet
    case .noSignal, .invalid, .tooInaccurate, .lost: .warning
    case .killed, .noPermission: .bad
    case .off, nil: .off
    }
  }
}

/// A period of a day with one reason.
public struct CoverageSegment: Identifiable, Sendable, Hashable {
  public var id: Int
  public var title: String
  public var explanation: String
  /// "14:05"
  public var timeText: String
  /// "2 h 5 min"
  public var durationText: String
  /// "120 positions"; empty: none.
  public var fixesText: String
  /// The start within the day, 0…1.
  public var start: Double
  /// The share of the day, 0…1.
  public var width: Double
  public var level: StatusLevel
  public var accessibilityLabel: String
}

/// A period in which positions were expected but none was recorded.
public struct CoverageGap: Identifiable, Sendable, Hashable {
  public var id: Int
  public var title: String
  public var explanation: String
  /// "20 Nov, 14:05, 12 min"
  public var timeText: String
  public var level: StatusLevel
  public var accessibilityLabel: String
}
