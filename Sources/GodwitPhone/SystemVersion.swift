public import CoreLocation

/// A system with its own rules where they differ or are contested; see `OSProfile`.
public enum SystemVersion: String, Sendable, Hashable, Codable, CaseIterable {
  case ios12, ios13, ios14, ios15
  case ios15dot3 = "ios15.3"
  case ios16, ios17, ios18, ios26
  /// A program on Linux: nothing suspends it.
  case linux

  /// The one that is meant when none is named.
  public static let usual = SystemVersion.ios18
  /// Those of phones, oldest first.
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
  /// A daemon with the rules of a given system, on a real receiver or a replayed file: code for a phone can be tried out with
  /// them. It has no life cycle, for which there is `SimulatedPhone`: the program is always in front.
  /// - Parameters:
  ///   - source: the receiver.
  ///   - system: the system whose rules it keeps.
  ///   - authorization: what the person has decided so far.
  ///   - declarations: what the program says about itself, as an app does in its `Info.plist`.
  ///   - now: the clock.
  ///   - authorize: plays the person's answer to a request for permission; the default grants it.
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
