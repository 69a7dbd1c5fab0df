internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// `/api/v1/links`: share links; `/s/TOKEN` and `/api/v1/shared/TOKEN`: what a link shows without an account.
struct LinkAPI {
  let work: RequestWork
  let owner: OwnerAccess
  let signIn: SignIn
  let tiles: MapTiles?

  /// Hours that a link is valid if the request has no end.
  private static let standardHours = 24.0
  /// Metres of a grid cell that a link accepts. The minimum is about the accuracy of a receiver.
  private static let grids = 10.0...100_000
  /// Seconds of delay that a link accepts: up to a week.
  private static let maximumDelay = 604_800.0
  /// Points of a device in one answer.
  static let maximumPoints = 20_000
  static let passwordHeader = "Godwit-Link-Proof"

  // MARK: For users

  /// `GET /api/v1/links`
  func list(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    return work.later(request) {
      let links = try work.store.read {
        try LinkTable.all(of: reader.user?.id, everybodys: reader.isAdministrator, $0)
      }
      return JSONText.list("links", links.map { Self.json($0) })
    }
  }

  /// `POST /api/v1/links`
  func add(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let now = Date()
    var body = try JSONBody(request.takeBody(), "link")
    let name = try body.text("name") ?? "Shared"
    guard (1...100).contains(name.count) else { throw body.fault("name", "1 to 100 characters.") }
    let since = try body.date("from") ?? now
    let until = try body.date("to")
    let expires = try body.date("expires") ?? until ?? now.addingTimeInterval(Self.standardHours * 3600)
    let grid = try body.number("grid")
    let delay = try body.number("delay")
    let password = try body.text("password")
    let names = try body.texts("devices") ?? []
    request.subject = "\(name): \(names.joined(separator: ", "))"
    try body.end()
    guard !names.isEmpty, names.count <= 50 else { throw body.fault("devices", "name 1 to 50 devices.") }
    if let until, until <= since { throw body.fault("to", "this is not after from.") }
    guard expires > now else { throw body.fault("expires", "this has passed.") }
    if let grid, !Self.grids.contains(grid) {
      throw body.fault("grid", "\(Int(Self.grids.lowerBound)) to \(Int(Self.grids.upperBound)) metres.")
    }
    if let delay, !(0...Self.maximumDelay).contains(delay) {
      throw body.fault("delay", "0 to \(Int(Self.maximumDelay)) seconds.")
    }
    if let password, !(4...Password.lengths.upperBound).contains(password.count) {
      throw body.fault("password", "4 to \(Password.lengths.upperBound) characters.")
    }
    var devices: [Device] = []
    for name in names { devices.append(try reader.device(named: name, in: work.store, wholly: true)) }
    let terms = SharingLink.Terms(
      name: name, since: since.millisecondsSince1970, until: until?.millisecondsSince1970, grid: grid, delay: delay)
    let new = LinkTable.New(account: reader.user?.id, terms: terms, expires: expires, devices: devices)
    if let refusal = request.suspend() { return .now(refusal) }
    let secret = AccessToken()
    let isTaken = signIn.perform { [new] in
      var new = new
      do { new.password = try password.map { try Password.kept($0) } } catch {
        return request.finish(RequestWork.problem(error).response)
      }
      work.write(request) { [new] connection in
        guard let link = try LinkTable.add(new, hash: secret.hash, at: now, connection) else { throw StoreError.closed }
        return JSONText.response(Self.json(link, secret: secret.secret), status: 201).with("Cache-Control", "no-store")
      }
    }
    if !isTaken { request.finish(SignIn.busy.response) }
    return .later
  }

  /// `DELETE /api/v1/links/ID`
  func revoke(_ request: HTTPRequest) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    return work.change(request) { connection in
      let unknown = Problem(404, "Unknown link", "There is no link \(name.jsonQuoted). /api/v1/links lists the existing ones.")
      guard let id = SharingLink.number(of: name), let link = try LinkTable.link(id, connection),
        reader.isAdministrator || link.account == reader.user?.id,
        try LinkTable.revoke(id, at: Date(), connection)
      else { throw unknown }
      return JSONText.response(JSONText.object { $0.add("revoked", name) })
    }
  }

  private static func json(_ link: SharingLink, secret: String? = nil) -> String {
    func date(_ milliseconds: Int64?) -> Date? { milliseconds.map { Date(millisecondsSince1970: $0) } }
    return JSONText.object {
      $0.add("id", link.name)
      $0.add("name", link.terms.name)
      $0.add("devices", raw: "[" + link.devices.map(\.name.jsonQuoted).joined(separator: ",") + "]")
      $0.add("from", date(link.terms.since))
      $0.add("to", date(link.terms.until))
      $0.add("expires", link.expires)
      $0.add("grid", raw: link.terms.grid.map { String(Int($0)) } ?? "null")
      $0.add("delay", raw: link.terms.delay.map { String(Int($0)) } ?? "null")
      $0.add("password", link.hasPassword)
      $0.add("created", link.created)
      $0.add("revoked", link.revoked)
      $0.add("views", link.views)
      $0.add("viewed", link.viewed)
      if let secret {
        $0.add("token", secret)
        $0.add("path", "/s/\(secret)")
      }
    }
  }

  // MARK: For visitors of a link

  /// `GET /api/v1/shared/TOKEN`: what the link shows; with `after`, in milliseconds, only later points. If `revision`
  /// differs from the last answer's, points may have been withdrawn, and all points are returned again.
  func shared(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let secret = request.parameter
    let proof = request.header(Self.passwordHeader)
    let after: EpochMilliseconds? = try request.query.number("after", "milliseconds since 1970")
    let revision = request.query["revision"]
    return work.later(request) {
      let (link, kept) = try find(secret)
      if let kept {
        let right = SharingLink.proof(secret, kept: kept)
        guard let proof, AccessToken.isSame(Array(proof.utf8), Array(right.utf8)) else {
          var problem = Problem(401, "Password needed", "This link has a password. Send it: POST /api/v1/shared/TOKEN.")
          problem.challenge = #"Godwit-Link realm="link""#
          throw problem
        }
      }
      if after == nil {
        let now = Date()
        work.store.write({ try LinkTable.countView(link.id, at: now, $0) }, completion: { _ in })
      }
      return try page(link, after: after, revision: revision)
    }
  }

  /// `POST /api/v1/shared/TOKEN`: exchanges the link's password for a proof.
  func open(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let secret = request.parameter
    if let refusal = owner.foreignPageRejection(request) { throw refusal }
    var body = try JSONBody(request.takeBody(), "password")
    let password = try body.needed("password")
    try body.end()
    guard password.count <= Password.lengths.upperBound else { throw Self.wrongPassword }
    if let refusal = request.suspend() { return .now(refusal) }
    let subjects = SignInThrottle.Subject.all(of: "link \(secret)", from: ClientNetwork(request.clientAddress).description)
    let now = Date()
    work.store.write(
      { connection -> String in
        let (_, kept) = try Self.good(try LinkTable.link(AccessToken(secret), connection), at: now)
        guard let kept else { throw Problem(400, "No password", "This link has no password: GET /api/v1/shared/TOKEN.") }
        if let wait = try SignInThrottle.begin(subjects, at: now, connection) {
          throw Problem(
            429, "Too many attempts", "Try again in \(Int(wait.rounded(.up))) seconds.", retryAfter: Int(wait.rounded(.up)))
        }
        return kept
      },
      completion: { result in
        switch result {
        case .failure(let error): request.finish(RequestWork.problem(error).response)
        case .success(let kept):
          let isTaken = signIn.perform {
            guard Password.isRight(password, kept: kept) else { return request.finish(Self.wrongPassword.response) }
            work.write(request) { connection in
              try SignInThrottle.succeed(subjects, connection)
              return JSONText.response(JSONText.object { $0.add("proof", SharingLink.proof(secret, kept: kept)) })
                .with("Cache-Control", "no-store")
            }
          }
          if !isTaken { request.finish(SignIn.busy.response) }
        }
      })
    return .later
  }

  private static let wrongPassword = Problem(422, "Wrong password", "This is not the link's password.", at: "password")

  private func find(_ secret: String) throws -> (link: SharingLink, password: String?) {
    let found = try work.store.read { try LinkTable.link(AccessToken(secret), $0) }
    return try Self.good(found, at: Date())
  }

  private static func good(
    _ found: (link: SharingLink, password: String?)?, at now: Date
  ) throws -> (link: SharingLink, password: String?) {
    guard let found else {
      throw Problem(404, "Unknown link", "There is no such link. Look whether all of its address came through.")
    }
    guard found.link.isGood(at: now) else {
      throw Problem(410, "Link ended", "This link has ended. Ask its sender for a new one.")
    }
    return found
  }

  /// Times, positions and accuracies of the devices. Devices have no names here; they are numbered from 1.
  private func page(
    _ link: SharingLink, after: EpochMilliseconds?, revision known: String?
  ) throws -> HTTPResponse {
    let now = Date()
    let window = link.window(at: now)
    var tracks: [String] = []
    let devices = link.devices.map(\.id)
    // Read before the points: a withdrawal from here on changes the revision of the next answer.
    let revision = try work.store.read { try SharedTrack.revision(devices, window, in: $0) }
    let isComplete = after == nil || known.map { $0 != revision } ?? false
    let hidden = try HiddenPlaces(of: devices, in: work.store)
    for (index, device) in link.devices.enumerated() {
      var places = SharedPlaces(link.precision)
      // No point is later than the last representable time.
      let since = isComplete ? window.lowerBound : max(window.lowerBound, after.map { $0.next?.value ?? .max } ?? .min)
      if since < window.upperBound {
        try work.store.read { connection in
          try SharedTrack.read(device.id, since..<window.upperBound, in: connection) { fix in
            if let shown = hidden.shown(fix, of: device.id) { places.append(shown) }
          }
        }
      }
      tracks.append(#"{"number":\#(index + 1),"points":[\#(places.text)]}"#)
    }
    let text = JSONText.object {
      $0.add("name", link.terms.name)
      $0.add("from", Date(millisecondsSince1970: link.terms.since))
      $0.add("to", link.terms.until.map { Date(millisecondsSince1970: $0) })
      $0.add("expires", link.expires)
      $0.add("grid", raw: link.terms.grid.map { String(Int($0)) } ?? "null")
      $0.add("delay", raw: link.terms.delay.map { String(Int($0)) } ?? "null")
      $0.add("now", now)
      $0.add("revision", revision)
      $0.add("complete", isComplete)
      if after == nil, let tiles {
        $0.add("tiles", raw: #"{"url":\#(tiles.url.jsonQuoted),"attribution":\#(tiles.attribution.jsonQuoted),"max_zoom":19}"#)
      }
      $0.add("tracks", raw: "[\(tracks.joined(separator: ","))]")
    }
    return JSONText.response(text).with("Cache-Control", "no-store")
  }
}

/// Positions of a link: `[milliseconds, latitude, longitude, accuracy]`. A cell is written once, at entry. Every second
/// position is dropped repeatedly until the number of positions fits.
struct SharedPlaces {
  private let precision: Precision
  private var places: [(time: Int64, text: String)] = []
  private var last: Coordinate?
  private var stride = 1
  private var count = 0
  private var newest: (time: Int64, text: String)?

  init(_ precision: Precision) { self.precision = precision }

  mutating func append(_ fix: Fix) {
    let told = precision.applied(to: fix)
    if precision != .exact, told.coordinate == last { return }
    last = told.coordinate
    let place = (time: told.time.millisecondsSince1970, text: Self.text(told))
    newest = place
    count += 1
    guard count % stride == 0 else { return }
    places.append(place)
    if places.count > LinkAPI.maximumPoints {
      places = places.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      stride *= 2
    }
  }

  var text: String {
    var all = places.map(\.text)
    // The newest position is always included.
    if let newest, places.last.map({ $0.time != newest.time }) ?? true { all.append(newest.text) }
    return all.joined(separator: ",")
  }

  private static func text(_ fix: Fix) -> String {
    var bytes: [UInt8] = []
    JSONWriter.raw("[", to: &bytes)
    JSONWriter.number(Int(fix.time.millisecondsSince1970), to: &bytes)
    JSONWriter.raw(",", to: &bytes)
    JSONWriter.number(fix.coordinate.latitude, decimals: 6, to: &bytes)
    JSONWriter.raw(",", to: &bytes)
    JSONWriter.number(fix.coordinate.longitude, decimals: 6, to: &bytes)
    JSONWriter.raw(",", to: &bytes)
    if let accuracy = fix.horizontalAccuracy {
      JSONWriter.number(accuracy, decimals: 0, to: &bytes)
    } else {
      JSONWriter.raw("null", to: &bytes)
    }
    JSONWriter.raw("]", to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
