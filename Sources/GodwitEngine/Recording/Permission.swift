internal import GodwitModel

/// The system's permission to know the location, and what keeps the location from being known.
struct Permission: Sendable, Hashable, Codable {
  private(set) var authorization = Authorization.notDetermined
  /// Why there is no location just now, as a sentence.
  var problem: String?

  /// The system has decided.
  mutating func change(_ new: Authorization) {
    authorization = new
    switch new {
    case .denied: problem = "The system does not let this program know the location."
    case .restricted: problem = "A restriction of this device keeps programs from knowing the location."
    case .notDetermined, .whenInUse, .always: problem = nil
    }
  }

  var isMissing: Bool { authorization == .denied || authorization == .restricted }

  /// Asks if the system has not decided yet, or has allowed less than is wanted.
  func ask(for wanted: WantedAuthorization) -> [Effect] {
    authorization == .notDetermined || (authorization == .whenInUse && wanted == .always) ? [.requestAuthorization(wanted)] : []
  }
}
