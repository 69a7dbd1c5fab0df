package import Foundation

/// One user lets another see their devices.
package struct Friendship: Sendable {
  package enum AccessLevel: String, Sendable, Codable, CaseIterable {
    /// Where the devices are now.
    case latest
    /// Where they have been as well, from a moment on.
    case history
  }

  package let id: Int64
  /// The user whose position is shown, and the user that sees it.
  package let subject, viewer: User
  /// The user that has requested it: the other one must accept.
  package let asked: Int64
  package let accessLevel: AccessLevel
  package let since: Date?
  package let created: Date
  package let accepted: Date?
}
