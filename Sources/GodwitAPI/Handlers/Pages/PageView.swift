internal import Foundation
internal import GodwitAccounts

/// How a page is shown: the preferences of a user, and the language that they or the browser choose.
struct PageView {
  let preferences: Preferences
  let language: Preferences.Language
  /// Whether requests of the page's scripts are rejected for want of a session.
  let needsSignIn: Bool

  /// - Parameter languages: the header `Accept-Language` of the browser; `nil` if it has none.
  init(_ preferences: Preferences, languages: String?, needsSignIn: Bool = false) {
    self.preferences = preferences
    self.needsSignIn = needsSignIn
    language = preferences.language ?? Self.language(acceptedBy: languages ?? "")
  }

  /// The language of the pages that a browser prefers (RFC 9110, section 12.5.4); English if it accepts none of them.
  static func language(acceptedBy header: String) -> Preferences.Language {
    var best: (language: Preferences.Language, weight: Double)?
    // A browser sends ten at most; the rest of a long header has no effect.
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
