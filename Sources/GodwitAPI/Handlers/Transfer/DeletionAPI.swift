internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitTransfer

/// Deletes devices, points, imports and users, and applies zones. With `dry_run=true` the response has the counts, and nothing is deleted.
struct DeletionAPI: Sendable {
  let work: RequestWork
  let tokens: TokenCache
  let deletion: DeletionRun
  let announceDeletion: @Sendable () -> Void

  /// `DELETE /api/v1/devices/NAME`
  func device(_ request: ParameterRequest<DryRun>) async throws -> Deletion {
    let (principal, name) = (request.principal, request.parameter)
    return try await delete(request.http, .init(request.parameters.dryRun, request.parameters.permanent)) {
      .device(try principal.device(named: name, in: work.store, wholly: true).id)
    }
  }

  /// `DELETE /api/v1/devices/NAME/points`
  func points(_ request: ParameterRequest<PointParameters>) async throws -> Deletion {
    let (principal, name, selection) = (request.principal, request.parameter, try request.parameters.selection)
    return try await delete(request.http, .init(request.parameters.dryRun, request.parameters.permanent)) {
      var selection = selection
      selection.device = try principal.device(named: name, in: work.store, wholly: true).id
      return .points(selection)
    }
  }

  /// `DELETE /api/v1/imports/ID`
  func importJob(_ request: ParameterRequest<DryRun>) async throws -> Deletion {
    let (principal, label) = (request.principal, request.parameter)
    return try await delete(request.http, .init(request.parameters.dryRun, request.parameters.permanent)) {
      let job = try work.store.read { try ImportAPI.job(label, principal, $0) }
      try Self.check(job, principal, work.store)
      return .importJob(job.id)
    }
  }

  /// `DELETE /api/v1/users/NAME`
  func user(_ request: ParameterRequest<UserParameters>) async throws -> Deletion {
    let (principal, name, parameters) = (request.principal, request.parameter, request.parameters)
    return try await delete(request.http, .init(parameters.dryRun, parameters.permanent), keeps: parameters.data == .keep) {
      .user(
        try work.store.read { db in
          guard let user = try principal.account(named: name, db) else { throw User.unknown(name) }
          if try UserTable.all(db).count > 1 { try user.checkOtherAdministrators(db) }
          return user.id
        })
    }
  }

  /// `POST /api/v1/zones/ID/apply`
  func zone(_ request: EmptyBodyRequest<ZoneParameters>) async throws -> Deletion {
    let (principal, name) = (request.principal, request.parameter)
    return try await delete(request.http, .init(request.parameters.dryRun, true)) {
      let zones = try work.store.read { try ZoneTable.all($0) }
      guard let id = PrivacyZone.number(of: name), zones.contains(where: { $0.id == id && $0.account == principal.user?.id })
      else {
        throw Problem(404, "Unknown zone", "There is no zone \(name.jsonQuoted). /api/v1/zones lists the existing ones.")
      }
      return .zone(id)
    }
  }

  // MARK: Pieces

  /// The mode of a deletion.
  private struct Mode {
    /// Whether the request only counts the records.
    let isDry: Bool
    /// Whether the deletion cannot be undone.
    let isPermanent: Bool
    init(_ isDry: Bool, _ isPermanent: Bool) { (self.isDry, self.isPermanent) = (isDry, isPermanent) }
  }

  /// Deletes or counts on a queue other than the network threads.
  /// - Parameters:
  ///   - keeps: whether a user's devices are kept without an owner.
  ///   - find: returns the object of the deletion; throws if the requester may not delete it.
  private func delete(
    _ request: HTTPRequest, _ mode: Mode, keeps: Bool = false, _ find: @escaping @Sendable () throws -> DeletionRequest.Target
  ) async throws -> Deletion {
    let audit = DeletionRequest.Audit(request)
    let (isDry, isPermanent) = (mode.isDry, mode.isPermanent)
    return try await work.run {
      let target = try find()
      let done: Deletion
      switch (isDry, keeps, target) {
      case (false, true, .user(let account)): done = Deletion(dryRun: false, counts: try remove(account, audit))
      case (true, true, .user): done = Deletion(dryRun: true, counts: DeletionCounts(users: 1))
      case (true, _, _): done = Deletion(dryRun: true, counts: try deletion.dry(target))
      case (false, _, _):
        let request = DeletionRequest(target: target, audit: audit)
        if isPermanent {
          done = Deletion(dryRun: false, counts: try deletion.run(request, at: work.now))
        } else {
          let (counts, entry) = try deletion.runUndoably(request, at: work.now)
          done = Deletion(dryRun: false, counts: counts, entry: entry)
        }
        announceDeletion()
      }
      work.changed()
      tokens.invalidate()
      return done
    }
  }

  /// Removes a user and keeps the user's devices without an owner.
  private func remove(_ account: Int64, _ audit: DeletionRequest.Audit) throws -> DeletionCounts {
    try work.store.writeAndWait { db in
      try AccountRemoval.remove(account, db)
      try TrashTables.giveToAdministrator(of: account, db)
      let line = AuditEntry(
        account: audit.account, actor: audit.actor, action: audit.action, subject: "\(audit.subject): the data is kept",
        address: audit.address)
      try AuditTable.add(line, at: work.now, db)
      return DeletionCounts(users: 1)
    }
  }

  /// Rejects an import of another user, and an import whose records cannot be distinguished from other records.
  private static func check(_ job: ImportJob, _ principal: Principal, _ store: any StoreDatabase) throws {
    guard job.isTraced else { throw Problem(409, "Not traced", Deletions.untraced(job)) }
    for name in job.options.devices {
      guard let device = try store.device(named: name), !principal.seesAll(of: device.id) else { continue }
      throw Problem(
        403, "Not your device", "The import has points of \(name.jsonQuoted), which now belongs to another user.")
    }
  }
}

extension DeletionRequest.Audit {
  /// Makes the audit data of a request.
  init(_ request: HTTPRequest) {
    self.init(
      account: request.principal.user?.id, actor: request.principal.actor,
      action: "\(request.method) \(request.route?.path ?? request.path)", subject: request.parameter,
      address: request.clientAddress)
  }
}
