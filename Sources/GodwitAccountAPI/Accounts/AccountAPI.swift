internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// `/api/v1/session`, `/api/v1/sessions`, `/api/v1/users`, `/api/v1/password`: sessions, users and passwords.
struct AccountAPI {
  let work: RequestWork
  let owner: OwnerAccess
  let signIn: SignIn
  let noticed: NoticedWork

  // MARK: Signing in and out

  /// `POST /api/v1/session`
  func signIn(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    if let refusal = owner.foreignPageRejection(request) { throw refusal }
    var body = try JSONBody(request.takeBody(), "sign-in")
    let (name, password) = (try body.needed("name"), try body.needed("password"))
    let code = try body.text("code")
    try body.end()
    guard name.utf8.count <= 1000, password.count <= Password.lengths.upperBound else {
      throw Problem(401, "Not signed in", "This name and this password do not belong together. Check both.")
    }
    if let refusal = request.suspend() { return .now(refusal) }
    let isSecure = request.isSecure
    let attempt = SignIn.Attempt(
      name: name, password: password, code: code, address: request.clientAddress, agent: request.header("User-Agent") ?? "",
      time: Date(), cookie: { request.cookie($0) })
    signIn.signIn(attempt) { result in
      switch result {
      case .success(let success):
        let text = JSONText.object { $0.add("user", raw: Self.json(success.user)) }
        request.finish(
          JSONText.response(text).with("Set-Cookie", Self.cookie(of: success, isSecure: isSecure))
            .with("Set-Cookie", Self.cookie(success.secret.secret, isSecure: isSecure)).with("Cache-Control", "no-store"))
      case .failure(let problem): request.finish(problem.response)
      }
    }
    return .later
  }

  /// `DELETE /api/v1/session`
  func signOut(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    if let refusal = owner.foreignPageRejection(request) { throw refusal }
    let gone = JSONText.response(#"{"signed_out":true}"#)
      .with("Set-Cookie", Self.cookie("", isSecure: request.isSecure))
      .with("Set-Cookie", secretCookie(OwnerAccess.cookie, "", days: 0, sameSite: .strict, isSecure: false))
      .with("Set-Cookie", request.ownerCookie(OwnerAccess.sessionCookie, "", days: SessionLimits.maximumDays))
    if let secret = owner.sessionSecret(of: request),
      let session = owner.login.sessions.session(secret, at: Date())
    {
      owner.login.sessions.end(session)
      work.changed()
    }
    guard let secret = request.cookie(Session.cookie) else { return .now(gone) }
    let (token, address, now) = (AccessToken(secret), request.clientAddress, Date())
    return work.change(request) { connection in
      guard let session = try SessionTable.session(token, at: now, connection) else { return gone }
      _ = try SessionTable.remove(session.id, of: session.account, connection)
      let user = try UserTable.user(session.account, connection)
      let entry = AuditEntry(account: session.account, actor: user?.name ?? "", action: "sign-out", address: address)
      try AuditTable.add(entry, at: now, connection)
      return gone
    }
  }

  /// `GET /api/v1/session`
  func current(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    let text = JSONText.object {
      $0.add("user", raw: reader.user.map(Self.json) ?? "null")
      $0.add("administrator", reader.isAdministrator)
      $0.add("may_change", reader.mayChange)
      $0.add("session", reader.session?.name ?? reader.ownerSession?.name)
      $0.add("confirmed_until", SessionConfirmation.end(reader.confirmed, at: Date()))
    }
    return .now(JSONText.response(text).with("Cache-Control", "no-store"))
  }

  /// `SameSite=Lax`: a link from another site opens the map; a form of another site is sent without the cookie.
  static func cookie(_ secret: String, isSecure: Bool) -> String {
    secretCookie(Session.cookie, secret, days: SessionLimits.maximumDays, sameSite: .lax, isSecure: isSecure)
  }

  /// The cookie that identifies the browser at the next sign-in.
  private static func cookie(of success: SignIn.Success, isSecure: Bool) -> String {
    secretCookie(
      KnownBrowser.cookie(of: success.user.id), success.browser, days: KnownBrowser.days, sameSite: .strict,
      path: "/api/v1/session", isSecure: isSecure)
  }

  // MARK: Sessions

  /// `GET /api/v1/sessions`
  func sessions(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    let name = request.query["user"]
    return work.later(request) {
      if name == nil, reader.user == nil { return ownersSessions(reader) }
      let sessions = try work.store.read { connection in
        try SessionTable.all(of: reader.account(named: name, connection)?.id, at: Date(), connection)
      }
      return Self.list(sessions) { $0.id == reader.session?.id }
    }
  }

  /// Sessions of the administrator's token, which belong to no user.
  private func ownersSessions(_ reader: Reader) -> HTTPResponse {
    let sessions = reader.isAdministrator ? owner.login.sessions.all(at: Date()) : []
    return Self.list(sessions) { $0.key == reader.ownerSession?.key }
  }

  /// Sessions as a list of JSON objects.
  /// - Parameter isCurrent: whether a session is the one that the request came with.
  private static func list<Listed: ListedSession>(_ sessions: [Listed], isCurrent: (Listed) -> Bool) -> HTTPResponse {
    JSONText.list(
      "sessions",
      sessions.map { session in
        JSONText.object {
          $0.add("id", session.name)
          $0.add("created", session.created)
          $0.add("used", session.used)
          $0.add("expires", min(session.expires, session.used.addingTimeInterval(SessionLimits.idleDays * 86400)))
          $0.add("address", session.address)
          $0.add("agent", session.agent)
          $0.add("current", isCurrent(session))
        }
      })
  }

  /// Ends one session of the administrator's token, or all except the session of the request.
  private func endOwnersSessions(_ reader: Reader, id: String?, others: Bool) throws(Problem) -> HTTPResponse {
    let sessions = owner.login.sessions
    let ended = sessions.all(at: Date()).filter { others ? $0.key != reader.ownerSession?.key : $0.name == id }
    for session in ended { sessions.end(session) }
    work.changed()
    guard others || !ended.isEmpty else { throw Self.unknownSession(id ?? "") }
    return JSONText.response(JSONText.object { $0.add("ended", ended.count) })
  }

  private static func unknownSession(_ id: String) -> Problem {
    Problem(404, "Unknown session", "There is no session \(id.jsonQuoted). /api/v1/sessions lists the existing ones.")
  }

  /// `DELETE /api/v1/sessions?others=true`: ends all sessions of a user, except the session of the request.
  func endOtherSessions(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (reader, name) = (request.reader, request.query["user"])
    guard try request.query.flag("others") else {
      throw Problem(
        400, "Bad argument", "Name the session: DELETE /api/v1/sessions/ses_1, or others=true to end all others.", at: "others")
    }
    if name == nil, reader.user == nil, reader.isAdministrator {
      return work.later(request) { try endOwnersSessions(reader, id: nil, others: true) }
    }
    return work.change(request) { connection in
      let user = try Self.sessionUser(name, reader, connection)
      let count = try SessionTable.removeOthers(than: reader.session?.id ?? 0, of: user.id, connection)
      return JSONText.response(JSONText.object { $0.add("ended", count) })
    }
  }

  /// `DELETE /api/v1/sessions/ID`
  func endSession(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (reader, name, id) = (request.reader, request.query["user"], request.parameter)
    if name == nil, reader.user == nil, reader.isAdministrator, id.hasPrefix("own_") {
      return work.later(request) { try endOwnersSessions(reader, id: id, others: false) }
    }
    return work.change(request) { connection in
      let user = try Self.sessionUser(name, reader, connection)
      guard let number = Session.number(of: id), try SessionTable.remove(number, of: user.id, connection) else {
        throw Self.unknownSession(id)
      }
      return JSONText.response(JSONText.object { $0.add("ended", 1) })
    }
  }

  /// The user whose sessions a request ends.
  private static func sessionUser(_ name: String?, _ reader: Reader, _ db: any SQLConnection) throws -> User {
    guard let user = try reader.account(named: name, db) else {
      throw Problem(400, "Bad argument", "user is missing: name the user whose sessions end, as in user=NAME.", at: "user")
    }
    return user
  }

  // MARK: Passwords

  /// `POST /api/v1/password`: changes the requesting user's password.
  func setPassword(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    guard let found = reader.user else {
      throw Problem(400, "No user", "Only a user has a password. Sign in, or use PUT /api/v1/users/NAME.")
    }
    let user = found
    var body = try JSONBody(request.takeBody(), "password")
    let (old, new) = (try body.needed("old"), try body.needed("new"))
    let endsTokens = try body.flag("end_tokens") ?? false
    try body.end()
    if let fault = Password.fault(new, user: user.name) { throw body.fault("new", fault) }
    if let refusal = request.suspend() { return .now(refusal) }
    let now = Date()
    let subjects = SignInThrottle.Subject.all(of: user.name, from: ClientNetwork(request.clientAddress).description)
    // An unattended browser must not allow guessing of the password.
    work.store.write(
      { connection -> String in
        if let wait = try SignInThrottle.begin(subjects, at: now, connection) {
          throw Problem(
            429, "Too many attempts", "Try again in \(Int(wait.rounded(.up))) seconds.", retryAfter: Int(wait.rounded(.up)))
        }
        return try UserTable.password(of: user.id, connection) ?? Password.nobodys
      },
      completion: { result in
        switch result {
        case .failure(let error): request.finish(RequestWork.problem(error).response)
        case .success(let kept):
          let isTaken = signIn.perform {
            guard Password.isRight(old, kept: kept) else {
              return request.finish(
                Problem(422, "Wrong password", "old: this is not your password as it is now.", at: "old").response)
            }
            let notice = AccountNotice(
              kind: .passwordChanged, account: user.id, user: user.name, actor: reader.actor, address: request.clientAddress)
            store(password: new, of: user, sparing: reader.session?.id, notice, request) { connection in
              try SignInThrottle.succeed(subjects, connection)
              let revoked =
                endsTokens
                ? try ScopedTokenTable.revokeAll(of: user.id, sparing: reader.token?.id, at: now, connection) : 0
              return JSONText.response(
                JSONText.object {
                  $0.add("changed", true)
                  $0.add("revoked", revoked)
                })
            }
          }
          if !isTaken { request.finish(SignIn.busy.response) }
        }
      })
    return .later
  }

  // MARK: Users

  /// `GET /api/v1/users`
  func users(_ request: HTTPRequest) -> HTTPReply {
    work.later(request) {
      let users = try work.store.read { connection in
        let enrolled = try SecondFactorTable.all(connection)
        return try UserTable.all(connection).map { user in
          let devices = try connection.integer("SELECT count(*) FROM devices WHERE owner = ?", user.id) ?? 0
          return Self.json(user, more: (Int(devices), enrolled.contains(user.id)))
        }
      }
      return JSONText.list("users", users)
    }
  }

  /// `POST /api/v1/users`
  func addUser(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    var body = try JSONBody(request.takeBody(), "user")
    let (name, password) = (try body.needed("name"), try body.needed("password"))
    request.subject = name
    let role = try body.choice("role", of: User.Role.self) ?? .member
    try body.end()
    guard Device.isValid(name: name) else {
      throw body.fault("name", "1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends.")
    }
    if let fault = Password.fault(password, user: name) { throw body.fault("password", fault) }
    if let refusal = request.suspend() { return .now(refusal) }
    let isTaken = signIn.perform {
      let kept: String
      do { kept = try Password.kept(password) } catch { return request.finish(RequestWork.problem(error).response) }
      work.write(request) { connection in
        // The first user is an administrator, because at least one is required.
        let role = try UserTable.isEmpty(connection) ? .admin : role
        guard let user = try UserTable.add(name, role, password: kept, at: Date(), connection) else {
          throw Problem(409, "Name taken", "There is a user \(name.jsonQuoted) already. Choose another name.", at: "name")
        }
        return JSONText.response(Self.json(user), status: 201)
      }
    }
    if !isTaken { request.finish(SignIn.busy.response) }
    return .later
  }

  /// `PUT /api/v1/users/NAME`
  func changeUser(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    var body = try JSONBody(request.takeBody(), "user")
    let (role, password) = (try body.choice("role", of: User.Role.self), try body.text("password"))
    try body.end()
    if let fault = password.flatMap({ Password.fault($0, user: name) }) { throw body.fault("password", fault) }
    if let refusal = request.suspend() { return .now(refusal) }
    let isTaken = signIn.perform {
      let kept: String?
      do { kept = try password.map { try Password.kept($0) } } catch {
        return request.finish(RequestWork.problem(error).response)
      }
      let address = request.clientAddress
      let notice: @Sendable (any SQLConnection) throws -> AccountNotice? = { db in
        guard kept != nil, let user = try UserTable.user(named: name, db) else { return nil }
        return AccountNotice(
          kind: .passwordChanged, account: user.id, user: user.name, actor: reader.actor, address: address)
      }
      noticed.write(request, noticing: notice) { connection in
        guard let user = try UserTable.user(named: name, connection) else { throw User.unknown(name) }
        if let role {
          if role != .admin { try user.checkOtherAdministrators(connection) }
          try UserTable.setRole(role, of: user.id, connection)
        }
        if let kept {
          let sparing = user.id == reader.user?.id ? reader.session?.id : nil
          try UserTable.setPassword(kept, of: user.id, sparing: sparing, at: Date(), connection)
        }
        return JSONText.response(Self.json(try UserTable.user(user.id, connection) ?? user))
      }
    }
    if !isTaken { request.finish(SignIn.busy.response) }
    return .later
  }

  static func json(_ user: User) -> String { json(user, more: nil) }

  private static func json(_ user: User, more: (devices: Int, hasSecondFactor: Bool)?) -> String {
    JSONText.object {
      $0.add("name", user.name)
      $0.add("role", user.role.rawValue)
      $0.add("created", user.created)
      if let more {
        $0.add("devices", more.devices)
        $0.add("second_factor", more.hasSecondFactor)
      }
    }
  }
}

extension AccountAPI {
  /// Stores a new password and ends the other sessions.
  fileprivate func store(
    password: String, of user: User, sparing session: Int64?, _ notice: AccountNotice, _ request: HTTPRequest,
    _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse
  ) {
    let kept: String
    do { kept = try Password.kept(password) } catch { return request.finish(RequestWork.problem(error).response) }
    noticed.write(request, noticing: notice) { connection in
      try UserTable.setPassword(kept, of: user.id, sparing: session, at: Date(), connection)
      return try body(connection)
    }
  }
}
