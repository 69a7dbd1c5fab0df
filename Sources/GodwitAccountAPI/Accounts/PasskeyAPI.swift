internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `/api/v1/passkeys`: passkeys of users (WebAuthn Level 2), in addition to the password or instead of it.
struct PasskeyAPI: Sendable {
  let work: RequestWork
  let noticed: NoticedWork
  let administrator: AdministratorAccess

  private static let timeout = Int(SignInChallenge.lifetime * 1000)

  // MARK: The passkeys of a user

  func list(_ request: PlainRequest) async throws -> PasskeyList {
    let user = try user(request.http)
    return try await work.read { db in
      PasskeyList(passkeys: try PasskeyTable.all(of: user.id, db).map { PasskeyObject($0) })
    }
  }

  func creationOptions(_ request: PlainRequest) async throws -> NotStored<CreationOptions> {
    let (user, party, now) = (try user(request.http), try Self.party(request.http), work.now)
    let session = try Self.session(request.http)
    return try await work.write { db in
      let known = try PasskeyTable.all(of: user.id, db)
      guard known.count < PasskeyLimits.perUser else {
        throw Problem(
          409, "Too many passkeys", "\(user.name) has \(known.count) passkeys already. Remove one first.")
      }
      let challenge = try SignInChallenge.make(for: .passkeyRegistration, session: session, at: now, db)
      return NotStored(
        CreationOptions(
          challenge: Base64URL.encode(challenge), host: party.host, userId: Base64URL.encode(PasskeyTable.handle(of: user)),
          userName: user.name, algorithms: COSEKey.algorithms.map { Int($0) },
          exclude: known.map { Base64URL.encode($0.credential) }, timeout: Self.timeout))
    }
  }

  func add(_ request: BodyRequest<NewPasskey>) async throws -> Created<PasskeyObject> {
    let (user, party, now) = (try user(request.http), try Self.party(request.http), work.now)
    let (session, body) = (try Self.session(request.http), request.body)
    request.audit(body.name.text)
    let registration = PasskeyRegistration(clientData: body.clientData.bytes, attestation: body.attestation.bytes)
    let notice = notice(.passkeyAdded, of: user, detail: body.name.text, request.http)
    // A rejection is returned and not thrown, so that the transaction commits the removal of the challenge.
    let (result, keys) = try await work.write { [noticed] db -> (Result<Passkey, Problem>, [OrderingKey]) in
      guard let challenge = registration.challenge,
        try SignInChallenge.use(challenge, for: .passkeyRegistration, session: session, at: now, db)
      else { return (.failure(Self.notAccepted(.otherRequest)), []) }
      let made: PasskeyRegistration.NewPasskey
      do throws(PasskeyError) { made = try registration.checked(challenge: challenge, party: party) } catch {
        return (.failure(Self.notAccepted(error)), [])
      }
      guard try PasskeyTable.all(of: user.id, db).count < PasskeyLimits.perUser,
        let passkey = try PasskeyTable.add(made, of: user.id, host: party.host, name: body.name.text, at: now, db)
      else { return (.failure(Self.known), []) }
      return (.success(passkey), try AccountNoticeTable.add(notice, to: noticed.outbox, at: now, db))
    }
    noticed.outbox.deliver(keys)
    return Created(PasskeyObject(try result.get()))
  }

  func rename(_ request: BodyRequest<PasskeyName>) async throws -> PasskeyObject {
    let (user, id, name) = (try user(request.http), request.parameter, request.body.name.text)
    return try await work.write { db in
      guard let number = RowNumber(id, after: "psk_")?.value,
        let passkey = try PasskeyTable.rename(number, to: name, of: user.id, db)
      else { throw Self.unknown(id) }
      return PasskeyObject(passkey)
    }
  }

  func remove(_ request: PlainRequest) async throws -> Removed {
    let (user, id, http) = (try user(request.http), request.parameter, request.http)
    let number = RowNumber(id, after: "psk_")?.value
    let actor = request.principal.actor
    let notice: @Sendable (any SQLConnection) throws -> AccountNotice? = { _ in
      AccountNotice(
        kind: .passkeyRemoved, account: user.id, user: user.name, detail: id, actor: actor, address: http.clientAddress)
    }
    return try await noticed.write(noticing: notice) { db in
      guard let number, try PasskeyTable.remove(number, of: user.id, db) else { throw Self.unknown(id) }
      return Removed(removed: 1)
    }
  }

  /// Removes all passkeys of any user.
  func removeOfUser(_ request: PlainRequest) async throws -> Removed {
    let (name, actor, address) = (request.parameter, request.principal.actor, request.http.clientAddress)
    let notice: @Sendable (any SQLConnection) throws -> AccountNotice? = { db in
      try UserTable.user(named: name, db).map { user in
        AccountNotice(kind: .passkeyRemoved, account: user.id, user: user.name, actor: actor, address: address)
      }
    }
    return try await noticed.write(noticing: notice) { db in
      guard let user = try UserTable.user(named: name, db) else { throw User.unknown(name) }
      let removed = try PasskeyTable.removeAll(of: user.id, db)
      guard removed > 0 else { throw Problem(404, "No passkeys", "\(user.name) has no passkeys.") }
      return Removed(removed: removed)
    }
  }

  // MARK: Signing in and confirming

  func signInOptions(_ request: PlainRequest) async throws -> NotStored<RequestOptions> {
    let (party, now) = (RelyingParty(host: request.http.host), work.now)
    return try await work.write { db in
      let challenge = try SignInChallenge.make(for: .passkeySignIn, session: nil, at: now, db)
      return NotStored(
        RequestOptions(challenge: Base64URL.encode(challenge), host: party?.host, allow: [], timeout: Self.timeout))
    }
  }

  func signIn(_ request: BodyRequest<Assertion>) async throws -> NotStored<WithCookies<AccountAPI.SignedIn>> {
    let (http, now, assertion, party) = (request.http, work.now, request.body.value, try Self.party(request.http))
    let (address, agent) = (http.clientAddress, http.header("User-Agent") ?? "")
    let check = PasskeyCheck(assertion: assertion, party: party, address: address, now: now, outbox: noticed.outbox)
    let (result, keys) = try await work.write { [noticed] db -> (Result<SignIn.Success, Problem>, [OrderingKey]) in
      switch try check.run(for: .passkeySignIn, session: nil, of: nil, action: "sign-in failed", db) {
      case .failure(let rejection): return (.failure(rejection.problem(401)), rejection.keys)
      case .success(let user):
        let start = try SessionStart(
          of: user, address: address, agent: agent, time: now, cookie: { http.cookie($0) }, db)
        let begun = try start.begin(way: "with a passkey", outbox: noticed.outbox, db)
        return (.success(begun.success), begun.keys)
      }
    }
    noticed.outbox.deliver(keys)
    let success = try result.get()
    return NotStored(
      WithCookies(
        AccountAPI.SignedIn(user: UserObject(success.user)), AccountAPI.cookies(of: success, isSecure: http.isSecure)))
  }

  func confirmationOptions(_ request: PlainRequest) async throws -> NotStored<RequestOptions> {
    let (user, party, now) = (try user(request.http), try Self.party(request.http), work.now)
    let session = try Self.session(request.http)
    return try await work.write { db in
      let known = try PasskeyTable.all(of: user.id, db).filter { $0.host == party.host }
      guard !known.isEmpty else {
        throw Problem(404, "No passkeys", "\(user.name) has no passkeys for \(party.host). Confirm with the password.")
      }
      let challenge = try SignInChallenge.make(for: .passkeyConfirmation, session: session, at: now, db)
      return NotStored(
        RequestOptions(
          challenge: Base64URL.encode(challenge), host: party.host, allow: known.map { Base64URL.encode($0.credential) },
          timeout: Self.timeout))
    }
  }

  func confirm(_ request: BodyRequest<Assertion>) async throws -> NotStored<AccountAPI.Confirmed> {
    let (user, party, now) = (try user(request.http), try Self.party(request.http), work.now)
    let session = try Self.session(request.http)
    let check = PasskeyCheck(
      assertion: request.body.value, party: party, address: request.http.clientAddress, now: now, outbox: noticed.outbox)
    let rejection = try await work.write { db -> PasskeyCheck.Rejection? in
      switch try check.run(for: .passkeyConfirmation, session: session, of: user, action: "confirmation failed", db) {
      case .failure(let rejection): return rejection
      case .success:
        try SessionTable.confirm(session, at: now, db)
        return nil
      }
    }
    if let rejection {
      noticed.outbox.deliver(rejection.keys)
      throw rejection.problem(422)
    }
    return NotStored(AccountAPI.Confirmed(confirmedUntil: now.addingTimeInterval(SessionConfirmation.lifetime)))
  }

  // MARK: Pieces

  /// Rejects requests of pages from other origins.
  func checkOrigin(_ request: HTTPRequest) throws(Problem) {
    if let rejection = administrator.crossSiteRejection(request) { throw rejection }
  }

  /// Returns the user of a request.
  @discardableResult
  func user(_ request: HTTPRequest) throws(Problem) -> User {
    guard let user = request.principal.user else {
      throw Problem(400, "No user", "Only a user has passkeys. Sign in as a user.")
    }
    return user
  }

  /// Returns the number of the browser's session.
  private static func session(_ request: HTTPRequest) throws(Problem) -> Int64 {
    guard let session = request.principal.session else {
      throw Problem(400, "No session", "Passkeys belong to a browser in which the user has signed in.")
    }
    return session.id
  }

  private static func party(_ request: HTTPRequest) throws(Problem) -> RelyingParty {
    guard let party = RelyingParty(host: request.host) else {
      throw Problem(
        400, "No host name",
        "Browsers have passkeys only for host names. Open the server under its name; on its own machine, as localhost instead of 127.0.0.1."
      )
    }
    return party
  }

  private func notice(_ kind: AccountEvent, of user: User, detail: String, _ request: HTTPRequest) -> AccountNotice {
    AccountNotice(
      kind: kind, account: user.id, user: user.name, detail: detail, actor: request.principal.actor,
      address: request.clientAddress)
  }

  private static func notAccepted(_ error: PasskeyError) -> Problem {
    Problem(422, "Passkey not accepted", error.description)
  }

  private static let known = Problem(409, "Passkey known", "This passkey is stored already, or the user has too many.")

  private static func unknown(_ id: String) -> Problem {
    Problem(404, "Unknown passkey", "There is no passkey \(id.jsonQuoted). /api/v1/passkeys lists the existing ones.")
  }
}
