public import Foundation
public import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus

/// Shows the running trip as a Live Activity: decides at each change of the tracker which step the app performs with ActivityKit.
///
///     services.showActivity = { step in activities.perform(step) }  // in this order, one after the other
///
/// Changes of the distance or of the queue are shown at most every ``interval`` seconds; start, end and mode immediately.
@MainActor
public final class ActivityFeed {
  /// Minimum seconds between two updates.
  public static let interval = 15.0
  private let state: AppState
  private var policy: TripActivity
  private var shown: TripActivity.Content?
  private var updated: Date?
  /// Whether the app is active. The system starts an activity only then. A view sets it with the phase of its scene.
  public var isInForeground = false {
    didSet { if isInForeground != oldValue { update() } }
  }

  init(_ state: AppState) {
    self.state = state
    shown = state.services.shownActivity()
    policy = TripActivity(shown: shown)
  }

  /// Applies the newest status.
  func update() {
    // Before the tracker is open, it is unknown whether the trip of an earlier launch has ended.
    guard let status = state.status else { return }
    let (content, now) = (TripActivity.Content(status), state.services.environment.now())
    guard isDue(content, now) else { return }
    while let step = policy.step(content, isInForeground: isInForeground, at: now) {
      switch step {
      case .start(let content, _), .update(let content, _): (shown, updated) = (content, now)
      case .end: (shown, updated) = (nil, nil)
      }
      state.services.showActivity(step)
    }
  }

  private func isDue(_ content: TripActivity.Content?, _ now: Date) -> Bool {
    guard let content, let shown, content.start == shown.start, content.mode == shown.mode, let updated else { return true }
    let age = now.timeIntervalSince(updated)
    // A clock that was set back does not prevent updates.
    return age < 0 || age >= Self.interval
  }
}

/// The texts of a Live Activity, for its views.
public struct ActivityTexts: Sendable {
  private let content: TripActivity.Content
  private let texts: AppTexts

  /// - Parameters:
  ///   - content: the content of the activity.
  ///   - languages: codes of the user's languages, the preferred one first.
  public init(_ content: TripActivity.Content, languages: [String] = ["en"]) {
    self.content = content
    texts = AppTexts(preferred: languages)
  }

  private var measures: Measures { Measures(texts: texts) }

  /// "Bicycle"
  public var modeLabel: String { texts.translated(StatusLabels.label(content.mode.rawValue)) }
  /// "Trip: Bicycle"
  public var title: String { texts(.tripOf, modeLabel) }
  /// The name of a symbol of SF Symbols.
  public var symbol: String { TripModel.symbol(content.mode) }
  public var isOver: Bool { content.end != nil }
  /// The start of the trip, for a clock that the system draws while it is running.
  public var start: Date { content.start }
  /// "0:12:34" of a trip that is over; empty while it is running.
  public var durationText: String { content.end.map { measures.clock($0.timeIntervalSince(content.start)) } ?? "" }
  public var distanceText: String { measures.length(content.distance) }
  /// "12 queued"; empty if nothing is queued.
  public var queuedText: String { content.waiting > 0 ? texts(.recordsWait, "\(content.waiting)") : "" }
  public var accessibilityLabel: String {
    [title, durationText, distanceText, queuedText].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
