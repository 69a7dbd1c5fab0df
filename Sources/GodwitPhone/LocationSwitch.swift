internal import CoreLocation

/// The switch in the phone's settings that turns location services off for all apps.
struct LocationSwitch: Sendable {
  private(set) var isOn = true
  /// What the person allowed before it was turned off.
  private var authorization: CLAuthorizationStatus?

  /// - Parameters:
  ///   - isOn: where it is turned to.
  ///   - current: what the person allows now.
  /// - Returns: what the app may do from now on; `nil`: the switch was there already.
  mutating func turn(_ isOn: Bool, _ current: CLAuthorizationStatus) -> CLAuthorizationStatus? {
    guard isOn != self.isOn else { return nil }
    self.isOn = isOn
    guard !isOn else { return authorization }
    authorization = current
    return .denied
  }
}
