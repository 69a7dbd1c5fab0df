internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP

/// Completes a page: puts in the bar of all pages, and the preferences of the user, which the page's scripts and styles read from the
/// attributes of its root.
struct PageShell {
  let access: AccessControl
  let files: PageFiles
  /// Whether the server is a demo, whose pages lead to a phone of the user.
  let isDemo: Bool

  /// Where a page has the bar.
  private static let place = "<!-- shell -->"
  private static let root = #"<html lang="en">"#
  /// Ends the head of a page: a browser may install the pages as an app.
  private static let end = "</head>"
  private static let app =
    #"<link rel="manifest" href="/manifest.webmanifest"><link rel="apple-touch-icon" href="/icon-180.png">"#

  /// - Parameters:
  ///   - page: a page; one without the mark for the bar gets preferences only.
  ///   - request: whose user's preferences hold. Without a session the page has the defaults.
  func completed(_ page: [UInt8], for request: HTTPRequest) -> [UInt8] {
    var text = String(decoding: page, as: UTF8.self)
    if let range = text.range(of: Self.place) {
      let bar = String(decoding: files.file("/shell.html")?.bytes ?? [], as: UTF8.self)
      // The page that is shown is marked where the bar links to it.
      let marked = bar.replacing(#"href="\#(request.path)""#, with: #"href="\#(request.path)" aria-current="page""#)
      text.replaceSubrange(range, with: marked)
      if let end = text.range(of: Self.end) { text.insert(contentsOf: Self.app, at: end.lowerBound) }
    }
    if let range = text.range(of: Self.root) { text.replaceSubrange(range, with: root(preferences(for: request))) }
    return Array(text.utf8)
  }

  private func preferences(for request: HTTPRequest) -> Preferences {
    // Neither an unknown requester nor a store that fails keeps a page from being shown.
    guard let principal = try? access.principal(request) else { return Preferences() }
    return (try? access.read { try PreferenceTable.read(of: principal.user?.id, $0) }) ?? Preferences()
  }

  /// The root element. No value needs escaping: each is one of a list.
  private func root(_ preferences: Preferences) -> String {
    var text = #"<html lang="\#(preferences.language.rawValue)" data-language="\#(preferences.language.rawValue)""#
    text += #" data-units="\#(preferences.units.rawValue)""#
    if let zone = preferences.timeZone, Preferences.isTimeZone(zone) { text += #" data-time-zone="\#(zone)""# }
    if preferences.firstDay != .automatic { text += #" data-first-day="\#(preferences.firstDay.rawValue)""# }
    if preferences.theme != .automatic { text += #" data-theme="\#(preferences.theme.rawValue)""# }
    if isDemo { text += #" data-demo="yes""# }
    return text + ">"
  }
}
