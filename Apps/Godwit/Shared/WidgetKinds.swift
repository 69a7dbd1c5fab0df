/// The names of the widgets, for the app that reloads them.
enum WidgetKinds {
  static let status = "status"
}
