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

/// Deletes what a request names. With `dry_run=true` the answer has the counts, and nothing is deleted.
struct DeletionAPI: Sendable {
  let work: RequestWork
  let tokens: TokenCache
  let deletion: DeletionRun
  let announceDeletion: @Sendable () -> Void

  /// `DELETE /api/v1/devices/NAME`
  func device(_ request: ParameterRequest<DryRun>) async throws -> Deletion {
    let (principal, name) = (request.principal, request.parameter)
    return try await delete(request.http, isDry: request.parameters.dryRun) {
      .device(try principal.device(named: name, in: work.store, wholly: true).id)
    }
  }

  /// `DELETE /api/v1/devices/NAME/points`
  func points(_ request: ParameterRequest<PointParameters>) async throws -> Deletion {
    let (principal, name, selection) = (request.principal, request.parameter, try request.parameters.selection)
    return try await delete(request.http, isDry: request.parameters.dryRun) {
      var selection = selection
      selection.device = try principal.device(named: name, in: work.store, wholly: true).id
      return .points(selection)
    }
  }

  /// `DELETE /api/v1/imports/ID`
  func importJob(_ request: ParameterRequest<DryRun>) async throws -> Deletion {
    let (principal, label) = (request.principal, request.parameter)
    return try await delete(request.http, isDry: request.parameters.dryRun) {
      let job = try work.store.read { try ImportAPI.job(label, principal, $0) }
      try Self.check(job, principal, work.store)
      return .importJob(job.id)
    }
  }

  /// `DELETE /api/v1/users/NAME`
  func user(_ request: ParameterRequest<UserParameters>) async throws -> Deletion {
    let (principal, name, parameters) = (request.principal, request.parameter, request.parameters)
    return try await delete(request.http, isDry: parameters.dryRun, keeps: parameters.data == .keep) {
      .user(
        try work.store.read { db in
          guard let user = try principal.account(named: name, db) else { throw User.unknown(name) }
          if try UserTable.all(db).count > 1 { try user.checkOtherAdministrators(db) }
          return user.id
        })
    }
  }

  /// `POST /api/v1/zones/ID/apply`
  func zone(_ request: ParameterRequest<DryRun>) async throws -> Deletion {
    let (principal, name) = (request.principal, request.parameter)
    return try await delete(request.http, isDry: request.parameters.dryRun) {
      let zones = try work.store.read { try ZoneTable.all($0) }
      guard let id = PrivacyZone.number(of: name), zones.contains(where: { $0.id == id && $0.account == principal.user?.id })
      else {
        throw Problem(404, "Unknown zone", "There is no zone \(name.jsonQuoted). /api/v1/zones lists the existing ones.")
      }
      return .zone(id)
    }
  }

  // MARK: Pieces

  /// Deletes or counts on another queue than the receiving threads.
  /// - Parameters:
  ///   - keeps: whether a user's devices are kept and left without a user.
  ///   - find: returns what is deleted, if the requester may delete it.
  private func delete(
    _ request: HTTPRequest, isDry: Bool, keeps: Bool = false, _ find: @escaping @Sendable () throws -> DeletionRequest.Target
  ) async throws -> Deletion {
    let audit = DeletionRequest.Audit(
      account: request.principal.user?.id, actor: request.principal.actor,
      action: "\(request.method) \(request.route?.path ?? request.path)", subject: request.parameter,
      address: request.clientAddress)
    return try await work.run {
      let target = try find()
      let counts: DeletionCounts
      switch (isDry, keeps, target) {
      case (false, true, .user(let account)): counts = try remove(account, audit)
      case (true, true, .user):
        counts = DeletionCounts(users: 1)
      case (true, _, _): counts = try deletion.dry(target)
      case (false, _, _):
        counts = try deletion.run(DeletionRequest(target: target, audit: audit), at: work.now)
        announceDeletion()
      }
      work.changed()
      tokens.invalidate()
      return Deletion(dryRun: isDry, counts: Counts(counts))
    }
  }

  /// Removes a user and keeps the devices without a user.
  private func remove(_ account: Int64, _ audit: DeletionRequest.Audit) throws -> DeletionCounts {
    try work.store.writeAndWait { db in
      try AccountRemoval.remove(account, db)
      let line = AuditEntry(
        account: audit.account, actor: audit.actor, action: audit.action, subject: "\(audit.subject): the data is kept",
        address: audit.address)
      try AuditTable.add(line, at: work.now, db)
      return DeletionCounts(users: 1)
    }
  }

  /// Refuses an import that is not the requester's, or whose records cannot be separated from the others.
  private static func check(_ job: ImportJob, _ principal: Principal, _ store: any StoreDatabase) throws {
    guard job.isTraced else { throw Problem(409, "Not traced", Deletions.untraced(job)) }
    for name in job.options.devices {
      guard let device = try store.device(named: name), !principal.seesAll(of: device.id) else { continue }
      throw Problem(
        403, "Not your device", "The import has points of \(name.jsonQuoted), which now belongs to another user.")
    }
  }
}
