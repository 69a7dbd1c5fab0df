internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP

/// Completes a page: inserts the navigation bar of all pages, and writes the preferences of the user to the attributes of
/// the root element, which scripts and styles read.
struct PageShell {
  let access: AccessControl
  let files: PageFiles
  /// Whether the server is a demo. The pages of a demo have a link for the phone of the user.
  let isDemo: Bool

  /// The mark in a page that the navigation bar replaces.
  private static let place = "<!-- shell -->"
  private static let root = #"<html lang="en">"#
  /// The end of the head of a page. The elements before it let a browser install the pages as an app.
  private static let end = "</head>"
  private static let app =
    #"<link rel="manifest" href="/manifest.webmanifest"><link rel="apple-touch-icon" href="/icon-180.png">"#

  /// - Parameters:
  ///   - page: a page. A page without the mark gets no navigation bar.
  ///   - view: the preferences and the language of the page.
  ///   - path: the path of its URL.
  func completed(_ page: [UInt8], as view: PageView, at path: String) -> [UInt8] {
    var text = String(decoding: page, as: UTF8.self)
    if let range = text.range(of: Self.place) {
      let bar = String(decoding: files.file("/shell.html", in: view.language)?.bytes ?? [], as: UTF8.self)
      // The link to the current page is marked in the navigation bar.
      let marked = bar.replacing(#"href="\#(path)""#, with: #"href="\#(path)" aria-current="page""#)
      text.replaceSubrange(range, with: marked)
      if let end = text.range(of: Self.end) { text.insert(contentsOf: Self.app, at: end.lowerBound) }
    }
    if let range = text.range(of: Self.root) { text.replaceSubrange(range, with: root(view)) }
    return Array(text.utf8)
  }

  /// Returns the preferences and the language of a page for a request. Without a session: the default preferences, in the
  /// browser's language.
  func view(for request: HTTPRequest) -> PageView {
    // Failed authentication and a failed store lead to the default preferences. The page is still served.
    let languages = request.header("Accept-Language")
    do throws(Problem) {
      let principal = try access.principal(request)
      let preferences = try access.read { try PreferenceTable.read(of: principal.user?.id, $0) }
      return PageView(preferences, languages: languages)
    } catch {
      return PageView(Preferences(), languages: languages, needsSignIn: error.status == 401)
    }
  }

  /// Returns the root element. The values need no escaping, because each comes from a fixed list.
  private func root(_ view: PageView) -> String {
    let preferences = view.preferences
    var text = #"<html lang="\#(view.language.rawValue)""#
    text += #" data-units="\#(preferences.units.rawValue)""#
    if let zone = preferences.timeZone, Preferences.isTimeZone(zone) { text += #" data-time-zone="\#(zone)""# }
    if preferences.firstDay != .automatic { text += #" data-first-day="\#(preferences.firstDay.rawValue)""# }
    if preferences.theme != .automatic { text += #" data-theme="\#(preferences.theme.rawValue)""# }
    // The attribute keeps the scripts of the page from sending requests.
    if view.needsSignIn { text += #" data-session="none""# }
    if isDemo { text += #" data-demo="yes""# }
    return text + ">"
  }
}
