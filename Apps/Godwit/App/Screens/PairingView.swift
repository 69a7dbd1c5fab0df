import GodwitApp
import SwiftUI
import UIKit

/// Pairing with a server: scan the code, review the changes, confirm.
struct PairingView: View {
  let model: PairingModel

  var body: some View {
    NavigationStack {
      Group {
        if model.isScanning {
          ScanningView(model: model)
        } else if model.isConfirming {
          ConfirmationView(model: model)
        } else {
          OutcomeView(model: model)
        }
      }
      .navigationTitle(model.title)
      .navigationBarTitleDisplayMode(.inline)
      .toolbar {
        ToolbarItem(placement: .cancellationAction) { Button(model.cancelLabel, role: .cancel) { model.close() } }
      }
    }
  }
}

private struct ScanningView: View {
  let model: PairingModel

  var body: some View {
    VStack {
      CodeScanner(model: model)
        .accessibilityHidden(true)
      Text(model.message)
        .multilineTextAlignment(.center)
      TypedLinkView(model: model)
    }
    .padding()
  }
}

/// A field for a link that is typed or pasted instead of scanned.
private struct TypedLinkView: View {
  @Bindable var model: PairingModel

  var body: some View {
    HStack {
      TextField(model.typedLinkLabel, text: $model.typedLink)
        .keyboardType(.URL)
        .autocorrectionDisabled()
        .textInputAutocapitalization(.never)
        .onSubmit { model.readTypedLink() }
      Button(model.readLinkLabel) { model.readTypedLink() }
        .disabled(!model.canReadLink)
    }
  }
}

private struct ConfirmationView: View {
  let model: PairingModel

  var body: some View {
    List {
      Section {
        Text(model.message)
        Text(model.effectText).foregroundStyle(.secondary)
        if let exposure = model.exposureText { Label(exposure, systemImage: "lock.open.fill") }
      }
      Section {
        ForEach(model.changes) { FigureRow(figure: $0) }
      }
      Section {
        Button(model.confirmLabel) { model.confirm() }
        Button(model.againLabel) { model.again() }
      }
    }
  }
}

private struct OutcomeView: View {
  let model: PairingModel

  var body: some View {
    VStack {
      Text(model.message)
        .multilineTextAlignment(.center)
      if model.isDone {
        Button(model.doneLabel) { model.close() }
          .buttonStyle(.borderedProminent)
      } else {
        Button(model.againLabel) { model.again() }
      }
      if model.isCameraDenied {
        Button(model.openSettingsLabel) { model.openSystemSettings() }
        TypedLinkView(model: model)
      }
    }
    .padding()
  }
}
