package import Foundation

/// A permission of one user for another to see the positions of their devices.
package struct Friendship: Sendable {
  package enum AccessLevel: String, Sendable, Codable, CaseIterable {
    /// The current positions of the devices.
    case latest
    /// The current positions, and the history since a given time.
    case history
  }

  package let id: Int64
  /// The user whose position is shown, and the user who sees it.
  package let subject, viewer: User
  /// The number of the user who made the request. The other user must accept it.
  package let asked: Int64
  package let accessLevel: AccessLevel
  package let since: Date?
  package let created: Date
  package let accepted: Date?
}
