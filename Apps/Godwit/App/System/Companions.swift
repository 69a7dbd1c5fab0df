import Foundation
import GodwitApp
import WidgetKit

/// Delivers the snapshots of the app to the widget and the watch, one after the other.
final class Companions: Sendable {
  private let snapshots: AsyncStream<WidgetSnapshot>.Continuation

  init(watch: WatchLink) {
    // Only the newest snapshot is needed.
    let (stream, snapshots) = AsyncStream.makeStream(of: WidgetSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    self.snapshots = snapshots
    Task {
      for await snapshot in stream {
        if let bytes = try? JSONEncoder().encode(snapshot) {
          SharedFile.write(bytes)
          watch.publish(bytes)
        }
        WidgetCenter.shared.reloadTimelines(ofKind: WidgetKinds.status)
      }
    }
  }

  deinit { snapshots.finish() }

  func publish(_ snapshot: WidgetSnapshot) { snapshots.yield(snapshot) }
}
