import ActivityKit
import SwiftUI
import WidgetKit

/// The trip in progress, on the Lock Screen and in the Dynamic Island.
struct TripWidget: Widget {
  var body: some WidgetConfiguration {
    ActivityConfiguration(for: TripAttributes.self) { context in
      TripLine(trip: context.state.model).padding()
    } dynamicIsland: { context in
      DynamicIsland {
        DynamicIslandExpandedRegion(.bottom) { TripLine(trip: context.state.model) }
      } compactLeading: {
        Image(systemName: context.state.model.symbol)
      } compactTrailing: {
        Text(context.state.model.distanceText)
      } minimal: {
        Image(systemName: context.state.model.symbol)
      }
    }
  }
}
