/// The policy that determines the requests to the location services.
public enum TrackingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// The other settings at all times.
  case fixed
  /// Like `fixed`, but the location services report a position only at 10 m from the previous one.
  case filtered
  /// Accuracy and filter of 10 m while the motion chip reports movement, otherwise 3 km and the largest filter.
  case byMotion = "by_motion"
  /// Exact while moving, with a filter that grows with speed. Off at rest, until the device leaves a region of 200 m.
  case twoState = "two_state"
  /// Fixes at the interval that the path needs. Suspended at rest, until a departure.
  case adaptive
}
