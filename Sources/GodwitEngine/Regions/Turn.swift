internal import GodwitModel

internal import struct Foundation.Date

/// The state of the handling of one input, and its effects.
struct Turn {
  let time: Date
  let catalogue: RegionCatalogue
  /// The newest known fix.
  var lastFix: Fix?
  /// Whether the app may monitor regions.
  var canMonitor: Bool
  var effects: [RegionEffect] = []
  var plan = Planning.none
  var isInsideChanged = false
  /// Whether the stays must be evaluated again as soon as possible.
  var isUnsettled = false

  /// Whether and how a new plan is made.
  enum Planning {
    case none
    /// For the place of the last plan, if that plan is still valid at the present position. Fewer regions change then.
    case forTheSamePlace
    /// For the place of the last fix.
    case forHere
  }

  /// Requests a new plan.
  mutating func requestPlan() { if plan == .none { plan = .forTheSamePlace } }
}
