internal import GodwitModel

/// The system's permission for location, and the present location problem.
struct Permission: Sendable, Hashable, Codable {
  private(set) var authorization = Authorization.notDetermined
  /// Why there is no location at present, as a sentence; `nil`: there is no problem.
  var problem: String?

  /// Handles a new permission.
  mutating func change(_ new: Authorization) {
    authorization = new
    switch new {
    case .denied: problem = "The system does not allow this program to access the location."
    case .restricted: problem = "A restriction of this device prevents access to the location."
    case .notDetermined, .whenInUse, .always: problem = nil
    }
  }

  var isMissing: Bool { authorization == .denied || authorization == .restricted }

  /// Requests permission if the user has not decided yet, or has granted less than is wanted.
  func ask(for wanted: WantedAuthorization) -> [Effect] {
    authorization == .notDetermined || (authorization == .whenInUse && wanted == .always) ? [.requestAuthorization(wanted)] : []
  }
}
