internal import Foundation

/// One user lets another see their devices.
struct Friendship: Sendable {
  enum Sight: String, Sendable, CaseIterable {
    /// Where the devices are now.
    case latest
    /// Where they have been as well, from a moment on.
    case history
  }

  let id: Int64
  /// Who is seen, and who sees.
  let subject, viewer: User
  /// The one of both who began: the other one must agree.
  let asked: Int64
  let sight: Sight
  let since: Date?
  let created: Date
  let accepted: Date?
}
