public import CoreLocation

/// A version of an operating system, whose rules are in its `OSProfile`.
public enum SystemVersion: String, Sendable, Hashable, Codable, CaseIterable {
  case ios12, ios13, ios14, ios15
  case ios15dot3 = "ios15.3"
  case ios16, ios17, ios18, ios26
  /// A program on Linux, which is never suspended.
  case linux

  /// The default version.
  public static let usual = SystemVersion.ios18
  /// The versions of phones, oldest first.
  public static let phones = allCases.filter { $0 != .linux }

  package var profile: OSProfile {
    switch self {
    case .ios12: .ios12
    case .ios13: .ios13
    case .ios14: .ios14
    case .ios15: .ios15
    case .ios15dot3: .ios15dot3
    case .ios16: .ios16
    case .ios17: .ios17
    case .ios18: .ios18
    case .ios26: .ios26
    case .linux: .linux
    }
  }
}

extension LocationDaemon {
  /// Creates a daemon with the rules of a given system and a real receiver or a replayed file, to test code for a phone. The
  /// program has no life cycle and is always in the foreground; `SimulatedPhone` simulates a life cycle.
  /// - Parameters:
  ///   - source: the source of positions.
  ///   - system: the system whose rules apply.
  ///   - authorization: the initial permission.
  ///   - declarations: the declarations of the program, which an app has in its `Info.plist`.
  ///   - now: the clock.
  ///   - authorize: returns the user's response to a request for permission; the default grants it.
  public convenience init(
    source: any PositionSource, system: SystemVersion, authorization: CLAuthorizationStatus = .notDetermined,
    declarations: AppDeclarations = AppDeclarations(), now: @escaping @Sendable () -> Date = { Date() },
    authorize: @escaping @Sendable (_ always: Bool) -> CLAuthorizationStatus = { $0 ? .authorizedAlways : .authorizedWhenInUse }
  ) {
    self.init(
      source: source, beacons: nil, authorization: authorization, profile: system.profile, declarations: declarations, now: now,
      authorize: authorize)
  }
}
