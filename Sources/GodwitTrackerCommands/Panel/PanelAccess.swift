internal import Foundation
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitSecrets

/// The secrets of a tracker's panel: a token for programs, and sessions that begin with a one-time code.
///
/// No request gets anything without one of them, on the machine's own address too: names and addresses can be forged by a
/// page whose name points here, and hidden by a proxy. Changes are taken as JSON and from the panel's own page only.
struct PanelAccess: Sendable {
  let token: AccessToken
  private let hash: [UInt8]
  let login: AdministratorLogin
  /// How a new link is made, in words.
  let command: String
  /// Wrong codes and tokens of a client in a minute; right ones are never counted.
  private static let wrongPerMinute = 20
  private let limiter = RateLimiter()

  /// Minimum characters of a token that the administrator chooses: so many guesses take too long over a network.
  static let shortestToken = 16

  /// - Parameters:
  ///   - given: the administrator's choice of a token.
  ///   - journal: of the tracker; a token that is made here, codes and sessions are kept in files beside it.
  /// - Throws: ``UsageError`` for a token that will not do, ``Failure`` when one cannot be kept.
  init(token given: String?, journal: String) throws {
    if let given {
      guard given.utf8.count >= Self.shortestToken, Self.isPlain(given) else {
        throw UsageError(
          "--panel-token: expected at least \(Self.shortestToken) letters and digits; without the option a new token is used.")
      }
      token = AccessToken(given)
    } else {
      let file = journal + ".panel-token"
      guard let kept = AccessToken.kept(in: file) else {
        throw Failure("\(file): the panel's token cannot be stored. Check the owner of the folder, or give --panel-token.")
      }
      token = kept
    }
    hash = token.hash
    login = Self.login(journal: journal)
    command = LoginLink.command(journal: journal)
  }

  /// Codes and sessions of the panel of the tracker with this journal.
  static func login(journal: String) -> AdministratorLogin { AdministratorLogin(folder: journal + ".panel") }

  /// Makes the folders of codes and sessions.
  func prepare() throws { try login.prepare() }

  /// Leaves the panel's address where `godwit login --panel` finds it.
  /// - Returns: removes it.
  func announce(_ address: String) -> () -> Void {
    do throws(PrivateFileError) {
      let running = try login.announce(address)
      return { running.withdraw() }
    } catch {
      // Without it `godwit login --panel` needs the option --url; the panel itself does not need it.
      Output.log("\(error)")
      return {}
    }
  }

  /// A link that opens the panel once.
  func link(to address: String) throws -> String { try login.link(to: address, at: Date()) }

  /// The cookie of a session.
  static func cookie(_ secret: AccessToken, for request: HTTPRequest) -> String {
    request.administratorCookie(cookie, secret.secret, days: SessionLimits.maximumDays)
  }

  /// Why this request may not read; `nil`: it may.
  func rejection(of request: HTTPRequest) -> Problem? {
    if let offered = Self.bearer(request) {
      if isRight(offered) { return nil }
    } else if let secret = request.cookie(Self.cookie + request.hostPortSuffix) {
      let now = Date()
      if let session = login.sessions.session(AccessToken(secret), at: now) {
        login.sessions.recordUse(session, at: now)
        return nil
      }
      // Cookies of earlier versions hold the token itself.
      if isRight(secret) { return nil }
    }
    return Problem(
      401, "Sign-in needed",
      "Run `\(command)` on the tracker's machine and open the link that it prints, or send the panel's token as Authorization: Bearer TOKEN."
    )
  }

  /// Begins a session with a one-time code or the token.
  /// - Throws: `Problem` where it is wrong.
  func begin(code: String?, token offered: String?, _ request: HTTPRequest) throws(Problem) -> AccessToken {
    let now = Date()
    let (address, agent) = (request.clientAddress, request.header("User-Agent") ?? "")
    do throws(PrivateFileError) {
      if let code, let secret = try login.begin(code: code, address: address, agent: agent, at: now) { return secret }
      if let offered, isRight(offered) { return try login.sessions.begin(address: address, agent: agent, at: now) }
    } catch {
      throw Problem(503, "Not stored", "\(error)", retryAfter: 5)
    }
    let decision = limiter.take(
      .login(ClientNetwork(address)), RateLimit(perMinute: Self.wrongPerMinute), policy: "login", at: now)
    if let wait = decision?.wait {
      throw Problem(
        429, "Too many attempts", "Too many wrong codes came from this network. Try again in \(wait) seconds.", retryAfter: wait)
    }
    if code != nil { throw Problem.loginLinkNotValid(command: command) }
    throw Problem(401, "Wrong token", "This is not the panel's token. Run `\(command)` for a link that works without it.")
  }

  /// Why this request may not change anything; `nil`: it may.
  static func changeRejection(_ request: HTTPRequest) -> Problem? {
    if isCrossSite(request) {
      return Problem(
        403, "Foreign page",
        "Changes are accepted only from the panel's own page. A proxy in front of the panel must keep the header Host.")
    }
    let type = request.header("Content-Type")?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/json" else {
      return Problem(415, "JSON needed", "Send JSON, with Content-Type: application/json.")
    }
    return nil
  }

  /// A page of another origin sent it: browsers say so, and other programs are not made to send anything.
  private static func isCrossSite(_ request: HTTPRequest) -> Bool {
    if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" { return true }
    guard let origin = request.header("Origin") else { return false }
    guard let host = request.header("Host"), let scheme = origin.range(of: "://") else { return true }
    return origin[scheme.upperBound...].lowercased() != host.lowercased()
  }

  private func isRight(_ offered: String) -> Bool { AccessToken.isSame(AccessToken(offered).hash, hash) }

  /// The token that a request shows; empty where the header has another form.
  private static func bearer(_ request: HTTPRequest) -> String? {
    request.header("Authorization").map { Authorization($0)?.credentials(of: "bearer") ?? "" }
  }

  /// The cookie of a session; the port follows: two panels of one machine keep theirs apart.
  static let cookie = "godwit_panel"

  /// Nothing in it that a header, a cookie or an address would need marks for.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
        true
      default: false
      }
    }
  }
}
