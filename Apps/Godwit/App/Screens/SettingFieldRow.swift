import GodwitApp
import SwiftUI
import UIKit

/// One setting: a switch, a choice, or a text.
struct SettingFieldRow: View {
  @Bindable var field: SettingFieldModel

  var body: some View {
    VStack(alignment: .leading) {
      SettingControl(field: field)
        .accessibilityHint(field.accessibilityHint)
      Text(field.summary).font(.footnote).foregroundStyle(.secondary)
        .accessibilityHidden(true)
      if let note = field.remoteText { Text(note).font(.footnote).foregroundStyle(.secondary) }
      if let problem = field.problem { Label(problem, systemImage: "exclamationmark.triangle.fill").font(.footnote) }
    }
    .swipeActions {
      Button(field.standardText) { field.reset() }
    }
  }
}

private struct SettingControl: View {
  @Bindable var field: SettingFieldModel

  var body: some View {
    if field.isFlag {
      Toggle(field.title, isOn: $field.isOn)
    } else if field.isChoice {
      Picker(field.title, selection: $field.choice) {
        ForEach(field.choices) { Text($0.label).tag($0.id) }
      }
      .pickerStyle(.menu)
    } else {
      SettingTextField(field: field)
    }
  }
}

private struct SettingTextField: View {
  @Bindable var field: SettingFieldModel

  var body: some View {
    Text(field.title)
      .accessibilityHidden(true)
    TextField(field.title, text: $field.text, prompt: Text(field.placeholder), axis: .vertical)
      .autocorrectionDisabled()
      .textInputAutocapitalization(.never)
    if field.isEdited {
      HStack {
        Button(field.saveLabel) { field.commit() }
          .disabled(!field.canCommit)
        Button(field.cancelLabel, role: .cancel) { field.revert() }
      }
      .buttonStyle(.bordered)
    }
  }
}
