import GodwitApp
import SwiftUI

/// An alert, with the button for its action.
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
