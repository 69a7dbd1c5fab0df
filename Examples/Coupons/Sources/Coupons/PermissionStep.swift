import CoreLocation
import Foundation

/// The step before the system's question. The system asks once; after a refusal only its settings can change the answer. The app
/// therefore explains first what the position is for, and lets the system ask only after a "yes".
public struct PermissionStep: Sendable, Hashable, Codable {
  /// What the app shows above its list of offers.
  public enum Screen: Sendable, Hashable {
    /// Offers come by themselves, or the user has postponed the question.
    case nothing
    /// "Offers of the shops that you pass. Your position stays on this phone." with "Yes, please" and "Not now".
    case explanation
    /// The permission was refused: a link to the system's settings.
    case settings
  }

  /// Seconds until the explanation is shown again after "Not now".
  public static let pause = 7 * 86_400.0

  private var postponed: Date?

  public init() {}

  /// The screen for a permission.
  public func screen(for status: CLAuthorizationStatus, at now: Date) -> Screen {
    switch status {
    case .authorizedAlways: .nothing
    case .denied, .restricted: .settings
    default: postponed.map { now.timeIntervalSince($0) < Self.pause } == true ? .nothing : .explanation
    }
  }

  /// The user chose "Not now".
  public mutating func postpone(at now: Date) { postponed = now }
}
