import Foundation
import SwiftUI
import WidgetKit

/// Shows whether tracking is on, the number of queued records, and the trip in progress.
struct StatusWidget: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: WidgetKinds.status, provider: StatusTimeline()) { StatusWidgetView(model: $0.model) }
      .configurationDisplayName(StatusEntry.newest().model.name)
      .supportedFamilies([.systemSmall, .systemMedium, .accessoryRectangular])
  }
}

private struct StatusWidgetView: View {
  let model: WidgetModel

  var body: some View {
    VStack(alignment: .leading) {
      Label(model.title, systemImage: model.symbol).font(.headline)
      if let trip = model.trip {
        TripLine(trip: trip)
      } else {
        Text(model.detail).font(.caption).foregroundStyle(.secondary)
      }
      Text(model.queuedText).font(.caption)
    }
    .frame(maxWidth: .infinity, maxHeight: .infinity, alignment: .topLeading)
    .containerBackground(.background, for: .widget)
  }
}

/// The mode, the duration and the distance of a trip.
struct TripLine: View {
  let trip: TripWidgetModel

  var body: some View {
    HStack {
      Label(trip.label, systemImage: trip.symbol)
      Spacer()
      VStack(alignment: .trailing) {
        Text(timerInterval: trip.clock, countsDown: false).monospacedDigit()
        Text(trip.distanceText)
      }
    }
    .accessibilityElement(children: .ignore)
    .accessibilityLabel(trip.accessibilityLabel)
  }
}
