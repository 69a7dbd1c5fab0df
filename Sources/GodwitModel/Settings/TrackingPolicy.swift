/// Who decides what is asked of the location services from moment to moment.
public enum TrackingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// The other settings, which hold all the time.
  case fixed
  /// The same, but the location services tell a position only when it is 10 m from the one before.
  case filtered
  /// 10 m and a filter of 10 m while the motion chip sees motion, else 3 km and the largest filter.
  case byMotion = "by_motion"
  /// Exact while moving, with a filter that grows with speed; off at rest, until a region of 200 m is left.
  case twoState = "two_state"
  /// A fix as often as the way needs one; asleep at rest, woken by leaving.
  case adaptive
}
