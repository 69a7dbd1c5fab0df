import GodwitApp
import SwiftUI
import UIKit

/// The form of a server.
struct ServerFormView: View {
  let model: ServersModel
  @Bindable var form: ServerFormModel

  var body: some View {
    NavigationStack {
      Form {
        AddressSection(form: form)
        SendingSection(form: form)
        Section {
          TextField(form.deviceIDLabel, text: $form.deviceID)
            .autocorrectionDisabled()
            .textInputAutocapitalization(.never)
        } footer: {
          Text(form.deviceIDText)
        }
        if let problem = form.problem { Label(problem, systemImage: "exclamationmark.triangle.fill") }
        if let problem = form.saveProblem { Label(problem, systemImage: "exclamationmark.triangle.fill") }
      }
      .navigationTitle(form.title)
      .toolbar {
        ToolbarItem(placement: .cancellationAction) { Button(form.cancelLabel, role: .cancel) { model.form = nil } }
        ToolbarItem(placement: .confirmationAction) {
          Button(form.saveLabel) { model.saveForm() }
            .disabled(!form.canSave)
        }
      }
    }
  }
}

private struct AddressSection: View {
  @Bindable var form: ServerFormModel

  var body: some View {
    Section {
      TextField(form.addressLabel, text: $form.address, prompt: Text(form.addressPlaceholder))
        .keyboardType(.URL)
        .autocorrectionDisabled()
        .textInputAutocapitalization(.never)
      TextField(form.nameLabel, text: $form.name)
      Picker(form.formatLabel, selection: $form.format) {
        ForEach(form.formats) { Text($0.label).tag($0.id) }
      }
      LabeledContent(form.tokenLabel) { SecureField(form.tokenPlaceholder, text: $form.token) }
      if form.canRemoveToken { Toggle(form.removeTokenLabel, isOn: $form.removesToken) }
      if let exposure = form.exposureText { Label(exposure, systemImage: "lock.open.fill").font(.footnote) }
    }
  }
}

private struct SendingSection: View {
  @Bindable var form: ServerFormModel

  var body: some View {
    Section {
      Picker(form.intervalLabel, selection: $form.interval) {
        ForEach(form.intervals) { Text($0.label).tag($0.id) }
      }
      Toggle(form.wifiLabel, isOn: $form.onlyOnWifi)
      Toggle(form.pausedLabel, isOn: $form.isPaused)
    }
  }
}
