internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// `/api/v1/tokens`: tokens for programs; `/api/v1/devices`: owners of devices; `/api/v1/audit`: the audit log.
struct TokenAPI {
  let work: RequestWork
  let noticed: NoticedWork

  // MARK: Tokens

  /// Lists the requester's tokens. An administrator may list the tokens of other users.
  func list(_ request: ParameterRequest<ListParameters>) async throws -> TokenList {
    let (principal, name, wantsAll) = (request.principal, request.parameters.user?.name, request.parameters.all)
    guard !wantsAll || principal.isAdministrator else {
      throw Problem(403, "For administrators", "Only an administrator can list the tokens of all users. Omit all.")
    }
    return try await work.read { db in
      let account = try principal.account(named: name, db)?.id
      let users = Dictionary(uniqueKeysWithValues: try UserTable.all(db).map { ($0.id, $0.name) })
      let tokens = try ScopedTokenTable.all(of: account, everybodys: wantsAll, db)
      return TokenList(tokens: tokens.map { TokenObject($0, user: $0.account.flatMap { users[$0] }) })
    }
  }

  func add(_ request: BodyRequest<NewToken>) async throws -> NotStored<Created<TokenObject>> {
    let (principal, body, now) = (request.principal, request.body, work.now)
    let label = body.name.trimmingCharacters(in: .whitespaces)
    guard NewToken.labels.contains(label.count) else {
      throw NewToken.fault("name", "1 to \(NewToken.labels.upperBound) characters.")
    }
    request.audit(label)
    let scope = body.scope ?? .read
    if let expires = body.expires?.date, expires <= now { throw NewToken.fault("expires", "this has passed.") }
    if body.device == nil, scope == .write {
      throw NewToken.fault("device", "missing: a token with the scope write is for one device.")
    }
    if body.device != nil, scope == .admin {
      throw NewToken.fault("device", "remove it: a token with the scope admin is for the whole account.")
    }
    var options = ScopedTokenTable.Options(
      account: principal.user?.id, label: label, scope: scope, expires: body.expires?.date, parent: principal.token?.id)
    // A token cannot create a token with more rights. A token with the scope `admin` has all rights of its account.
    if let device = body.device {
      options.device = try await work.run { try principal.device(named: device, in: work.store, wholly: true) }
    }
    let secret = AccessToken()
    let notice = AccountNotice(
      kind: .tokenCreated, account: principal.user?.id, user: principal.user?.name, detail: label, actor: principal.actor,
      address: request.http.clientAddress)
    return try await noticed.write(noticing: notice) { [options] db in
      guard let made = try ScopedTokenTable.add(options, hash: secret.hash, at: now, db) else { throw StoreError.closed }
      return NotStored(Created(TokenObject(made, user: principal.user?.name, secret: secret.secret)))
    }
  }

  func revoke(_ request: PlainRequest) async throws -> Revoked {
    let (name, principal, now) = (request.parameter, request.principal, work.now)
    return try await work.write { db in
      let unknown = Problem(404, "Unknown token", "There is no token \(name.jsonQuoted). /api/v1/tokens lists the existing ones.")
      guard let id = ScopedToken.number(of: name), let token = try ScopedTokenTable.token(id, db),
        principal.isAdministrator || token.account == principal.user?.id
      else { throw unknown }
      guard try ScopedTokenTable.revoke(id, at: now, db) else { throw unknown }
      return Revoked(revoked: name)
    }
  }

  // MARK: Devices

  /// Adds a device for the requester, or another token for an existing device of the requester.
  func addDevice(_ request: BodyRequest<NewDevice>) async throws -> NotStored<Created<DeviceWithToken>> {
    let (principal, name, user, now) = (request.principal, request.body.name, request.body.user, work.now)
    request.audit(name)
    guard Device.isValid(name: name) else {
      throw NewDevice.fault("name", "1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends.")
    }
    let secret = AccessToken()
    let address = request.http.clientAddress
    // The server notifies the owner of the device, because the token allows uploads as this device.
    let notice: @Sendable (any SQLConnection) throws -> AccountNotice? = { db in
      let account = try TrackTables.device(named: name, db).flatMap { try TrackTables.owner(of: $0.id, db) }
      return AccountNotice(
        kind: .tokenCreated, account: account, user: try account.flatMap { try UserTable.user($0, db) }?.name, detail: name,
        actor: principal.actor, address: address)
    }
    return try await noticed.write(noticing: notice) { db in
      let owner = try principal.account(named: user, db)
      // Device names are unique on the server. For a name that another user's device has, the response contains only that
      // the name is taken.
      if let known = try TrackTables.device(named: name, db), !principal.isAdministrator,
        try TrackTables.owner(of: known.id, db) != owner?.id
      {
        throw Problem(409, "Name taken", "There is a device \(name.jsonQuoted) already. Choose another name.", at: "name")
      }
      try DeviceOwners.addDevice(
        named: name, of: owner?.id, tokenHash: secret.hash, parent: principal.token?.id, at: now, db)
      return NotStored(Created(DeviceWithToken(device: name, owner: owner?.name, token: secret.secret)))
    }
  }

  /// Assigns a device to a user.
  func changeDevice(_ request: BodyRequest<DeviceChange>) async throws -> DeviceWithOwner {
    let (name, owner) = (request.parameter, request.body.owner)
    return try await work.write { db in
      guard let device = try TrackTables.device(named: name, db) else { throw Device.unknown(name) }
      let user = try owner.map { owner in
        guard let user = try UserTable.user(named: owner, db) else { throw User.unknown(owner) }
        return user
      }
      try DeviceOwners.set(user?.id, of: device.id, db)
      return DeviceWithOwner(device: name, owner: user?.name)
    }
  }

  /// Revokes all tokens that allow uploads of a device.
  func revokeDevice(_ request: PlainRequest) async throws -> RevokedTokens {
    let (name, principal, now) = (request.parameter, request.principal, work.now)
    return try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      return RevokedTokens(revoked: try work.store.revokeTokens(ofDeviceNamed: device.name, at: now) ?? 0)
    }
  }

  // MARK: The log

  /// Lists all entries for an administrator, and the requester's own entries for other users.
  func audit(_ request: ParameterRequest<AuditParameters>) async throws -> EntryPage {
    let (principal, parameters, name) = (request.principal, request.parameters, request.parameters.user?.name)
    return try await work.read { db in
      var query = AuditTable.Query(limit: parameters.limit.count)
      query.before = parameters.cursor?.place.row ?? .max
      query.action = parameters.action
      if name != nil || !principal.isAdministrator { query.account = try principal.account(named: name, db)?.id }
      let lines = try AuditTable.lines(query, db)
      return EntryPage(
        entries: lines.map { Entry($0) },
        nextCursor: NextCursor(lines.count == query.limit ? lines.last.map { String($0.id) } : nil))
    }
  }
}
