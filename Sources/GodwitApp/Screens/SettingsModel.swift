internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// The Settings screen and the Trip Settings screen: sections and fields of the table of settings, presets, history, search.
@MainActor @Observable
public final class SettingsModel {
  /// A page of settings.
  public enum Page: String, Sendable, CaseIterable {
    case main, trip
  }

  public let page: Page
  /// The change that waits for a confirmation.
  public let change: SettingChangeModel
  /// The search text; empty: everything is shown.
  public var search = ""
  private let state: AppState
  private let fields: [SettingFieldModel]

  init(_ state: AppState, _ page: Page) {
    self.state = state
    self.page = page
    let change = SettingChangeModel(state)
    self.change = change
    fields = Settings.table.filter { ($0.section == "trip") == (page == .trip) }.map { SettingFieldModel($0, state, change) }
  }

  private var texts: AppTexts { state.texts }

  public var title: String { page == .trip ? texts(.tripSettings) : texts(.settings) }
  public var searchLabel: String { texts(.searchSettings) }

  /// The sections with the fields that match the search. Sections without such fields are omitted.
  public var sections: [SettingsSection] {
    let wanted = search.trimmingCharacters(in: .whitespaces).lowercased()
    let matching = fields.filter { field in
      wanted.isEmpty
        || [field.title, field.summary, field.id].contains { $0.lowercased().contains(wanted) }
    }
    var sections: [SettingsSection] = []
    for field in matching {
      let name = Settings.entry(field.id)?.section ?? ""
      if sections.last?.id == name {
        sections[sections.count - 1].fields.append(field)
      } else {
        sections.append(SettingsSection(id: name, title: texts.translated(StatusLabels.section(name)), fields: [field]))
      }
    }
    return sections
  }

  /// Returns the field of a setting; `nil`: it is not on this page.
  public func field(_ name: String) -> SettingFieldModel? { fields.first { $0.id == name } }

  /// The text of an empty screen; `nil`: there are sections.
  public var emptyText: String? { sections.isEmpty ? texts(.nothingFound) : nil }

  // MARK: Presets

  /// The presets; empty on the page of trips.
  public var presets: [PresetRow] {
    guard page == .main else { return [] }
    let inForce = state.settings.preset
    return Preset.allCases.map { preset in
      PresetRow(
        id: preset.rawValue, title: texts.translated(StatusLabels.label(preset.rawValue)),
        summary: texts.translated(preset.summary), isInForce: preset == inForce,
        accessibilityLabel: texts.translated(StatusLabels.label(preset.rawValue))
          + (preset == inForce ? ", " + texts(.inForce) : ""))
    }
  }
  public var presetsTitle: String { texts(.presets) }
  /// Applies the values of a preset, given by its `id`.
  public func apply(preset id: String) {
    guard let preset = Preset(rawValue: id) else { return }
    change.request(preset.values.map { DesiredSetting(name: $0.name, value: $0.value) })
  }

  // MARK: History

  public var historyTitle: String { texts(.settingsHistory) }
  /// The last changes, newest first.
  public var history: [SettingsHistoryRow] {
    _ = state.status
    guard let events = try? state.tracker?.journal.settingsEvents(limit: 20) else { return [] }
    let form = SettingsForm(state.settings, events, EndpointLabels(state.servers.servers.map { EndpointID($0.id) }))
    return form.history.enumerated().map { index, past in
      SettingsHistoryRow(
        id: index, title: texts.translated(past.title),
        text: "\(texts.translated(past.old)) → \(texts.translated(past.new))",
        detail: "\(state.day(past.time)) · \(state.plain(past.source))")
    }
  }

  // MARK: Permission

  public var permissionTitle: String { texts(.locationPermission) }
  /// "Always", "When in use", "Denied"
  public var permissionText: String { texts.translated(StatusLabels.permission(state.authorization)) }
  public var openSettingsLabel: String { texts(.openSettings) }
  public func openSystemSettings() { state.services.openSystemSettings() }
}

/// A section of a form.
public struct SettingsSection: Identifiable {
  public var id: String
  public var title: String
  public var fields: [SettingFieldModel]
}

/// A preset as a row.
public struct PresetRow: Identifiable, Sendable, Hashable {
  public var id: String
  public var title: String
  public var summary: String
  public var isInForce: Bool
  public var accessibilityLabel: String
}

/// A past change of a setting.
public struct SettingsHistoryRow: Identifiable, Sendable, Hashable {
  public var id: Int
  public var title: String
  /// "Off → 10 m"
  public var text: String
  /// The time and the source.
  public var detail: String
}
