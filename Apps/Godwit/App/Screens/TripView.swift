import GodwitApp
import SwiftUI

/// A trip: start and stop, duration and distance, the mode of the next one.
struct TripView: View {
  let title: String
  let model: TripModel

  var body: some View {
    NavigationStack {
      List {
        Section {
          Label(model.title, systemImage: model.modeSymbol).font(.headline)
          ForEach(model.figures) { FigureRow(figure: $0) }
          if model.isAutomatic { Text(model.automaticText).font(.footnote).foregroundStyle(.secondary) }
          if let note = model.screenText { Text(note).font(.footnote).foregroundStyle(.secondary) }
          Button(model.actionLabel) { model.act() }
            .disabled(!model.canAct)
        }
        Section {
          ForEach(model.modes) { ModeButton(model: model, mode: $0) }
        }
      }
      .navigationTitle(title)
    }
  }
}

/// A mode of transport that can be chosen.
private struct ModeButton: View {
  let model: TripModel
  let mode: ModeRow

  var body: some View {
    Button {
      model.mode = mode.id
    } label: {
      HStack {
        Label(mode.label, systemImage: mode.symbol)
        Spacer()
        if mode.isChosen { Image(systemName: "checkmark").foregroundStyle(.tint) }
      }
    }
    .disabled(!model.canChooseMode)
    .foregroundStyle(.primary)
    .accessibilityElement(children: .combine)
    .accessibilityLabel(mode.accessibilityLabel)
  }
}
