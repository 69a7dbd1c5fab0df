internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitStore
internal import GodwitText

/// `/api/v1/second-factor`: codes of an authenticator app beside the password.
struct SecondFactorAPI: Sendable {
  let work: RequestWork
  let signIn: SignIn
  let noticed: NoticedWork

  /// `GET /api/v1/second-factor`
  func show(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    return work.later(request) {
      let user = try Self.user(reader)
      let (enrolled, codes) = try work.store.read {
        (try SecondFactorTable.enrolled(user.id, $0), try SecondFactorTable.recoveryCodes(of: user.id, $0))
      }
      return JSONText.response(
        JSONText.object {
          $0.add("enrolled", enrolled != nil)
          $0.add("since", enrolled)
          $0.add("recovery_codes", codes)
        }
      ).with("Cache-Control", "no-store")
    }
  }

  /// `POST /api/v1/second-factor`
  func begin(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    try verified(request) { user, host, now, db in
      let totp = TOTP()
      guard try SecondFactorTable.begin(totp, of: user.id, at: now, db) else {
        throw Problem(
          409, "Second factor enrolled", "\(user.name) has a second factor already. Remove it first, then enrol another one.")
      }
      let text = JSONText.object {
        $0.add("secret", Base32.encode(totp.secret))
        $0.add("uri", totp.address(user: user.name, host: host))
      }
      return JSONText.response(text, status: 201)
    }
  }

  /// `POST /api/v1/second-factor/activation`
  func activate(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let user = try Self.user(request.reader)
    var body = try JSONBody(request.takeBody(), "code")
    let code = try body.needed("code")
    try body.end()
    let now = Date()
    let subjects = SignInThrottle.Subject.all(of: user.name, from: ClientNetwork(request.clientAddress).description)
    return work.change(request) { db in
      // A rejection is returned and not thrown, so that the transaction stores the count of attempts.
      if let wait = try SignInThrottle.begin(subjects, at: now, db) { return SignIn.tooMany(wait).response }
      switch try SecondFactorTable.activate(code, of: user.id, at: now, db) {
      case .notBegun:
        try SignInThrottle.retract(subjects, db)
        return Problem(
          409, "No enrolment",
          "There is no enrolment to finish, or it began more than ten minutes ago. Begin one: POST /api/v1/second-factor with the password."
        ).response
      case .wrong: return SignIn.wrongCode.response
      case .done(let codes):
        try SignInThrottle.succeed(subjects, db)
        return Self.answer(codes)
      }
    }
  }

  /// `POST /api/v1/second-factor/recovery-codes`
  func renewRecoveryCodes(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    try verified(request) { user, _, _, db in
      guard try SecondFactorTable.enrolled(user.id, db) != nil else { throw Self.notEnrolled(user) }
      return Self.answer(try SecondFactorTable.renewRecoveryCodes(of: user.id, db))
    }
  }

  /// `POST /api/v1/second-factor/removal`
  func remove(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    try verified(request, noticing: .secondFactorRemoved) { user, _, _, db in
      guard try SecondFactorTable.remove(of: user.id, db) else { throw Self.notEnrolled(user) }
      return JSONText.response(#"{"removed":true}"#)
    }
  }

  /// `DELETE /api/v1/users/NAME/second-factor`
  func removeOfUser(_ request: HTTPRequest) -> HTTPReply {
    let (name, actor, address) = (request.parameter, request.reader.actor, request.clientAddress)
    if let refusal = request.suspend() { return .now(refusal) }
    let notice: @Sendable (any SQLConnection) throws -> AccountNotice? = { db in
      try UserTable.user(named: name, db).map { user in
        AccountNotice(kind: .secondFactorRemoved, account: user.id, user: user.name, actor: actor, address: address)
      }
    }
    noticed.write(request, noticing: notice) { db in
      guard let user = try UserTable.user(named: name, db) else { throw User.unknown(name) }
      guard try SecondFactorTable.remove(of: user.id, db) else { throw Self.notEnrolled(user) }
      return JSONText.response(#"{"removed":true}"#)
    }
    return .later
  }

  // MARK: Pieces

  /// Makes a change after the password of the requesting user, and the code if a second factor is enrolled, were
  /// verified.
  private func verified(
    _ request: HTTPRequest, noticing kind: AccountEvent? = nil,
    _ body: @escaping @Sendable (User, _ host: String?, _ now: Date, any SQLConnection) throws -> HTTPResponse
  ) throws(Problem) -> HTTPReply {
    let user = try Self.user(request.reader)
    var json = try JSONBody(request.takeBody(), "confirmation")
    let credentials = try SignIn.Credentials(&json)
    try json.end()
    if let refusal = request.suspend() { return .now(refusal) }
    let (now, host) = (Date(), request.host)
    let notice = kind.map {
      AccountNotice(
        kind: $0, account: user.id, user: user.name, actor: request.reader.actor, address: request.clientAddress)
    }
    signIn.verify(credentials, of: user, from: request.clientAddress, at: now) { result in
      switch result {
      case .failure(let problem): request.finish(problem.response)
      case .success:
        noticed.write(request, noticing: notice) {
          try body(user, host, now, $0).with("Cache-Control", "no-store")
        }
      }
    }
    return .later
  }

  private static func user(_ reader: Reader) throws(Problem) -> User {
    guard let user = reader.user else {
      throw Problem(
        400, "No user", "The owner has no password, and so no second factor. Sign in as a user.")
    }
    return user
  }

  private static func notEnrolled(_ user: User) -> Problem {
    Problem(404, "No second factor", "\(user.name) has no second factor.")
  }

  private static func answer(_ codes: [String]) -> HTTPResponse {
    JSONText.response(#"{"recovery_codes":[\#(codes.map(\.jsonQuoted).joined(separator: ","))]}"#)
      .with("Cache-Control", "no-store")
  }
}
