internal import Foundation
internal import GodwitDeletion
internal import GodwitHTTP

extension TrashEntry.Kind: DocumentedValue {}

extension TrashAPI {
  struct Trash: ResultObject {
    var copies: [CopyOfStore]
    var entries: [TrashedItem]

    static let notes: [String: JSONValue] = [
      "copies": "Backups and copies that were written on this machine, which contain what was deleted since; for administrators."
    ]
  }

  /// A backup or copy of the store on this machine.
  struct CopyOfStore: ResultObject {
    var path: String
    var time: Date
    static let schemaName: String? = "DatabaseCopy"
  }

  /// A deletion that can be undone.
  struct TrashedItem: ResultObject {
    var id: String
    var kind: TrashEntry.Kind
    var subject: String
    @Nullable var into: String?
    @Nullable var owner: String?
    var actor: String
    var deleted: Date
    var until: Date
    @Nullable var from: Date?
    @Nullable var to: Date?
    var hasArea: Bool
    var isBusy: Bool
    var counts: DeletionAPI.Counts

    static let schemaName: String? = "TrashEntry"
    static let notes: [String: JSONValue] = [
      "kind": "What was deleted; `merge`: the device became a part of another one.",
      "subject": "The name of the device, import or user.", "into": "The device that it was merged into.",
      "owner": "The user that the data belongs to; null: the administrator.", "actor": "The user or program that deleted it.",
      "until": "When it is deleted for good.", "from": "Start of the time of deleted points; null: unlimited.",
      "to": "End of the time of deleted points; null: unlimited.", "has_area": "Whether only points of an area were deleted.",
      "is_busy": "Whether an undo, or the deletion itself, is not complete.",
    ]

    init(_ line: TrashLine) {
      (id, kind, subject, into, owner, actor) = (line.id, line.kind, line.subject, line.into, line.user, line.actor)
      (deleted, until, from, to) = (line.created, line.expires, line.from, line.to)
      (hasArea, isBusy, counts) = (line.hasArea, line.isBusy, DeletionAPI.Counts(line.counts))
    }
  }

  /// The entry that was restored or deleted permanently.
  struct Change: ResultObject {
    var counts: DeletionAPI.Counts
    static let schemaName: String? = "TrashChange"
    init(_ counts: DeletionCounts) { self.counts = DeletionAPI.Counts(counts) }
  }
}
