import GodwitApp
import SwiftUI

/// Something that a person should know, with the button that helps.
struct AlertRowView: View {
  let alert: AlertRow
  let perform: @MainActor (AlertRow.Action) -> Void

  var body: some View {
    VStack(alignment: .leading) {
      Label(alert.text, systemImage: "exclamationmark.triangle.fill")
        .foregroundStyle(.primary)
      if let action = alert.action {
        Button(alert.actionLabel) { perform(action) }
          .buttonStyle(.bordered)
      }
    }
  }
}
