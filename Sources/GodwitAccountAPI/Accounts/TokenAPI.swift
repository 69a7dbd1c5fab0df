internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// `/api/v1/tokens`: tokens for programs; `/api/v1/devices`: owners of devices; `/api/v1/audit`: the audit log.
struct TokenAPI {
  let work: RequestWork
  let noticed: NoticedWork

  /// Characters of a token's name.
  private static let labels = 1...100

  // MARK: Tokens

  /// `GET /api/v1/tokens`: the requester's; with `user=NAME`, or `all=true`, those of other users for an administrator.
  func list(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let (name, wantsAll) = (request.query["user"], try request.query.flag("all"))
    return work.later(request) {
      guard !wantsAll || reader.isAdministrator else {
        throw Problem(403, "For administrators", "Only an administrator sees everybody's tokens. Leave out all.")
      }
      let texts = try work.store.read { connection -> [String] in
        let account = try reader.account(named: name, connection)?.id
        var users: [Int64: String] = [:]
        for user in try UserTable.all(connection) { users[user.id] = user.name }
        return try ScopedTokenTable.all(of: account, everybodys: wantsAll, connection)
          .map { Self.json($0, user: $0.account.flatMap { users[$0] }) }
      }
      return JSONText.list("tokens", texts)
    }
  }

  /// `POST /api/v1/tokens`
  func add(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    var body = try JSONBody(request.takeBody(), "token")
    let label = try body.needed("name").trimmingCharacters(in: .whitespaces)
    guard Self.labels.contains(label.count) else { throw body.fault("name", "1 to \(Self.labels.upperBound) characters.") }
    request.subject = label
    let scope = try body.choice("scope", of: ScopedToken.Scope.self) ?? .read
    let device = try body.text("device")
    var terms = ScopedTokenTable.Terms(
      account: reader.user?.id, label: label, scope: scope, expires: try body.date("expires"), parent: reader.token?.id)
    try body.end()
    if let expires = terms.expires, expires <= Date() { throw body.fault("expires", "this has passed.") }
    if device == nil, scope == .write { throw body.fault("device", "missing: a token that writes is for one device.") }
    if device != nil, scope == .admin { throw body.fault("device", "a token with the scope admin is for all of an account.") }
    // A token cannot create a token with more rights; the scope admin has all rights of its account.
    if let device { terms.device = try reader.device(named: device, in: work.store, wholly: true) }
    let secret = AccessToken()
    if let refusal = request.suspend() { return .now(refusal) }
    let notice = AccountNotice(
      kind: .tokenCreated, account: reader.user?.id, user: reader.user?.name, detail: terms.label, actor: reader.actor,
      address: request.clientAddress)
    noticed.write(request, noticing: notice) { [terms] connection in
      guard let made = try ScopedTokenTable.add(terms, hash: secret.hash, at: Date(), connection) else {
        throw StoreError.closed
      }
      return JSONText.response(Self.json(made, user: reader.user?.name, secret: secret.secret), status: 201)
        .with("Cache-Control", "no-store")
    }
    return .later
  }

  /// `DELETE /api/v1/tokens/ID`
  func revoke(_ request: HTTPRequest) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    return work.change(request) { connection in
      let unknown = Problem(404, "Unknown token", "There is no token \(name.jsonQuoted). /api/v1/tokens lists the existing ones.")
      guard let id = ScopedToken.number(of: name), let token = try ScopedTokenTable.token(id, connection),
        reader.isAdministrator || token.account == reader.user?.id
      else { throw unknown }
      guard try ScopedTokenTable.revoke(id, at: Date(), connection) else { throw unknown }
      return JSONText.response(JSONText.object { $0.add("revoked", name) })
    }
  }

  private static func json(_ token: ScopedToken, user: String?, secret: String? = nil) -> String {
    JSONText.object {
      $0.add("id", token.name)
      $0.add("name", token.label)
      $0.add("user", user)
      $0.add("scope", token.scope.rawValue)
      $0.add("device", token.device?.name)
      $0.add("created", token.created)
      $0.add("expires", token.expires)
      $0.add("revoked", token.revoked)
      $0.add("used", token.used)
      $0.add("address", token.address)
      if let secret { $0.add("token", secret) }
    }
  }

  // MARK: Devices

  /// `POST /api/v1/devices`: adds a device for the requester, or one more token for it.
  func addDevice(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    var body = try JSONBody(request.takeBody(), "device")
    let (name, user) = (try body.needed("name"), try body.text("user"))
    request.subject = name
    try body.end()
    guard Device.isValid(name: name) else {
      throw body.fault("name", "1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends.")
    }
    let secret = AccessToken()
    if let refusal = request.suspend() { return .now(refusal) }
    let address = request.clientAddress
    // The token may send as a device of that device's owner.
    let notice: @Sendable (any SQLConnection) throws -> AccountNotice? = { db in
      let account = try db.integer("SELECT owner FROM devices WHERE name = ?", name)
      return AccountNotice(
        kind: .tokenCreated, account: account, user: try account.flatMap { try UserTable.user($0, db) }?.name, detail: name,
        actor: reader.actor, address: address)
    }
    noticed.write(request, noticing: notice) { connection in
      let owner = try reader.account(named: user, connection)
      let now = Date().millisecondsSince1970
      let known = try connection.first("SELECT id, owner FROM devices WHERE name = ?", name) {
        (id: $0.integer(0), owner: $0.optionalInteger(1))
      }
      let id: Int64
      if let known {
        // Names are global. For a name of another user the answer says only that it is taken.
        guard reader.isAdministrator || known.owner == owner?.id else {
          throw Problem(409, "Name taken", "There is a device \(name.jsonQuoted) already. Choose another name.", at: "name")
        }
        id = known.id
      } else {
        try connection.run("INSERT INTO devices (name, created, owner) VALUES (?, ?, ?)", name, now, owner?.id)
        // The inserted number may belong to a deleted device; then the device gets another number.
        guard let made = try TrackTables.device(named: name, connection) else { throw StoreError.closed }
        id = made.id
      }
      try connection.run(
        "INSERT INTO device_tokens (hash, device, created, parent) VALUES (?, ?, ?, ?)", secret.hash, id, now, reader.token?.id)
      let text = JSONText.object {
        $0.add("device", name)
        $0.add("owner", owner?.name)
        $0.add("token", secret.secret)
      }
      return JSONText.response(text, status: 201).with("Cache-Control", "no-store")
    }
    return .later
  }

  /// `PUT /api/v1/devices/NAME`: assigns a device to a user.
  func changeDevice(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let name = request.parameter
    var body = try JSONBody(request.takeBody(), "device")
    let owner = try body.text("owner")
    try body.end()
    return work.change(request) { connection in
      guard let device = try connection.integer("SELECT id FROM devices WHERE name = ?", name) else {
        throw Device.unknown(name)
      }
      let user = try owner.map { owner in
        guard let user = try UserTable.user(named: owner, connection) else { throw User.unknown(owner) }
        return user
      }
      try DeviceOwners.set(user?.id, of: device, connection)
      return JSONText.response(
        JSONText.object {
          $0.add("device", name)
          $0.add("owner", user?.name)
        })
    }
  }

  /// `DELETE /api/v1/devices/NAME/tokens`: revokes all tokens that a device can send with.
  func revokeDevice(_ request: HTTPRequest) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    return work.later(request) {
      let device = try reader.device(named: name, in: work.store, wholly: true)
      let count = try work.store.revokeTokens(ofDeviceNamed: device.name, at: Date()) ?? 0
      return JSONText.response(JSONText.object { $0.add("revoked", count) })
    }
  }

  // MARK: The log

  /// `GET /api/v1/audit`: all entries for an administrator, the requester's for other users.
  func audit(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let name = request.query["user"]
    var query = AuditTable.Query(limit: try request.query.limit())
    query.before = try request.query.rowCursor() ?? .max
    query.action = request.query["action"]
    return work.later(request) { [query] in
      var query = query
      let lines = try work.store.read { connection in
        if name != nil || !reader.isAdministrator { query.account = try reader.account(named: name, connection)?.id }
        return try AuditTable.lines(query, connection)
      }
      let texts = lines.map { line in
        JSONText.object {
          $0.add("id", Int(line.id))
          $0.add("time", line.time)
          $0.add("actor", line.entry.actor)
          $0.add("action", line.entry.action)
          $0.add("subject", line.entry.subject)
          $0.add("address", line.entry.address)
        }
      }
      return JSONText.page("entries", texts, nextCursor: lines.count == query.limit ? lines.last.map { String($0.id) } : nil)
    }
  }
}
