internal import Foundation
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitModel
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
  /// Limit of wrong codes and tokens per client. Correct ones do not count.
  private static let wrong = RateLimit(perMinute: 20)
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
  func rejection(of request: HTTPRequest, at now: Date = Date()) -> Problem? {
    if let offered = Self.bearer(request) {
      do throws(Problem) {
        if !offered.isEmpty, try accepts(offered, from: request.clientAddress, at: now) { return nil }
      } catch { return error }
    } else if let secret = request.cookie(Self.cookie + request.hostPortSuffix) {
      if let session = login.sessions.session(AccessToken(secret), at: now) {
        login.sessions.recordUse(session, at: now)
        return nil
      }
    }
    return Problem(
      401, "Sign-in needed",
      "Run `\(command)` on the tracker's machine and open the link that it prints, or send the panel's token as Authorization: Bearer TOKEN."
    )
  }

  /// Starts a session with a one-time code or the token. A correct code is accepted after any number of wrong attempts: it is random,
  /// and so remains a way in while guesses from the same network block the token.
  /// - Throws: `Problem` if the secret is wrong, or if the session cannot be stored.
  func begin(
    code: String?, token offered: String?, _ request: HTTPRequest, at now: Date = Date()
  ) throws(Problem) -> AccessToken {
    let (address, agent) = (request.clientAddress, request.header("User-Agent") ?? "")
    let hasToken = if let offered { try accepts(offered, from: address, at: now) } else { false }
    do throws(PrivateFileError) {
      if let code, let secret = try login.begin(code: code, address: address, agent: agent, at: now) { return secret }
      if hasToken { return try login.sessions.begin(address: address, agent: agent, at: now) }
    } catch {
      throw Problem(503, "Not stored", "\(error)", retryAfter: 5)
    }
    guard code != nil else {
      throw Problem(401, "Wrong token", "This is not the panel's token. Run `\(command)` for a link that works without it.")
    }
    let decision = limiter.take(.login(ClientNetwork(address)), Self.wrong, policy: "login", at: now)
    if let wait = decision?.wait { throw Self.tooManyAttempts(wait) }
    throw Problem.loginLinkNotValid(command: command)
  }

  /// Returns whether a text is the panel's token. It is not compared while too many wrong codes and tokens came from the network of the
  /// client: an administrator may choose a token that can be guessed.
  /// - Throws: `Problem` with the time to wait.
  func accepts(_ offered: String, from address: String, at now: Date) throws(Problem) -> Bool {
    let client = RateLimiter.Subject.login(ClientNetwork(address))
    if let wait = limiter.wait(client, Self.wrong, at: now) { throw Self.tooManyAttempts(wait) }
    if AccessToken.isSame(AccessToken(offered).hash, hash) { return true }
    _ = limiter.take(client, Self.wrong, policy: "login", at: now)
    return false
  }

  private static func tooManyAttempts(_ wait: Int) -> Problem {
    Problem(
      429, "Too many attempts", "Too many wrong codes and tokens came from this network. Try again in \(wait.counted("second")).",
      retryAfter: wait)
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
