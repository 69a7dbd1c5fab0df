internal import Foundation
internal import GodwitAccounts
internal import Synchronization

/// The pages with their texts in each language. A page is translated when it is first requested.
final class TranslatedPages: Sendable {
  private let files: [String: [UInt8]]
  private let made = Mutex<[String: [UInt8]]>([:])
  private let tables = Mutex<[Preferences.Language: [String: String]]>([:])

  /// - Parameter files: the files of the pages by their paths, with the tables of texts.
  init(files: [String: [UInt8]]) { self.files = files }

  /// Returns a page in a language; `nil` if the path is not that of a page.
  func page(at path: String, in language: Preferences.Language) -> [UInt8]? {
    guard path.hasSuffix(".html"), let page = files[path] else { return nil }
    guard language != .english else { return page }
    let key = "\(language.rawValue) \(path)"
    if let found = made.withLock({ $0[key] }) { return found }
    let texts = table(of: language)
    var text = PageMarkup { texts[$0] }.replaced(String(decoding: page, as: UTF8.self))
    if let end = text.range(of: "</head>") {
      text.insert(contentsOf: "  <link rel=\"modulepreload\" href=\"\(Self.path(of: language))\">\n", at: end.lowerBound)
    }
    let bytes = Array(text.utf8)
    made.withLock { $0[key] = bytes }
    return bytes
  }

  /// The texts of a language, without those that depend on a number. Pages do not use those.
  private func table(of language: Preferences.Language) -> [String: String] {
    tables.withLock { tables in
      if let found = tables[language] { return found }
      let texts = Self.texts(of: files[Self.path(of: language)] ?? [])
      tables[language] = texts
      return texts
    }
  }

  static func path(of language: Preferences.Language) -> String { "/texts-\(language.rawValue).js" }

  /// Parses a table of texts: a module whose default export is a JSON object.
  static func texts(of module: [UInt8]) -> [String: String] {
    let text = String(decoding: module, as: UTF8.self)
    guard let start = text.range(of: "export default "), let end = text.lastIndex(of: ";"), start.upperBound < end else {
      return [:]
    }
    let object = try? JSONSerialization.jsonObject(with: Data(text[start.upperBound..<end].utf8))
    return (object as? [String: Any] ?? [:]).compactMapValues { $0 as? String }
  }
}
