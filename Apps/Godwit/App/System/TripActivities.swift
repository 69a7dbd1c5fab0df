import ActivityKit
import Foundation
import Godwit
import GodwitApp

/// Carries out the steps of the Live Activity of a trip, one after the other. The model decides them.
final class TripActivities: Sendable {
  private let steps: AsyncStream<TripActivity.Step>.Continuation

  init() {
    let (stream, steps) = AsyncStream.makeStream(of: TripActivity.Step.self)
    self.steps = steps
    Task {
      for await step in stream { await Self.carryOut(step) }
    }
  }

  deinit { steps.finish() }

  func perform(_ step: TripActivity.Step) { steps.yield(step) }

  /// The content of an activity of an earlier launch; `nil` if there is none.
  static var shown: TripActivity.Content? {
    Activity<TripAttributes>.activities.lazy.compactMap { TripActivity.Content($0.content.state) }.first
  }

  private static func carryOut(_ step: TripActivity.Step) async {
    switch step {
    case .start(let content, let outdated):
      // If the user has turned activities off, this fails, and the following steps change nothing.
      _ = try? Activity.request(attributes: TripAttributes(), content: activityContent(content, outdated), pushType: nil)
    case .update(let content, let outdated):
      for activity in Activity<TripAttributes>.activities { await activity.update(activityContent(content, outdated)) }
    case .end(let content, _):
      // Immediately: the timer that the system draws would continue after the trip.
      for activity in Activity<TripAttributes>.activities {
        await activity.end(activityContent(content, nil), dismissalPolicy: .immediate)
      }
    }
  }

  private static func activityContent(
    _ content: TripActivity.Content, _ outdated: Date?
  ) -> ActivityContent<TripAttributes.ContentState> {
    ActivityContent(state: TripAttributes.ContentState(content), staleDate: outdated)
  }
}

extension TripAttributes.ContentState {
  init(_ content: TripActivity.Content) {
    let texts = ActivityTexts(content, languages: Locale.preferredLanguages)
    self.init(
      mode: content.mode.rawValue, label: texts.modeLabel, symbol: texts.symbol, start: content.start, end: content.end,
      distance: content.distance, waiting: content.waiting, lastFix: content.lastFix)
  }
}

extension TripActivity.Content {
  /// Returns `nil` for a state of another version of the app.
  init?(_ state: TripAttributes.ContentState) {
    guard let mode = TripMode(rawValue: state.mode) else { return nil }
    self.init(
      start: state.start, end: state.end, mode: mode, distance: state.distance, waiting: state.waiting, lastFix: state.lastFix)
  }
}
