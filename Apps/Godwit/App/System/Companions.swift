import ActivityKit
import Foundation
import GodwitApp
import WidgetKit

/// Carries what the app publishes to the widget, the Live Activity and the watch, one snapshot after the other.
final class Companions: Sendable {
  private let snapshots: AsyncStream<WidgetSnapshot>.Continuation

  init(watch: WatchLink) {
    // Only the newest counts.
    let (stream, snapshots) = AsyncStream.makeStream(of: WidgetSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    self.snapshots = snapshots
    Task {
      for await snapshot in stream {
        if let bytes = try? JSONEncoder().encode(snapshot) {
          SharedFile.write(bytes)
          watch.publish(bytes)
        }
        WidgetCenter.shared.reloadTimelines(ofKind: WidgetKinds.status)
        await TripActivities.show(snapshot.trip)
      }
    }
  }

  deinit { snapshots.finish() }

  func publish(_ snapshot: WidgetSnapshot) { snapshots.yield(snapshot) }
}

/// The Live Activity of the running trip.
enum TripActivities {
  /// Seconds after the last update at which the activity is outdated: the app does not run any more.
  private static let outdatedAfter = 600.0

  /// Makes the activities those that a trip needs: one for the running trip, none otherwise.
  static func show(_ trip: WidgetSnapshot.TripSnapshot?) async {
    var isShown = false
    for activity in Activity<TripAttributes>.activities {
      if let trip, activity.content.state.start == trip.start {
        await activity.update(content(trip))
        isShown = true
      } else {
        await activity.end(nil, dismissalPolicy: .default)
      }
    }
    guard let trip, !isShown else { return }
    // The system starts one only for an app in the foreground, and only if the person allows it; the next snapshot tries again.
    _ = try? Activity.request(attributes: TripAttributes(), content: content(trip), pushType: nil)
  }

  private static func content(_ trip: WidgetSnapshot.TripSnapshot) -> ActivityContent<TripAttributes.ContentState> {
    ActivityContent(
      state: TripAttributes.ContentState(label: trip.label, symbol: trip.symbol, start: trip.start, distance: trip.distance),
      staleDate: Date(timeIntervalSinceNow: outdatedAfter))
  }
}
