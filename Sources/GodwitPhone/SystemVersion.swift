internal import CoreLocation

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

  var profile: OSProfile {
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
