internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// `/api/v1/session`, `/api/v1/sessions`, `/api/v1/users`, `/api/v1/password`: sessions, users and passwords.
struct AccountAPI {
  let work: RequestWork
  let administrator: AdministratorAccess
  let signIn: SignIn
  let noticed: NoticedWork

  // MARK: Signing in and out

  /// Rejects requests of pages from other origins.
  func checkOrigin(_ request: HTTPRequest) throws(Problem) {
    if let rejection = administrator.crossSiteRejection(request) { throw rejection }
  }

  func signIn(_ request: BodyRequest<SignInBody>) async throws -> NotStored<WithCookies<SignedIn>> {
    let (http, body) = (request.http, request.body)
    guard body.name.utf8.count <= 1000, body.password.count <= Password.lengths.upperBound else {
      throw Problem(401, "Not signed in", "Wrong name or password. Check both.")
    }
    let attempt = SignIn.Attempt(
      name: body.name, password: body.password, code: body.code, address: http.clientAddress,
      agent: http.header("User-Agent") ?? "", time: work.now, cookie: { http.cookie($0) })
    let success = try await signIn.signIn(attempt)
    return NotStored(
      WithCookies(SignedIn(user: UserObject(success.user)), Self.cookies(of: success, isSecure: http.isSecure)))
  }

  /// Ends the sessions of the request's cookies: the session of a user and the session of the administrator's token.
  func signOut(_ request: PlainRequest) async throws -> WithCookies<SignedOut> {
    let (http, now) = (request.http, work.now)
    let gone = WithCookies(
      SignedOut(),
      [
        Self.cookie("", isSecure: http.isSecure),
        secretCookie(AdministratorAccess.cookie, "", days: 0, sameSite: .strict, isSecure: false),
        http.administratorCookie(AdministratorAccess.sessionCookie, "", days: SessionLimits.maximumDays),
      ])
    if let secret = administrator.sessionSecret(of: http), let session = administrator.login.sessions.session(secret, at: now) {
      administrator.login.sessions.end(session)
      work.changed()
    }
    guard let secret = http.cookie(Session.cookie) else { return gone }
    let (token, address) = (AccessToken(secret), http.clientAddress)
    return try await work.write { db in
      guard let session = try SessionTable.session(token, at: now, db) else { return gone }
      _ = try SessionTable.remove(session.id, of: session.account, db)
      let user = try UserTable.user(session.account, db)
      let entry = AuditEntry(account: session.account, actor: user?.name ?? "", action: "sign-out", address: address)
      try AuditTable.add(entry, at: now, db)
      return gone
    }
  }

  func current(_ request: PlainRequest) async throws -> NotStored<CurrentSession> {
    let principal = request.principal
    return NotStored(
      CurrentSession(
        user: principal.user.map { UserObject($0) }, administrator: principal.isAdministrator, mayChange: principal.mayChange,
        session: principal.session?.name ?? principal.administratorSession?.name,
        confirmedUntil: SessionConfirmation.end(principal.confirmed, at: work.now)))
  }

  /// Returns the cookies of a sign-in: the cookie that identifies the browser, and the cookie of the session.
  static func cookies(of success: SignIn.Success, isSecure: Bool) -> [String] {
    [cookie(of: success, isSecure: isSecure), cookie(success.secret.secret, isSecure: isSecure)]
  }

  /// `SameSite=Lax`: a link from another site opens the map; a form of another site is sent without the cookie.
  private static func cookie(_ secret: String, isSecure: Bool) -> String {
    secretCookie(Session.cookie, secret, days: SessionLimits.maximumDays, sameSite: .lax, isSecure: isSecure)
  }

  /// Returns the cookie that identifies the browser at the next sign-in.
  private static func cookie(of success: SignIn.Success, isSecure: Bool) -> String {
    secretCookie(
      KnownBrowser.cookie(of: success.user.id), success.browser, days: KnownBrowser.days, sameSite: .strict,
      path: "/api/v1/session", isSecure: isSecure)
  }

  // MARK: Sessions

  func sessions(_ request: ParameterRequest<UserParameters>) async throws -> SessionList {
    let (principal, name, now) = (request.principal, request.parameters.user?.name, work.now)
    // Sessions of the administrator's token belong to no user.
    if name == nil, principal.user == nil {
      let sessions = principal.isAdministrator ? administrator.login.sessions.all(at: now) : []
      return SessionList(sessions: sessions.map { SessionObject($0, isCurrent: $0.key == principal.administratorSession?.key) })
    }
    return try await work.read { db in
      let sessions = try SessionTable.all(of: principal.account(named: name, db)?.id, at: now, db)
      return SessionList(sessions: sessions.map { SessionObject($0, isCurrent: $0.id == principal.session?.id) })
    }
  }

  /// Ends all sessions of a user, except the session of the request.
  func endOtherSessions(_ request: ParameterRequest<EndSessionsParameters>) async throws -> Ended {
    let (principal, name) = (request.principal, request.parameters.user?.name)
    if name == nil, principal.user == nil, principal.isAdministrator {
      return endAdministratorSessions { $0.key != principal.administratorSession?.key }
    }
    return try await work.write { db in
      let user = try Self.sessionUser(name, principal, db)
      return Ended(ended: try SessionTable.removeOthers(than: principal.session?.id ?? 0, of: user.id, db))
    }
  }

  func endSession(_ request: ParameterRequest<UserParameters>) async throws -> Ended {
    let (principal, name, id) = (request.principal, request.parameters.user?.name, request.parameter)
    if name == nil, principal.user == nil, principal.isAdministrator, id.hasPrefix("adm_") {
      let result = endAdministratorSessions { $0.name == id }
      guard result.ended > 0 else { throw Self.unknownSession(id) }
      return result
    }
    return try await work.write { db in
      let user = try Self.sessionUser(name, principal, db)
      guard let number = Session.number(of: id), try SessionTable.remove(number, of: user.id, db) else {
        throw Self.unknownSession(id)
      }
      return Ended(ended: 1)
    }
  }

  /// Ends sessions of the administrator's token.
  private func endAdministratorSessions(_ isMeant: (AdministratorSession) -> Bool) -> Ended {
    let sessions = administrator.login.sessions
    let ended = sessions.all(at: work.now).filter(isMeant)
    for session in ended { sessions.end(session) }
    work.changed()
    return Ended(ended: ended.count)
  }

  private static func unknownSession(_ id: String) -> Problem {
    Problem(404, "Unknown session", "There is no session \(id.jsonQuoted). /api/v1/sessions lists the existing ones.")
  }

  /// Returns the user whose sessions a request ends.
  private static func sessionUser(_ name: String?, _ principal: Principal, _ db: any SQLConnection) throws -> User {
    guard let user = try principal.account(named: name, db) else {
      throw Problem(400, "Bad argument", "user is missing: name the user whose sessions end, as in user=NAME.", at: "user")
    }
    return user
  }

  // MARK: Passwords

  /// Returns the user of a request.
  /// - Throws: ``Problem`` if the user has no password.
  @discardableResult
  func passwordUser(_ request: HTTPRequest) throws(Problem) -> User {
    guard let user = request.principal.user else {
      throw Problem(400, "No user", "Only a user has a password. Sign in, or use PUT /api/v1/users/NAME.")
    }
    return user
  }

  /// Changes the requesting user's password, and ends the other sessions.
  func setPassword(_ request: BodyRequest<PasswordChange>) async throws -> PasswordChanged {
    let (principal, body, now) = (request.principal, request.body, work.now)
    let user = try passwordUser(request.http)
    if let fault = Password.fault(body.new, user: user.name) { throw PasswordChange.fault("new", fault) }
    let address = request.http.clientAddress
    let subjects = SignInThrottle.Subject.all(
      of: user.name, from: ClientNetwork(address).description, session: principal.session?.id)
    // The throttle prevents guessing of the password in an unattended browser.
    let kept = try await work.write { db -> String in
      if let wait = try SignInThrottle.begin(subjects, at: now, db) { throw Self.tooMany(wait) }
      return try UserTable.password(of: user.id, db) ?? Password.nobodys
    }
    let new = try await signIn.verifying(subjects) {
      try await signIn.compute { () -> String? in
        guard Password.isRight(body.old, kept: kept) else { return nil }
        return try Password.hash(body.new)
      }
    }
    guard let new else {
      throw Problem(422, "Wrong password", "old: this is not your current password.", at: "old")
    }
    let notice = AccountNotice(
      kind: .passwordChanged, account: user.id, user: user.name, actor: principal.actor, address: address)
    return try await signIn.verifying(subjects) {
      try await noticed.write(noticing: notice) { db in
        try UserTable.setPassword(new, of: user.id, sparing: principal.session?.id, at: now, db)
        try SignInThrottle.succeed(subjects, db)
        let endsTokens = body.endTokens ?? false
        let revoked =
          endsTokens ? try ScopedTokenTable.revokeAll(of: user.id, sparing: principal.token?.id, at: now, db) : 0
        return PasswordChanged(revoked: revoked)
      }
    }
  }

  /// Returns the problem for too many failed sign-ins.
  /// - Parameter wait: the time until the next attempt is allowed, in seconds.
  static func tooMany(_ wait: TimeInterval) -> Problem {
    let seconds = Int(wait.rounded(.up))
    return Problem(429, "Too many attempts", "Try again in \(seconds.counted("second")).", retryAfter: seconds)
  }

  // MARK: Users

  func users(_ request: PlainRequest) async throws -> UserList {
    try await work.read { db in
      let (enrolled, devices) = (try SecondFactorTable.all(db), try DeviceOwners.counts(db))
      let (passkeys, linked) = (try PasskeyTable.counts(db), try OpenIDIdentityTable.linked(db))
      return UserList(
        users: try UserTable.all(db).map {
          UserObject(
            $0, devices: devices[$0.id] ?? 0, hasSecondFactor: enrolled.contains($0.id),
            passkeys: passkeys[$0.id] ?? 0, isLinked: linked.contains($0.id))
        })
    }
  }

  func addUser(_ request: BodyRequest<NewUser>) async throws -> Created<UserObject> {
    let (body, now) = (request.body, work.now)
    request.audit(body.name)
    guard Device.isValid(name: body.name) else {
      throw NewUser.fault("name", "1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends.")
    }
    if let fault = Password.fault(body.password, user: body.name) { throw NewUser.fault("password", fault) }
    let kept = try await signIn.compute { try Password.hash(body.password) }
    return try await work.write { db in
      // The first user is an administrator, because at least one is required.
      let role = try UserTable.isEmpty(db) ? .admin : body.role ?? .member
      guard let user = try UserTable.add(body.name, role, password: kept, at: now, db) else {
        throw Problem(
          409, "Name taken", "There is a user \(body.name.jsonQuoted) already. Choose another name.", at: "name")
      }
      return Created(UserObject(user))
    }
  }

  func changeUser(_ request: BodyRequest<UserChange>) async throws -> UserObject {
    let (name, principal, body, now) = (request.parameter, request.principal, request.body, work.now)
    if let fault = body.password.flatMap({ Password.fault($0, user: name) }) { throw UserChange.fault("password", fault) }
    var kept: String?
    if let password = body.password { kept = try await signIn.compute { try Password.hash(password) } }
    let address = request.http.clientAddress
    let notice: @Sendable (any SQLConnection) throws -> AccountNotice? = { [kept] db in
      guard kept != nil, let user = try UserTable.user(named: name, db) else { return nil }
      return AccountNotice(kind: .passwordChanged, account: user.id, user: user.name, actor: principal.actor, address: address)
    }
    return try await noticed.write(noticing: notice) { [kept] db in
      guard let user = try UserTable.user(named: name, db) else { throw User.unknown(name) }
      if let role = body.role {
        if role != .admin { try user.checkOtherAdministrators(db) }
        try UserTable.setRole(role, of: user.id, db)
      }
      if let kept {
        let sparing = user.id == principal.user?.id ? principal.session?.id : nil
        try UserTable.setPassword(kept, of: user.id, sparing: sparing, at: now, db)
      }
      return UserObject(try UserTable.user(user.id, db) ?? user)
    }
  }
}
