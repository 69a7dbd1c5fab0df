package import GodwitModel

/// The generated part of Documentation/Settings.md.
package enum SettingsPage {
  /// The names and titles of the sections of the table.
  package static let sections: [(name: String, title: String)] = [
    ("system", "The device"), ("main", "While tracking"), ("trip", "On a trip"), ("fields", "What is collected"),
  ]

  package static var markdown: String {
    sections.map { section in
      let entries = Settings.table.filter { $0.section == section.name }
      return "## \(section.title)\n\n| name | values | default | effect | may be changed by |\n|---|---|---|---|---|\n"
        + entries.map(row).joined()
    }.joined(separator: "\n")
  }

  private static func row(_ entry: SettingEntry) -> String {
    let allowed = entry.allowed.replacing(" | ", with: ", ")
    let authority = entry.authority == .user ? "user" : "user, server"
    return "| `\(entry.name)` | \(allowed) | \(entry.standard.plain) | \(entry.summary) | \(authority) |\n"
  }
}

extension SettingValue {
  /// The value as a text without quotes.
  package var plain: String {
    switch self {
    case .text(""), .list([]): "empty"
    case .text(let text): text
    case .list(let items): items.joined(separator: ", ")
    case .number, .flag, .other: description
    }
  }
}
