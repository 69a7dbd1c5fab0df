internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitStore

/// `/api/v1/second-factor`: codes of an authenticator app in addition to the password.
struct SecondFactorAPI: Sendable {
  let work: RequestWork
  let signIn: SignIn
  let noticed: NoticedWork

  func show(_ request: PlainRequest) async throws -> NotStored<State> {
    let user = try user(request.http)
    return try await work.read { db in
      let enrolled = try SecondFactorTable.enrolled(user.id, db)
      let codes = try SecondFactorTable.recoveryCodes(of: user.id, db)
      return NotStored(State(enrolled: enrolled != nil, since: enrolled, recoveryCodes: codes))
    }
  }

  func begin(_ request: BodyRequest<CredentialsBody>) async throws -> NotStored<Created<Enrolment>> {
    let host = request.http.host
    return try await verified(request) { user, now, db in
      let totp = TOTP()
      guard try SecondFactorTable.begin(totp, of: user.id, at: now, db) else {
        throw Problem(
          409, "Second factor enrolled", "\(user.name) has a second factor already. Remove it first, then enrol another one.")
      }
      let enrolment = Enrolment(secret: Base32.encode(totp.secret), uri: totp.address(user: user.name, host: host))
      return NotStored(Created(enrolment))
    }
  }

  func activate(_ request: BodyRequest<CodeBody>) async throws -> NotStored<RecoveryCodeList> {
    let (user, now) = (try user(request.http), work.now)
    let subjects = SignInThrottle.Subject.all(
      of: user.name, from: ClientNetwork(request.http.clientAddress).description, session: request.principal.session?.id)
    // A rejection is returned and not thrown, so that the transaction commits the count of attempts.
    let result = try await work.write { db -> Result<[String], Problem> in
      if let wait = try SignInThrottle.begin(subjects, at: now, db) { return .failure(SignIn.tooMany(wait)) }
      switch try SecondFactorTable.activate(request.body.code, of: user.id, at: now, db) {
      case .notBegun:
        try SignInThrottle.retract(subjects, db)
        return .failure(Self.notBegun)
      case .wrong: return .failure(SignIn.wrongCode)
      case .done(let codes):
        try SignInThrottle.succeed(subjects, db)
        return .success(codes)
      }
    }
    return NotStored(RecoveryCodeList(recoveryCodes: try result.get()))
  }

  func renewRecoveryCodes(_ request: BodyRequest<CredentialsBody>) async throws -> NotStored<RecoveryCodeList> {
    try await verified(request) { user, _, db in
      guard try SecondFactorTable.enrolled(user.id, db) != nil else { throw Self.notEnrolled(user) }
      return NotStored(RecoveryCodeList(recoveryCodes: try SecondFactorTable.renewRecoveryCodes(of: user.id, db)))
    }
  }

  func remove(_ request: BodyRequest<CredentialsBody>) async throws -> NotStored<Removed> {
    try await verified(request, noticing: .secondFactorRemoved) { user, _, db in
      guard try SecondFactorTable.remove(of: user.id, db) else { throw Self.notEnrolled(user) }
      return NotStored(Removed())
    }
  }

  /// Removes the second factor of any user.
  func removeOfUser(_ request: PlainRequest) async throws -> Removed {
    let (name, actor, address) = (request.parameter, request.principal.actor, request.http.clientAddress)
    let notice: @Sendable (any SQLConnection) throws -> AccountNotice? = { db in
      try UserTable.user(named: name, db).map { user in
        AccountNotice(kind: .secondFactorRemoved, account: user.id, user: user.name, actor: actor, address: address)
      }
    }
    return try await noticed.write(noticing: notice) { db in
      guard let user = try UserTable.user(named: name, db) else { throw User.unknown(name) }
      guard try SecondFactorTable.remove(of: user.id, db) else { throw Self.notEnrolled(user) }
      return Removed()
    }
  }

  // MARK: Pieces

  /// Verifies the password of the requesting user, and the code if the user has a second factor, and then runs a change.
  private func verified<Value: Sendable>(
    _ request: BodyRequest<CredentialsBody>, noticing kind: AccountEvent? = nil,
    _ body: @escaping @Sendable (User, _ now: Date, any SQLConnection) throws -> Value
  ) async throws -> Value {
    let (user, now, address) = (try user(request.http), work.now, request.http.clientAddress)
    try await signIn.verify(
      request.body.credentials, of: user, from: address, session: request.principal.session?.id, at: now)
    let notice = kind.map {
      AccountNotice(kind: $0, account: user.id, user: user.name, actor: request.principal.actor, address: address)
    }
    return try await noticed.write(noticing: notice) { try body(user, now, $0) }
  }

  /// Returns the user of a request.
  @discardableResult
  func user(_ request: HTTPRequest) throws(Problem) -> User {
    guard let user = request.principal.user else {
      throw Problem(
        400, "No user", "The administrator has no password, and so no second factor. Sign in as a user.")
    }
    return user
  }

  private static let notBegun = Problem(
    409, "No enrolment",
    "There is no enrolment to finish, or it began more than ten minutes ago. Begin one: POST /api/v1/second-factor with the password."
  )

  private static func notEnrolled(_ user: User) -> Problem {
    Problem(404, "No second factor", "\(user.name) has no second factor.")
  }
}
