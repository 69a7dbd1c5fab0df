#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
  // Not compiled on systems without UIKit, so it holds no decisions.
  internal import Foundation
  internal import GodwitEngine
  internal import GodwitModel
  internal import UIKit

  /// The battery of a phone or tablet.
  @MainActor
  final class Battery {
    private let observations = Observations(.default)

    /// - Parameter tracker: receives the state now and at every change.
    init(_ tracker: Tracker) {
      UIDevice.current.isBatteryMonitoringEnabled = true
      Self.notify(tracker)
      observations.observe(UIDevice.batteryLevelDidChangeNotification) { Self.notify(tracker) }
      observations.observe(UIDevice.batteryStateDidChangeNotification) { Self.notify(tracker) }
    }

    private static func notify(_ tracker: Tracker) {
      let level = BatteryLevel.fraction(uiDevice: UIDevice.current.batteryLevel)
      let state = BatteryState(uiDevice: UIDevice.current.batteryState.rawValue)
      tracker.update { context in
        context.batteryLevel = level
        context.batteryState = state
      }
    }
  }
#endif
