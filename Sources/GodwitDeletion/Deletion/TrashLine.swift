package import Foundation
internal import GodwitModel

/// An entry of the trash for display.
package struct TrashLine: Sendable {
  /// The identifier: `trs_1`.
  package let id: String
  package let kind: TrashEntry.Kind
  /// The name of the device, import or user.
  package let subject: String
  /// The device into which it was merged; `nil`: it was deleted.
  package let into: String?
  /// The owner of the data; `nil`: the administrator.
  package let user: String?
  /// The user or program that deleted it.
  package let actor: String
  package let counts: DeletionCounts
  /// The times of deleted points; `nil`: unlimited.
  package let from, to: Date?
  /// Whether only points in an area were deleted.
  package let hasArea: Bool
  /// Whether an undo or a permanent deletion is in progress, or the deletion is not complete.
  package let isBusy: Bool
  package let created: Date
  /// The time at which it is deleted permanently.
  package let expires: Date

  /// - Parameter user: the name of the owner of the data.
  package init(_ entry: TrashEntry, user: String?) {
    (id, kind, subject, into) = (entry.label, entry.kind, entry.subject, entry.detail.into)
    (self.user, actor, counts) = (user, entry.actor, DeletionCounts(json: entry.counts))
    from = entry.detail.from.map { Date(millisecondsSince1970: $0) }
    to = entry.detail.to.map { Date(millisecondsSince1970: $0) }
    (hasArea, isBusy) = (entry.detail.hasArea == true, entry.state != .full)
    (created, expires) = (entry.created, entry.expires)
  }
}
