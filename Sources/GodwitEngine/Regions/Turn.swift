internal import GodwitModel

internal import struct Foundation.Date

/// What one piece of news brings about.
struct Turn {
  let time: Date
  let catalogue: RegionCatalogue
  /// The newest fix that is known by now.
  var lastFix: Fix?
  /// Whether the app may monitor regions at all.
  var canMonitor: Bool
  var effects: [RegionEffect] = []
  var plan = Planning.none
  var isInsideChanged = false
  /// Whether the stays have to be looked at as soon as there is time.
  var isUnsettled = false

  /// Whether another plan is needed.
  enum Planning {
    case none
    /// For the place of the last one, if it is still good for where the device is now: so less has to be changed.
    case forTheSamePlace
    /// For the place of the last fix.
    case forHere
  }

  /// Requests a new plan.
  mutating func requestPlan() { if plan == .none { plan = .forTheSamePlace } }
}
