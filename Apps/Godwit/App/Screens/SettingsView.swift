import GodwitApp
import SwiftUI

/// The settings, in a stack of their own.
struct SettingsView: View {
  let model: SettingsModel

  var body: some View {
    NavigationStack { SettingsList(model: model) }
  }
}

/// A page of the table of settings.
struct SettingsList: View {
  @Bindable var model: SettingsModel
  @Bindable var change: SettingChangeModel

  init(model: SettingsModel) {
    self.model = model
    change = model.change
  }

  var body: some View {
    Form {
      if let problem = change.problem { Label(problem, systemImage: "exclamationmark.triangle.fill") }
      if let empty = model.emptyText { Text(empty).foregroundStyle(.secondary) }
      PresetsSection(model: model)
      ForEach(model.sections) { section in
        Section(section.title) {
          ForEach(section.fields) { SettingFieldRow(field: $0) }
        }
      }
      PermissionSection(model: model)
      NavigationLink(model.historyTitle) { SettingsHistoryView(model: model) }
    }
    .navigationTitle(model.title)
    .searchable(text: $model.search, prompt: model.searchLabel)
    .confirmationDialog(change.confirmationTitle, isPresented: $change.needsConfirmation, titleVisibility: .visible) {
      Button(change.confirmLabel, role: .destructive) { change.confirm() }
      Button(change.cancelLabel, role: .cancel) { change.cancel() }
    } message: {
      Text(change.confirmationText)
    }
  }
}

private struct PresetsSection: View {
  let model: SettingsModel

  var body: some View {
    Section {
      ForEach(model.presets) { preset in
        Button {
          model.apply(preset: preset.id)
        } label: {
          HStack {
            VStack(alignment: .leading) {
              Text(preset.title)
              Text(preset.summary).font(.footnote).foregroundStyle(.secondary)
            }
            Spacer()
            if preset.isInForce { Image(systemName: "checkmark").foregroundStyle(.tint) }
          }
        }
        .foregroundStyle(.primary)
        .accessibilityElement(children: .combine)
        .accessibilityLabel(preset.accessibilityLabel)
        .accessibilityHint(preset.summary)
      }
    } header: {
      Text(model.presetsTitle)
    }
  }
}

private struct PermissionSection: View {
  let model: SettingsModel

  var body: some View {
    Section {
      LabeledContent(model.permissionTitle, value: model.permissionText)
      Button(model.openSettingsLabel) { model.openSystemSettings() }
    }
  }
}

/// The last changes of settings.
private struct SettingsHistoryView: View {
  let model: SettingsModel

  var body: some View {
    List {
      ForEach(model.history) { row in
        VStack(alignment: .leading) {
          Text(row.title)
          Text(row.text)
          Text(row.detail).font(.footnote).foregroundStyle(.secondary)
        }
        .accessibilityElement(children: .combine)
      }
    }
    .navigationTitle(model.historyTitle)
  }
}
