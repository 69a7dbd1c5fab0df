internal import Foundation

/// The texts of the app in one language.
///
/// A sentence of the SDK (a setting's effect, a reason of the coverage log) is translated by its English text. A sentence that is missing
/// in the language's table stays English.
public struct AppTexts: Sendable {
  /// The language's code: "de".
  public let code: String
  private let table: [AppText: String]
  private let labels: [String: String]

  /// The codes of the languages, English first.
  public static var languages: [String] { ["en"] + translations.keys.sorted() }

  /// Chooses a language.
  /// - Parameter preferred: codes, the preferred one first: "de-AT" matches "de". Without a match, the language is English.
  public init(preferred: [String] = ["en"]) {
    let wanted = preferred.map { String($0.prefix { $0 != "-" && $0 != "_" }).lowercased() }
    code = wanted.first { Self.languages.contains($0) } ?? "en"
    table = Self.translations[code] ?? [:]
    labels = Self.labels[code] ?? [:]
  }

  /// Returns a text.
  /// - Parameters:
  ///   - text: the text.
  ///   - values: the values for `%1`, `%2` and so on.
  public func callAsFunction(_ text: AppText, _ values: String...) -> String {
    Self.fill(table[text] ?? text.rawValue, values)
  }

  /// Returns a label or a sentence of the SDK in this language, if its table has it.
  func translated(_ english: String) -> String { labels[english] ?? english }

  private static func fill(_ text: String, _ values: [String]) -> String {
    var result = ""
    var rest = Substring(text)
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      let digit = rest.index(after: percent)
      guard digit < rest.endIndex, let number = rest[digit].wholeNumberValue, values.indices.contains(number - 1) else {
        result.append("%")
        rest = rest[digit...]
        continue
      }
      result += values[number - 1]
      rest = rest[rest.index(after: digit)...]
    }
    return result + rest
  }
}

extension AppTexts {
  /// The short name of a month, 1…12.
  func month(_ number: Int) -> String {
    let names = self(.months).split(separator: " ")
    return names.indices.contains(number - 1) ? String(names[number - 1]) : "\(number)"
  }
}
