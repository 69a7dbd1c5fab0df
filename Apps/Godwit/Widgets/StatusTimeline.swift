import Foundation
import WidgetKit

/// An entry in the timeline of the status widget.
struct StatusEntry: TimelineEntry {
  var date = Date()
  var model: WidgetModel

  /// Returns an entry for the snapshot that the app wrote last.
  static func newest() -> StatusEntry {
    StatusEntry(model: WidgetModel(SharedFile.read(), languages: Locale.preferredLanguages))
  }
}

/// A timeline of one entry: the app reloads the widget after each new snapshot.
struct StatusTimeline: TimelineProvider {
  func placeholder(in context: Context) -> StatusEntry { .newest() }

  func getSnapshot(in context: Context, completion: @escaping (StatusEntry) -> Void) { completion(.newest()) }

  func getTimeline(in context: Context, completion: @escaping (Timeline<StatusEntry>) -> Void) {
    completion(Timeline(entries: [.newest()], policy: .never))
  }
}
