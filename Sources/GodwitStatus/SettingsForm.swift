package import Foundation
package import Godwit
package import GodwitEngine
package import GodwitJournal
package import GodwitModel

/// The table of settings as forms. A new entry of the table appears as a new field.
package struct SettingsForm: Encodable {
  package struct Label: Encodable {
    package var value: SettingValue
    package var label: String
  }

  package struct Field: Encodable {
    private enum CodingKeys: String, CodingKey {
      case name
      case title
      case summary
      case kind
      case value
      case standard
      case standardLabel
      case labels
      case length
      case form
      case allowed
      case isRemote
    }

    /// The control for the field.
    package enum Kind: String, Encodable { case flag, choice, number, text, list }
    package var name: String
    package var title: String
    package var summary: String
    package var kind: Kind
    package var value: SettingValue
    package var standard: SettingValue
    package var standardLabel: String
    /// The values of a choice or a number.
    package var labels: [Label] = []
    /// Maximum characters of a text.
    package var length: Int?
    /// The form of a list's lines.
    package var form: String?
    package var allowed: String
    package var isRemote: Bool

    package init(_ entry: SettingEntry, _ settings: Settings) {
      name = entry.name
      title = entry.title.prefix(1).uppercased() + entry.title.dropFirst()
      summary = entry.summary
      value = entry.value(settings)
      standard = entry.standard
      standardLabel = StatusLabels.label(entry.standard, of: entry)
      allowed = entry.allowed
      isRemote = entry.authority == .userAndServer
      switch entry.kind {
      case .flag: kind = .flag
      case .choice(let choices):
        kind = .choice
        labels = choices.map { Label(value: .text($0), label: StatusLabels.label($0, of: entry)) }
      case .number(let numbers):
        kind = .number
        labels = numbers.map { number in
          let value = SettingValue.number(Double(number))
          return Label(value: value, label: StatusLabels.label(value, of: entry))
        }
      case .text(let count):
        kind = .text
        length = count
      case .list(let form):
        kind = .list
        self.form = form
      }
    }
  }

  package struct Section: Encodable {
    package var name: String
    package var title: String
    package var fields: [Field]
  }

  package struct Choice: Encodable {
    package var name: String
    package var title: String
    package var summary: String
    package var isInForce: Bool
    package var values: [Value]
  }

  package struct Value: Encodable {
    package var name: String
    package var value: SettingValue
  }

  /// A past change of a setting.
  package struct Past: Encodable {
    package var time: Date
    package var source: String
    package var title: String
    package var old: String
    package var new: String
  }

  package var sections: [Section]
  package var presets: [Choice]
  package var history: [Past]

  package init(of tracker: Tracker) async throws {
    let endpoints = await tracker.status.endpoints.map(\.id)
    self.init(await tracker.settings, try tracker.journal.settingsEvents(limit: 20), EndpointLabels(endpoints))
  }

  package init(_ settings: Settings, _ events: [Journal.SettingsEvent], _ names: EndpointLabels) {
    var order: [String] = []
    for entry in Settings.table where !order.contains(entry.section) { order.append(entry.section) }
    sections = order.map { name in
      Section(
        name: name, title: StatusLabels.section(name),
        fields: Settings.table.filter { $0.section == name }.map { Field($0, settings) })
    }
    let inForce = settings.preset
    presets = Preset.allCases.map { preset in
      Choice(
        name: preset.rawValue, title: StatusLabels.label(preset.rawValue), summary: preset.summary,
        isInForce: preset == inForce, values: preset.values.map { Value(name: $0.name, value: $0.value) })
    }
    history = events.map { event in
      func label(_ json: String) -> String {
        guard let entry = Settings.entry(event.name),
          let value = try? JSONDecoder().decode(SettingValue.self, from: Data(json.utf8))
        else { return json }
        return StatusLabels.label(value, of: entry)
      }
      return Past(
        time: event.time, source: names.plain(event.source), title: SettingsReview.title(event.name), old: label(event.old),
        new: label(event.new))
    }
  }
}

/// The review of desired settings: the differences, the invalid values, and warnings.
package struct SettingsReview: Encodable {
  package struct Difference: Encodable {
    package var name: String
    package var title: String
    package var old: String
    package var new: String
  }

  package struct Problem: Encodable {
    package var name: String
    package var detail: String
  }

  package var changes: [Difference]
  package var problems: [Problem]
  /// Changes that are possible, but have a consequence that is not obvious.
  package var warnings: [Problem] = []
  package var note: String?

  /// - Parameters:
  ///   - desired: the desired settings.
  ///   - settings: the current settings.
  ///   - waiting: the number of records that are not sent yet.
  package init(_ desired: [DesiredSetting], from settings: Settings, waiting: Int = 0) {
    var new = settings
    problems = desired.compactMap { desired in
      do throws(SettingError) {
        try new.set(desired.name, to: desired.value)
        return nil
      } catch { return Problem(name: desired.name, detail: error.description) }
    }
    changes = settings.difference(to: new).map { change in
      let entry = Settings.entry(change.name)
      func label(_ value: SettingValue) -> String { entry.map { StatusLabels.label(value, of: $0) } ?? value.plain }
      return Difference(
        name: change.name, title: Self.title(change.name), old: label(change.old), new: label(change.new))
    }
    guard waiting > 0 else { return }
    // With other modes, all records except the newest position are acknowledged without being sent.
    let all = SettingValue.text(LoggingMode.all.rawValue)
    let (records, those) = (waiting.counted("record is", "records are"), waiting == 1 ? "it" : "them")
    let detail = "\(records) queued: only the newest position will be sent. To keep all, send \(those) first."
    warnings = settings.difference(to: new).filter { $0.name.hasSuffix("logging_mode") && $0.old == all && $0.new != all }.map {
      Problem(name: $0.name, detail: detail)
    }
  }

  /// The title of a setting, with its page if two pages have a setting with the same title.
  package static func title(_ name: String) -> String {
    guard let entry = Settings.entry(name) else { return name }
    let title = entry.title.prefix(1).uppercased() + entry.title.dropFirst()
    return entry.section == "trip" ? "\(title) (on a trip)" : title
  }
}
