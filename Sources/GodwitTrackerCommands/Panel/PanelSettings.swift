internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel

/// The table of settings as forms: a new entry of the table is a new field of the panel.
struct PanelSettings: Encodable {
  struct Label: Encodable {
    var value: SettingValue
    var label: String
  }

  struct Field: Encodable {
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

    /// Which control it gets.
    enum Kind: String, Encodable { case flag, choice, number, text, list }
    var name: String
    var title: String
    var summary: String
    var kind: Kind
    var value: SettingValue
    var standard: SettingValue
    var standardLabel: String
    /// What a choice or a number may be.
    var labels: [Label] = []
    /// The most characters of a text.
    var length: Int?
    /// The form of a list's lines.
    var form: String?
    var allowed: String
    var isRemote: Bool

    init(_ entry: SettingEntry, _ settings: Settings) {
      name = entry.name
      title = entry.title.prefix(1).uppercased() + entry.title.dropFirst()
      summary = entry.summary
      value = entry.value(settings)
      standard = entry.standard
      standardLabel = PanelLabels.label(entry.standard, of: entry)
      allowed = entry.allowed
      isRemote = entry.authority == .userAndServer
      switch entry.kind {
      case .flag: kind = .flag
      case .choice(let choices):
        kind = .choice
        labels = choices.map { Label(value: .text($0), label: PanelLabels.label($0, of: entry)) }
      case .number(let numbers):
        kind = .number
        labels = numbers.map { number in
          let value = SettingValue.number(Double(number))
          return Label(value: value, label: PanelLabels.label(value, of: entry))
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

  struct Section: Encodable {
    var name: String
    var title: String
    var fields: [Field]
  }

  struct Choice: Encodable {
    var name: String
    var title: String
    var summary: String
    var isInForce: Bool
    var values: [Value]
  }

  struct Value: Encodable {
    var name: String
    var value: SettingValue
  }

  /// A change that was made.
  struct Past: Encodable {
    var time: Date
    var source: String
    var title: String
    var old: String
    var new: String
  }

  var sections: [Section]
  var presets: [Choice]
  var history: [Past]

  init(of tracker: Tracker) async throws {
    let endpoints = await tracker.status.endpoints.map(\.id)
    self.init(await tracker.settings, try tracker.journal.settingsEvents(limit: 20), PanelNames(endpoints))
  }

  init(_ settings: Settings, _ events: [Journal.SettingsEvent], _ names: PanelNames) {
    var order: [String] = []
    for entry in Settings.table where !order.contains(entry.section) { order.append(entry.section) }
    sections = order.map { name in
      Section(
        name: name, title: PanelLabels.section(name),
        fields: Settings.table.filter { $0.section == name }.map { Field($0, settings) })
    }
    let inForce = settings.preset
    presets = Preset.allCases.map { preset in
      Choice(
        name: preset.rawValue, title: PanelLabels.label(preset.rawValue), summary: preset.summary,
        isInForce: preset == inForce, values: preset.values.map { Value(name: $0.name, value: $0.value) })
    }
    history = events.map { event in
      func label(_ json: String) -> String {
        guard let entry = Settings.entry(event.name),
          let value = try? JSONDecoder().decode(SettingValue.self, from: Data(json.utf8))
        else { return json }
        return PanelLabels.label(value, of: entry)
      }
      return Past(
        time: event.time, source: names.plain(event.source), title: PanelChange.title(event.name), old: label(event.old),
        new: label(event.new))
    }
  }
}

/// What a wish for other settings comes to: the difference, and what of it cannot be.
struct PanelChange: Encodable {
  struct Difference: Encodable {
    var name: String
    var title: String
    var old: String
    var new: String
  }

  struct Problem: Encodable {
    var name: String
    var detail: String
  }

  var changes: [Difference]
  var problems: [Problem]
  /// What can be, and costs something that is not seen at once.
  var warnings: [Problem] = []
  var note: String?

  /// - Parameters:
  ///   - desired: what is wanted.
  ///   - settings: what holds now.
  ///   - waiting: records that are not sent yet.
  init(_ desired: [DesiredSetting], from settings: Settings, waiting: Int = 0) {
    var new = settings
    problems = desired.compactMap { desired in
      do throws(SettingError) {
        try new.set(desired.name, to: desired.value)
        return nil
      } catch { return Problem(name: desired.name, detail: error.description) }
    }
    changes = settings.difference(to: new).map { change in
      let entry = Settings.entry(change.name)
      func label(_ value: SettingValue) -> String { entry.map { PanelLabels.label(value, of: $0) } ?? value.plain }
      return Difference(
        name: change.name, title: Self.title(change.name), old: label(change.old), new: label(change.new))
    }
    guard waiting > 0 else { return }
    // What is not the newest position is acknowledged without having been sent.
    let all = SettingValue.text(LoggingMode.all.rawValue)
    warnings = settings.difference(to: new).filter { $0.name.hasSuffix("logging_mode") && $0.old == all && $0.new != all }.map {
      Problem(
        name: $0.name,
        detail: "\(waiting) records are queued: only their newest position will be sent. To keep all, send them first.")
    }
  }

  /// With the page where two pages have a setting of the same title.
  static func title(_ name: String) -> String {
    guard let entry = Settings.entry(name) else { return name }
    let title = entry.title.prefix(1).uppercased() + entry.title.dropFirst()
    return entry.section == "trip" ? "\(title) (on a trip)" : title
  }
}
