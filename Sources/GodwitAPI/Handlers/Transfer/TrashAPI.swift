internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitTransfer
internal import GodwitVisits

/// `/api/v1/trash`: deletions that can be undone.
struct TrashAPI: Sendable {
  let work: RequestWork
  let tokens: TokenCache
  let deletion: DeletionRun
  let announceDeletion: @Sendable () -> Void
  /// The data folder.
  let folder: String

  /// `GET /api/v1/trash`
  func list(_ request: PlainRequest) async throws -> Trash {
    let principal = request.principal
    return try await work.read { db in
      let entries = try TrashTables.all(db).filter { Self.isOf(principal, $0) }
      let copies = principal.isAdministrator ? DatabaseCopies.all(of: folder) : []
      return Trash(
        copies: copies.reversed().map { CopyOfStore(path: $0.path, time: $0.time) },
        entries: try entries.map { entry in
          TrashedItem(TrashLine(entry, user: try entry.account.flatMap { try UserTable.user($0, db)?.name }))
        })
    }
  }

  /// `POST /api/v1/trash/ID/undo`
  func undo(_ request: PlainRequest) async throws -> Change {
    try await change(request.http) { .undo(try entry(request.parameter, request.principal).id) }
  }

  /// `DELETE /api/v1/trash/ID`
  func remove(_ request: PlainRequest) async throws -> Change {
    try await change(request.http) { .empty(try entry(request.parameter, request.principal).id) }
  }

  /// `DELETE /api/v1/trash`
  func empty(_ request: PlainRequest) async throws -> Change {
    let (principal, audit) = (request.principal, DeletionRequest.Audit(request.http))
    return try await work.run {
      try work.store.writeAndWait { db in
        if principal.isAdministrator {
          try PlaceChangeTable.removeAll(db)
        } else if let user = principal.user {
          try PlaceChangeTable.removeAll(of: user.id, db)
        }
      }
      var counts = DeletionCounts()
      for entry in try work.store.read(TrashTables.all) where Self.isOf(principal, entry) {
        var line = audit
        line.subject = entry.subject
        do {
          counts += try run(DeletionRequest(target: .empty(entry.id), audit: line))
        } catch is TrashConflict {
          // A newer entry contains the data, or the entry is being restored.
        }
      }
      return Change(counts)
    }
  }

  // MARK: Pieces

  /// Whether the requester may see an entry: members see the entries of their own devices, administrators see all entries.
  private static func isOf(_ principal: Principal, _ entry: TrashEntry) -> Bool {
    principal.isAdministrator || entry.account != nil && entry.account == principal.user?.id
  }

  private func entry(_ label: String, _ principal: Principal) throws -> TrashEntry {
    guard let id = TrashEntry.number(of: label), let entry = try work.store.read({ try TrashTables.entry(id, $0) }),
      Self.isOf(principal, entry)
    else {
      throw Problem(404, "Unknown entry", "The trash has no entry \(label.jsonQuoted). /api/v1/trash lists all entries.")
    }
    return entry
  }

  private func change(
    _ request: HTTPRequest, _ find: @escaping @Sendable () throws -> DeletionRequest.Target
  ) async throws -> Change {
    let audit = DeletionRequest.Audit(request)
    return try await work.run {
      let target = try find()
      do { return Change(try run(DeletionRequest(target: target, audit: audit))) } catch let error as TrashConflict {
        throw Problem(error.isUnknown ? 404 : 409, error.isUnknown ? "Unknown entry" : "Cannot be undone", error.description)
      }
    }
  }

  private func run(_ request: DeletionRequest) throws -> DeletionCounts {
    let counts = try deletion.run(request, at: work.now)
    announceDeletion()
    work.changed()
    tokens.invalidate()
    return counts
  }
}
