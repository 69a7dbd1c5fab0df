import Foundation
import SwiftUI

/// The status that the phone reports, and commands for the phone.
struct WatchView: View {
  let model: WatchModel

  var body: some View {
    NavigationStack {
      List {
        StatusSection(model: model)
        Section {
          Button(model.tripLabel) { model.toggleTrip() }
          ForEach(model.modes) { mode in
            Button(mode.label, systemImage: mode.symbol) { model.toggleTrip(mode.id) }
          }
          Button(model.sendLabel, systemImage: "paperplane.fill") { model.sendNow() }
        }
        .disabled(!model.canCommand)
      }
    }
    .onAppear { model.refresh() }
    .background { SecondsView(model: model) }
  }
}

private struct StatusSection: View {
  @Bindable var model: WatchModel

  var body: some View {
    Section {
      Text(model.title).font(.headline)
      Toggle(model.trackingLabel, isOn: $model.isTracking)
        .disabled(!model.canCommand)
      if model.isTripRunning {
        Text(model.durationText).font(.title2).monospacedDigit()
        Text(model.distanceText)
      }
      Text(model.queuedText)
      Text(model.ageText).font(.footnote).foregroundStyle(.secondary)
      Text(model.message).font(.footnote)
    }
  }
}

/// Updates the duration of a trip every second.
private struct SecondsView: View {
  let model: WatchModel

  var body: some View {
    TimelineView(.periodic(from: .now, by: 1)) { context in
      Color.clear.onChange(of: context.date) { _, now in model.tick(now) }
    }
    .accessibilityHidden(true)
  }
}
