internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// One setting of a form. A new value is applied immediately; texts and lists are applied by ``commit()``.
@MainActor @Observable
public final class SettingFieldModel: Identifiable {
  /// The name in the table of settings: "main.min_distance".
  public nonisolated let id: String
  private let entry: SettingEntry
  private let state: AppState
  private let change: SettingChangeModel
  /// The text that is being edited; `nil`: none.
  private var edited: String?

  init(_ entry: SettingEntry, _ state: AppState, _ change: SettingChangeModel) {
    id = entry.name
    self.entry = entry
    self.state = state
    self.change = change
  }

  private var texts: AppTexts { state.texts }
  private var value: SettingValue { entry.value(state.settings) }

  /// "Minimum distance"
  public var title: String { texts.translated(Self.capitalized(entry.title)) }
  /// The effect of the setting, in a sentence.
  public var summary: String { texts.translated(entry.summary) }
  /// "10 m"
  public var valueText: String { texts.translated(StatusLabels.label(value, of: entry)) }
  /// "Default: off"
  public var standardText: String { texts(.standardValue, texts.translated(StatusLabels.label(entry.standard, of: entry))) }
  public var isStandard: Bool { value == entry.standard }
  /// A note that a server may change the setting; `nil`: no server may.
  public var remoteText: String? {
    let names = state.settings.remoteSettings
    let isAllowed = names.contains { entry.name == $0 || entry.name.hasPrefix($0 + ".") }
    return entry.authority == .userAndServer && isAllowed ? texts(.serverMayChange) : nil
  }
  public var accessibilityLabel: String { "\(title): \(valueText)" }
  public var accessibilityHint: String { summary }

  // MARK: Kinds

  public var isFlag: Bool { entry.kind == .flag }
  /// Whether the setting has a fixed list of values: a choice, or a number.
  public var isChoice: Bool {
    switch entry.kind {
    case .choice, .number: true
    case .flag, .text, .list: false
    }
  }
  public var isText: Bool { if case .text = entry.kind { true } else { false } }
  public var isList: Bool { if case .list = entry.kind { true } else { false } }

  // MARK: Values

  public var isOn: Bool {
    get { value == .flag(true) }
    set { if newValue != isOn { change.request([DesiredSetting(name: id, value: .flag(newValue))]) } }
  }

  /// The values of a choice. A current value that is not in the table is included.
  public var choices: [ChoiceRow] {
    let values: [SettingValue] =
      switch entry.kind {
      case .choice(let words): words.map { .text($0) }
      case .number(let numbers): numbers.map { .number(Double($0)) }
      case .flag, .text, .list: []
      }
    let all = values.contains(value) || values.isEmpty ? values : [value] + values
    return all.map { ChoiceRow(id: $0.plain, label: texts.translated(StatusLabels.label($0, of: entry))) }
  }

  /// The chosen value: a word of the table, or a number as a text.
  public var choice: String {
    get { value.plain }
    set { if newValue != choice { change.request([DesiredSetting(name: id, value: entry.value(word: newValue))]) } }
  }

  /// The text, or the lines of a list, in their edited state.
  public var text: String {
    get { edited ?? storedText }
    set { edited = newValue }
  }
  /// The form of a list's lines; empty for other settings.
  public var placeholder: String { if case .list(let form) = entry.kind { form } else { "" } }
  public var isEdited: Bool { edited != nil && edited != storedText }
  /// Why the edited text cannot be applied, as a sentence; `nil`: it can.
  public var problem: String? {
    guard isEdited else { return nil }
    var settings = state.settings
    do throws(SettingError) {
      try settings.set(id, to: editedValue)
      return nil
    } catch { return error.description }
  }
  public var canCommit: Bool { isEdited && problem == nil }
  public var saveLabel: String { texts(.save) }
  public var cancelLabel: String { texts(.cancel) }
  /// Applies the edited text.
  public func commit() {
    guard canCommit else { return }
    change.request([DesiredSetting(name: id, value: editedValue)])
    edited = nil
  }
  /// Discards the edited text.
  public func revert() { edited = nil }
  /// Applies the default.
  public func reset() { if !isStandard { change.request([DesiredSetting(name: id, value: entry.standard)]) } }

  private var storedText: String {
    switch value {
    case .text(let text): text
    case .list(let items): items.joined(separator: "\n")
    case .number, .flag, .other: value.plain
    }
  }

  private var editedValue: SettingValue {
    guard isList else { return .text(text) }
    return .list(text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty })
  }

  nonisolated static func capitalized(_ title: String) -> String { title.prefix(1).uppercased() + title.dropFirst() }
}
