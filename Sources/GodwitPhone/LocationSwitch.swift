internal import CoreLocation

/// The switch in the phone's settings that turns location services off for all apps.
struct LocationSwitch: Sendable {
  private(set) var isOn = true
  /// The permission before location services were turned off; `nil`: they have not been turned off.
  private var authorization: CLAuthorizationStatus?

  /// Turns location services on or off.
  /// - Parameters:
  ///   - isOn: the new position of the switch.
  ///   - current: the current permission.
  /// - Returns: the new permission; `nil`: the position did not change.
  mutating func turn(_ isOn: Bool, _ current: CLAuthorizationStatus) -> CLAuthorizationStatus? {
    guard isOn != self.isOn else { return nil }
    self.isOn = isOn
    guard !isOn else { return authorization }
    authorization = current
    return .denied
  }
}
