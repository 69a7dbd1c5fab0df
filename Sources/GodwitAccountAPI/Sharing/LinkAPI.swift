internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText
internal import GodwitTiles

/// `/api/v1/links`: share links; `/s/TOKEN` and `/api/v1/shared/TOKEN`: the data that a link shows without an account.
struct LinkAPI {
  let work: RequestWork
  let administrator: AdministratorAccess
  let signIn: SignIn
  let tiles: MapTiles?
  let basemaps: Basemaps

  /// The validity of a link in hours if the request has no end.
  private static let standardHours = 24.0
  /// Maximum number of points of a device in a response.
  static let maximumPoints = 20_000

  // MARK: For users

  func list(_ request: PlainRequest) async throws -> LinkList {
    let principal = request.principal
    return try await work.read { db in
      let links = try LinkTable.all(of: principal.user?.id, everybodys: principal.isAdministrator, db)
      return LinkList(links: links.map { Link($0) })
    }
  }

  func add(_ request: BodyRequest<NewLink>) async throws -> NotStored<Created<Link>> {
    let (principal, body, now) = (request.principal, request.body, work.now)
    let (name, names) = (body.name?.text ?? "Shared", body.devices.names)
    let (since, until) = (body.from?.date ?? now, body.to?.date)
    // The period of a link may be in the past. Such a link is valid for the standard time.
    let end = until.flatMap { $0 > now ? $0 : nil }
    let expires = body.expires?.date ?? end ?? now.addingTimeInterval(Self.standardHours * 3600)
    request.audit("\(name): \(names.joined(separator: ", "))")
    if let until, until <= since { throw NewLink.fault("to", "this is not after from.") }
    guard expires > now else { throw NewLink.fault("expires", "this has passed.") }
    let devices = try await work.run {
      try names.map { try principal.device(named: $0, in: work.store, wholly: true) }
    }
    let options = SharingLink.Options(
      name: name, since: since.millisecondsSince1970, until: until?.millisecondsSince1970, grid: body.grid?.value,
      delay: body.delay?.value)
    var new = LinkTable.New(account: principal.user?.id, options: options, expires: expires, devices: devices)
    if let password = body.password?.text { new.password = try await signIn.compute { try Password.hash(password) } }
    let secret = AccessToken()
    return try await work.write { [new] db in
      guard let link = try LinkTable.add(new, hash: secret.hash, at: now, db) else { throw StoreError.closed }
      return NotStored(Created(Link(link, secret: secret.secret)))
    }
  }

  func revoke(_ request: PlainRequest) async throws -> Revoked {
    let (name, principal, now) = (request.parameter, request.principal, work.now)
    return try await work.write { db in
      let unknown = Problem(404, "Unknown link", "There is no link \(name.jsonQuoted). /api/v1/links lists the existing ones.")
      guard let id = SharingLink.number(of: name), let link = try LinkTable.link(id, db),
        principal.isAdministrator || link.account == principal.user?.id, try LinkTable.revoke(id, at: now, db)
      else { throw unknown }
      return Revoked(revoked: name)
    }
  }

  // MARK: For visitors of a link

  /// Rejects requests of pages from other origins.
  func checkOrigin(_ request: HTTPRequest) throws(Problem) {
    if let rejection = administrator.crossSiteRejection(request) { throw rejection }
  }

  /// Returns the data that the link shows; with `after` only later points. If `revision` differs from the current revision,
  /// points may have been withdrawn, and the response contains all points again.
  func shared(_ request: ParameterRequest<SharedParameters>) async throws -> NotStored<SharedPage> {
    let (secret, parameters, now) = (request.parameter, request.parameters, work.now)
    return try await work.run {
      let found = try work.store.read { try LinkTable.link(AccessToken(secret), $0) }
      let (link, kept) = try Self.good(found, at: now)
      if let kept {
        let right = SharingLink.proof(secret, kept: kept)
        guard let proof = parameters.proof?.text, AccessToken.isSame(Array(proof.utf8), Array(right.utf8)) else {
          throw Self.passwordNeeded
        }
      }
      let after = parameters.after?.time
      if after == nil { work.store.write({ try LinkTable.countView(link.id, at: now, $0) }, completion: { _ in }) }
      return NotStored(try page(link, after: after, revision: parameters.revision, at: now))
    }
  }

  /// Exchanges the link's password for a proof.
  func open(_ request: BodyRequest<PasswordBody>) async throws -> NotStored<Proof> {
    let (secret, password, now) = (request.parameter, request.body.password, work.now)
    guard password.count <= Password.lengths.upperBound else { throw Self.wrongPassword }
    let network = ClientNetwork(request.http.clientAddress).description
    let subjects = SignInThrottle.Subject.all(of: "link \(secret)", from: network)
    let kept = try await work.write { db -> String in
      let (_, kept) = try Self.good(try LinkTable.link(AccessToken(secret), db), at: now)
      guard let kept else { throw Problem(400, "No password", "This link has no password: GET /api/v1/shared/TOKEN.") }
      if let wait = try SignInThrottle.begin(subjects, at: now, db) { throw AccountAPI.tooMany(wait) }
      return kept
    }
    let isRight = try await signIn.verifying(subjects) {
      try await signIn.compute { Password.isRight(password, kept: kept) }
    }
    guard isRight else { throw Self.wrongPassword }
    return try await signIn.verifying(subjects) {
      try await work.write { db in
        try SignInThrottle.succeed(subjects, db)
        return NotStored(Proof(proof: SharingLink.proof(secret, kept: kept)))
      }
    }
  }

  private static let wrongPassword = Problem(422, "Wrong password", "This is not the link's password.", at: "password")

  private static let passwordNeeded: Problem = {
    var problem = Problem(401, "Password needed", "This link has a password. Send it: POST /api/v1/shared/TOKEN.")
    problem.challenge = #"Godwit-Link realm="link""#
    return problem
  }()

  private static func good(
    _ found: (link: SharingLink, password: String?)?, at now: Date
  ) throws -> (link: SharingLink, password: String?) {
    guard let found else {
      throw Problem(404, "Unknown link", "There is no such link. Check that the address is complete.")
    }
    guard found.link.isGood(at: now) else {
      throw Problem(410, "Link ended", "This link has ended. Ask its sender for a new one.")
    }
    return found
  }

  /// Returns times, positions and accuracies of the devices.
  private func page(
    _ link: SharingLink, after: EpochMilliseconds?, revision known: String?, at now: Date
  ) throws -> SharedPage {
    let window = link.window(at: now)
    let devices = link.devices.map(\.id)
    // The revision is read before the points, so that a later withdrawal changes the revision of the next response.
    let revision = try work.store.read { try SharedTrack.revision(devices, window, $0) }
    let isComplete = after == nil || known.map { $0 != revision } ?? false
    let hidden = try HiddenPlaces(of: devices, in: work.store)
    // The bound cannot overflow, because no point is later than the last representable time.
    let since = isComplete ? window.lowerBound : max(window.lowerBound, after.map { $0.next?.value ?? .max } ?? .min)
    var tracks: [Track] = []
    for (index, device) in link.devices.enumerated() {
      var places = SharedPlaces(link.precision)
      if since < window.upperBound {
        try work.store.read { db in
          try SharedTrack.read(device.id, since..<window.upperBound, db) { fix in
            if let shown = hidden.shown(fix, of: device.id) { places.append(shown) }
          }
        }
      }
      tracks.append(Track(number: index + 1, points: Positions(text: places.text)))
    }
    return SharedPage(
      link, now: now, revision: revision, isComplete: isComplete, tiles: after == nil ? tiles.map { MapTilesResult($0) } : nil,
      basemap: after == nil ? basemaps.own.map { BasemapResult($0) } : nil, tracks: tracks)
  }
}
