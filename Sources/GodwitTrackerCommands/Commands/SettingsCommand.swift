internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitStatus

/// `godwit settings`
struct SettingsCommand: Command {
  static let name = "settings"
  static let abstract = "Show every setting of a tracker: its effect, its values, and whether a server may change it."
  static let examples = [
    (line: "godwit settings", purpose: "All of them, with their defaults"),
    (line: "godwit settings --preset battery_saving", purpose: "Settings of a preset"),
    (line: "godwit settings --settings tracker.json", purpose: "Check a tracker's file, and show its settings"),
  ]

  @OptionalOption("settings", "FILE", "Check a file of settings, or a tracker's file, and show the settings")
  var file: String?
  @OptionalOption("preset", "high_resolution|battery_saving|adaptive", "Show the settings of a preset")
  var preset: Preset?
  @Flag("json", "Print JSON: names and values")
  var json: Bool
  @Flag("markdown", "Print the table of Documentation/Settings.md")
  var markdown: Bool

  func run() async throws {
    var settings = Settings()
    if let preset { settings.apply(preset) }
    if let file { settings = try TrackerFile.settings(in: file, over: settings) }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      let values = Dictionary(uniqueKeysWithValues: Settings.table.map { ($0.name, $0.value(settings)) })
      Output.result(Array(try encoder.encode(values)) + [0x0A])
    } else if markdown {
      Output.result(SettingsPage.markdown)
    } else {
      var rows = [["NAME", "VALUE", "ALLOWED", "WHAT IT DOES"]]
      for entry in Settings.table {
        let value = entry.value(settings)
        rows.append([
          entry.name, value.plain + (value == entry.standard ? "" : " *"), entry.allowed, entry.summary,
        ])
      }
      Output.result(TextTable.text(rows))
      if !settings.changes.isEmpty { Output.log("* differs from the default") }
    }
  }
}

extension Preset: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let preset = Preset(rawValue: argument) else {
      let names = Preset.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("\"\(argument)\" is not a preset; expected one of \(names)")
    }
    self = preset
  }
}
