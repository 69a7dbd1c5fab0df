import Foundation
import WidgetKit

/// A moment of the status widget.
struct StatusEntry: TimelineEntry {
  var date = Date()
  var model: WidgetModel

  /// What the app wrote last.
  static func newest() -> StatusEntry {
    StatusEntry(model: WidgetModel(SharedFile.read(), languages: Locale.preferredLanguages))
  }
}

/// One entry: the app reloads the widget when there is something new.
struct StatusTimeline: TimelineProvider {
  func placeholder(in context: Context) -> StatusEntry { .newest() }

  func getSnapshot(in context: Context, completion: @escaping (StatusEntry) -> Void) { completion(.newest()) }

  func getTimeline(in context: Context, completion: @escaping (Timeline<StatusEntry>) -> Void) {
    completion(Timeline(entries: [.newest()], policy: .never))
  }
}
