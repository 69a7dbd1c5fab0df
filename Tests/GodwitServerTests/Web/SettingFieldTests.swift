import Foundation
import GodwitModel
import Testing

@testable import GodwitServer

/// `setting-fields.js` repeats the table of settings, because texts are translated only if they are in the page's scripts.
@Suite("Form of device settings")
struct SettingFieldTests {
  /// A field in the page's script.
  private struct Field: Equatable, CustomStringConvertible {
    var name: String
    var title: String
    var summary: String
    var values: [SettingValue]
    var standard: SettingValue
    var description: String { "\(name): \(title) – \(summary) \(values) \(standard)" }
  }

  /// The page's script.
  private static var script: String {
    get throws { String(decoding: try #require(Pages.files["/setting-fields.js"]), as: UTF8.self) }
  }

  private static func values(_ json: Substring) throws -> [SettingValue] {
    try JSONDecoder().decode([SettingValue].self, from: Data(json.utf8))
  }

  private static func values(of entry: SettingEntry) -> [SettingValue] {
    switch entry.kind {
    case .choice(let words): words.map { .text($0) }
    case .number(let numbers): numbers.map { .number(Double($0)) }
    case .flag: [.flag(true), .flag(false)]
    case .text, .list: []
    }
  }

  @Test("the form has each setting that the server can change, with the title, summary, values and default of the table")
  func fields() throws {
    let script = try Self.script
    var lists: [String: [SettingValue]] = [:]
    for list in script.matches(of: #/const ([A-Z]+) = (\[.*\]);/#) { lists[String(list.1)] = try Self.values(list.2) }
    let field =
      #/\{ name: "(?<name>[^"]+)", title: t\("(?<title>[^"]+)"\), summary: t\("(?<summary>[^"]+)"\), values: (?<values>\[[^\]]*\]|[A-Z]+), standard: (?<standard>[^ ]+) \}/#
    let shown = try script.matches(of: field).map { match in
      Field(
        name: String(match.name), title: String(match.title), summary: String(match.summary),
        values: try lists[String(match.values)] ?? Self.values(match.values),
        standard: try #require(try Self.values("[\(match.standard)]").first))
    }
    let expected = Settings.table.filter { $0.authority == .userAndServer }.map {
      Field(name: $0.name, title: $0.title, summary: $0.summary, values: Self.values(of: $0), standard: $0.standard)
    }
    // The order on the page is different.
    #expect(shown.sorted { $0.name < $1.name } == expected.sorted { $0.name < $1.name })
  }

  @Test("the form has all presets, and a text for each value that is a word")
  func presets() throws {
    let script = try Self.script
    let presets = try script.matches(
      of: #/title: t\("[^"]+"\), summary: t\("(?<summary>[^"]+)"\),\n\s+values: (?<values>\{[^}]*\})/#
    ).map {
      let json = $0.values.replacing(#/,\s*\}/#, with: "}")
      return ["\($0.summary)": try JSONDecoder().decode([String: SettingValue].self, from: Data(json.utf8))]
    }
    #expect(
      presets == Preset.allCases.map { [$0.summary: Dictionary(uniqueKeysWithValues: $0.values.map { ($0.name, $0.value) })] })

    let table = try #require(script.firstMatch(of: #/const WORDS = \{([^}]*)\};/#)).1
    let named = Set(table.matches(of: #/(\w+): [t"]/#).map { String($0.1) })
    let words = Settings.table.filter { $0.authority == .userAndServer }.flatMap(Self.values(of:)).compactMap { value in
      if case .text(let word) = value, word.wholeMatch(of: #/\d+(s|m|h|km)/#) == nil { word } else { nil }
    }
    #expect(named == Set(words))
  }
}
