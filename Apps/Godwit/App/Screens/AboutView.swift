import GodwitApp
import SwiftUI

/// Shows what is collected, where it is sent and how long it is stored, with export and deletion.
struct AboutView: View {
  @Bindable var model: AboutModel

  var body: some View {
    List {
      Section(model.destinationTitle) { ForEach(model.destinations, id: \.self) { Text($0) } }
      Section(model.collectedTitle) { ForEach(model.collected, id: \.self) { Text($0) } }
      Section(model.retentionTitle) { Text(model.retentionText) }
      Section {
        Text(model.promiseText)
      }
      Section {
        ShareLink(item: TrackFile(model: model), preview: SharePreview(model.exportFileName)) {
          Label(model.exportLabel, systemImage: "square.and.arrow.up")
        }
        .disabled(!model.canExport)
        Button(model.deleteLabel, systemImage: "trash", role: .destructive) { model.delete() }
          .disabled(!model.canDelete)
        if let message = model.message { Text(message) }
      } footer: {
        Text(model.versionText)
      }
    }
    .navigationTitle(model.title)
    .confirmationDialog(model.confirmationTitle, isPresented: $model.needsConfirmation, titleVisibility: .visible) {
      Button(model.deleteLabel, role: .destructive) { model.confirmDeletion() }
      Button(model.cancelLabel, role: .cancel) { model.needsConfirmation = false }
    } message: {
      Text(model.confirmationText)
    }
  }
}
