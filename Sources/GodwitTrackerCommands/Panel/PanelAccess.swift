internal import Foundation
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitSecrets

/// The secrets of a tracker's panel: a token for programs, and sessions that start with a one-time code.
///
/// Each request for data needs one of them, even from the machine itself: another page can forge host names and addresses (DNS
/// rebinding), and a proxy can hide them. Changes are accepted only as JSON and from the panel's own page.
struct PanelAccess: Sendable {
  let token: AccessToken
  private let hash: [UInt8]
  let login: AdministratorLogin
  /// The command that prints a new link.
  let command: String
  /// Maximum number of wrong codes and tokens per client and minute. Correct ones do not count.
  private static let wrongPerMinute = 20
  private let limiter = RateLimiter()

  /// Minimum number of characters of a token that the administrator chooses. It makes guessing over a network impractical.
  static let shortestToken = 16

  /// - Parameters:
  ///   - given: The administrator's token; `nil` to create one.
  ///   - journal: Journal of the tracker. The created token, codes and sessions are stored in files beside it.
  /// - Throws: ``UsageError`` for an invalid token, ``Failure`` if a token cannot be stored.
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

  /// Returns the store of codes and sessions for the panel of the tracker with this journal.
  static func login(journal: String) -> AdministratorLogin { AdministratorLogin(folder: journal + ".panel") }

  /// Creates the folders for codes and sessions.
  func prepare() throws { try login.prepare() }

  /// Stores the panel's address for `godwit login --panel`.
  /// - Returns: A function that removes it.
  func announce(_ address: String) -> () -> Void {
    do throws(PrivateFileError) {
      let running = try login.announce(address)
      return { running.withdraw() }
    } catch {
      // Without the stored address `godwit login --panel` needs the option --url. The panel works without it.
      Output.log("\(error)")
      return {}
    }
  }

  /// Returns a link that opens the panel once.
  func link(to address: String) throws -> String { try login.link(to: address, at: Date()) }

  /// Returns the `Set-Cookie` value of a session.
  static func cookie(_ secret: AccessToken, for request: HTTPRequest) -> String {
    request.administratorCookie(cookie, secret.secret, days: SessionLimits.maximumDays)
  }

  /// Returns the reason why a request may not read; `nil` if it may.
  func rejection(of request: HTTPRequest) -> Problem? {
    if let offered = Self.bearer(request) {
      if isRight(offered) { return nil }
    } else if let secret = request.cookie(Self.cookie + request.hostPortSuffix) {
      let now = Date()
      if let session = login.sessions.session(AccessToken(secret), at: now) {
        login.sessions.recordUse(session, at: now)
        return nil
      }
      // Cookies of earlier versions contain the token itself.
      if isRight(secret) { return nil }
    }
    return Problem(
      401, "Sign-in needed",
      "Run `\(command)` on the tracker's machine and open the link that it prints, or send the panel's token as Authorization: Bearer TOKEN."
    )
  }

  /// Starts a session with a one-time code or the token.
  /// - Throws: `Problem` if the secret is wrong, or if the session cannot be stored.
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

  /// Returns the reason why a request may not change anything; `nil` if it may.
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

  /// Returns whether a page of another origin sent the request. Browsers state the origin in headers, and other programs cannot be
  /// made to send requests.
  private static func isCrossSite(_ request: HTTPRequest) -> Bool {
    if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" { return true }
    guard let origin = request.header("Origin") else { return false }
    guard let host = request.header("Host"), let scheme = origin.range(of: "://") else { return true }
    return origin[scheme.upperBound...].lowercased() != host.lowercased()
  }

  private func isRight(_ offered: String) -> Bool { AccessToken.isSame(AccessToken(offered).hash, hash) }

  /// Returns the bearer token of a request; `nil` without the header, empty if the header has another form.
  private static func bearer(_ request: HTTPRequest) -> String? {
    request.header("Authorization").map { Authorization($0)?.credentials(of: "bearer") ?? "" }
  }

  /// Name of the session cookie. The port is appended, so that two panels on one machine have separate cookies.
  static let cookie = "godwit_panel"

  /// Returns whether a text needs no escaping in headers, cookies and URLs.
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
