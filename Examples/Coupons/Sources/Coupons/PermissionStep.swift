import CoreLocation
import Foundation

/// The step before the system's permission prompt. The system shows its prompt once; after a refusal, the user can grant the
/// permission only in the system's settings. The app therefore explains first what it uses the position for, and requests the
/// permission only after "Yes, please".
public struct PermissionStep: Sendable, Hashable, Codable {
  /// What the app shows above its list of offers.
  public enum Screen: Sendable, Hashable {
    /// The permission is granted, or the user has postponed the request.
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

  /// Returns the screen for a permission.
  public func screen(for status: CLAuthorizationStatus, at now: Date) -> Screen {
    switch status {
    case .authorizedAlways: .nothing
    case .denied, .restricted: .settings
    default: postponed.map { now.timeIntervalSince($0) < Self.pause } == true ? .nothing : .explanation
    }
  }

  /// Records that the user chose "Not now".
  public mutating func postpone(at now: Date) { postponed = now }
}
