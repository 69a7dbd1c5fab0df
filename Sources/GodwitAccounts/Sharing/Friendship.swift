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
  /// Who is seen, and who sees.
  package let subject, viewer: User
  /// The one of both who began: the other one must agree.
  package let asked: Int64
  package let accessLevel: AccessLevel
  package let since: Date?
  package let created: Date
  package let accepted: Date?
}
