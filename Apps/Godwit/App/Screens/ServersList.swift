import GodwitApp
import SwiftUI

/// The servers to which records are sent, each with its state.
struct ServersList: View {
  @Bindable var model: ServersModel
  let pairing: PairingModel

  var body: some View {
    List {
      if let problem = model.problem { Label(problem, systemImage: "exclamationmark.triangle.fill") }
      if let empty = model.emptyText { Text(empty).foregroundStyle(.secondary) }
      Section {
        ForEach(model.rows) { ServerRowView(model: model, row: $0) }
          .onMove { source, destination in model.move(source, to: destination) }
      }
      Section {
        Button(model.scanLabel, systemImage: "qrcode.viewfinder") { pairing.begin() }
        Button(model.addLabel, systemImage: "plus") { model.add() }
        Button(model.testLabel, systemImage: "paperplane") { model.test() }
          .disabled(!model.canTest)
      }
    }
    .navigationTitle(model.title)
    .sheet(item: $model.form) { ServerFormView(model: model, form: $0) }
    .confirmationDialog(model.confirmationTitle, isPresented: $model.needsConfirmation, titleVisibility: .visible) {
      Button(model.removeLabel, role: .destructive) { model.confirmRemoval() }
      Button(model.cancelLabel, role: .cancel) { model.needsConfirmation = false }
    } message: {
      Text(model.confirmationText)
    }
  }
}

private struct ServerRowView: View {
  let model: ServersModel
  let row: ServerRow

  var body: some View {
    Button {
      model.edit(row.id)
    } label: {
      VStack(alignment: .leading) {
        Text(row.name).font(.headline)
        Text(row.addressText).font(.footnote).foregroundStyle(.secondary)
        Text(row.stateText)
        Text(row.waitingText).font(.footnote)
        if let problem = row.problem { Label(problem, systemImage: "exclamationmark.triangle.fill").font(.footnote) }
      }
    }
    .foregroundStyle(.primary)
    .accessibilityElement(children: .ignore)
    .accessibilityLabel(row.accessibilityLabel)
    .accessibilityAddTraits(.isButton)
    .swipeActions {
      Button(model.removeLabel, role: .destructive) { model.remove(row.id) }
    }
  }
}
