import GodwitApp
import SwiftUI

/// The state of tracking, the number of queued records, and the interval at which they are sent.
struct TrackerView: View {
  let title: String
  @Bindable var model: TrackerModel
  let servers: ServersModel
  let pairing: PairingModel

  var body: some View {
    NavigationStack {
      Form {
        Section {
          StatusRow(model: model)
          Toggle(model.trackingLabel, isOn: $model.isTracking)
            .disabled(!model.canChangeTracking)
            .accessibilityHint(model.trackingHint)
        }
        Section {
          ForEach(model.alerts) { AlertRowView(alert: $0, perform: model.perform) }
        }
        Section {
          ForEach(model.figures) { FigureRow(figure: $0) }
          if let place = model.placeText { Label(place, systemImage: "mappin.and.ellipse") }
          if let regions = model.regionsText { Label(regions, systemImage: "mappin.circle") }
        }
        SendingSection(model: model)
      }
      .navigationTitle(title)
      .navigationDestination(isPresented: $model.wantsServer) { ServersList(model: servers, pairing: pairing) }
    }
  }
}

/// The status in a few words, and its reason.
private struct StatusRow: View {
  let model: TrackerModel

  var body: some View {
    Label {
      VStack(alignment: .leading) {
        Text(model.title).font(.headline)
        Text(model.detail).font(.subheadline).foregroundStyle(.secondary)
      }
    } icon: {
      Image(systemName: model.levelSymbol).foregroundStyle(model.level.color)
    }
    .accessibilityElement(children: .ignore)
    .accessibilityLabel(model.summaryAccessibilityLabel)
    .accessibilityAddTraits(.updatesFrequently)
  }
}

private struct SendingSection: View {
  @Bindable var model: TrackerModel

  var body: some View {
    Section {
      Button(model.sendNowLabel, systemImage: "paperplane.fill") { model.sendNow() }
        .disabled(!model.canSendNow)
      LabeledContent(model.sendIntervalLabel, value: model.sendIntervalText)
        .accessibilityHidden(true)
      Slider(value: $model.sendIntervalIndex, in: 0...model.sendIntervalMaximum, step: 1) { Text(model.sendIntervalLabel) }
        .accessibilityValue(model.sendIntervalText)
    }
  }
}
