/// The policy that chooses what is requested of the location services.
public enum TrackingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// The other settings, unchanged at all times.
  case fixed
  /// The same, but the location services report a position only when it is 10 m from the previous one.
  case filtered
  /// 10 m and a filter of 10 m while the motion chip sees motion, else 3 km and the largest filter.
  case byMotion = "by_motion"
  /// Exact while moving, with a filter that grows with speed; off at rest, until a region of 200 m is left.
  case twoState = "two_state"
  /// Fixes at the interval that the path needs; asleep at rest, until a departure.
  case adaptive
}
