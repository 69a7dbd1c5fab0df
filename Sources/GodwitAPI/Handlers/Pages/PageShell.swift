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
  ///   - view: how it is shown.
  ///   - path: the path of its URL.
  func completed(_ page: [UInt8], as view: PageView, at path: String) -> [UInt8] {
    var text = String(decoding: page, as: UTF8.self)
    if let range = text.range(of: Self.place) {
      let bar = String(decoding: files.file("/shell.html", in: view.language)?.bytes ?? [], as: UTF8.self)
      // The page that is shown is marked where the bar links to it.
      let marked = bar.replacing(#"href="\#(path)""#, with: #"href="\#(path)" aria-current="page""#)
      text.replaceSubrange(range, with: marked)
      if let end = text.range(of: Self.end) { text.insert(contentsOf: Self.app, at: end.lowerBound) }
    }
    if let range = text.range(of: Self.root) { text.replaceSubrange(range, with: root(view)) }
    return Array(text.utf8)
  }

  /// How a page is shown to a user. Without a session it has the defaults, in the browser's language.
  func view(for request: HTTPRequest) -> PageView {
    // Neither an unknown requester nor a store that fails keeps a page from being shown.
    let languages = request.header("Accept-Language")
    do throws(Problem) {
      let principal = try access.principal(request)
      let preferences = try access.read { try PreferenceTable.read(of: principal.user?.id, $0) }
      return PageView(preferences, languages: languages)
    } catch {
      return PageView(Preferences(), languages: languages, needsSignIn: error.status == 401)
    }
  }

  /// The root element. No value needs escaping: each is one of a list.
  private func root(_ view: PageView) -> String {
    let preferences = view.preferences
    var text = #"<html lang="\#(view.language.rawValue)""#
    text += #" data-units="\#(preferences.units.rawValue)""#
    if let zone = preferences.timeZone, Preferences.isTimeZone(zone) { text += #" data-time-zone="\#(zone)""# }
    if preferences.firstDay != .automatic { text += #" data-first-day="\#(preferences.firstDay.rawValue)""# }
    if preferences.theme != .automatic { text += #" data-theme="\#(preferences.theme.rawValue)""# }
    // The scripts of the page request nothing then.
    if view.needsSignIn { text += #" data-session="none""# }
    if isDemo { text += #" data-demo="yes""# }
    return text + ">"
  }
}
