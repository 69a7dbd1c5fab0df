internal import Foundation
internal import GodwitAccounts

/// The preferences of a user, and the language of a page, which the preferences or the browser select.
struct PageView {
  let preferences: Preferences
  let language: Preferences.Language
  /// Whether the server would reject requests of the page's scripts because there is no session.
  let needsSignIn: Bool

  /// - Parameter languages: the header `Accept-Language` of the browser; `nil` if the request does not have it.
  init(_ preferences: Preferences, languages: String?, needsSignIn: Bool = false) {
    self.preferences = preferences
    self.needsSignIn = needsSignIn
    language = preferences.language ?? Self.language(acceptedBy: languages ?? "")
  }

  /// Returns the language that a browser prefers (RFC 9110, section 12.5.4); English if the browser accepts no language of the pages.
  static func language(acceptedBy header: String) -> Preferences.Language {
    var best: (language: Preferences.Language, weight: Double)?
    // Browsers send at most ten languages. Languages after the 50th are ignored.
    for range in header.lowercased().split(separator: ",").prefix(50) {
      let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let code = parts.first?.split(separator: "-").first, let language = Preferences.Language(rawValue: String(code))
      else {
        continue
      }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    return best?.language ?? .english
  }
}
