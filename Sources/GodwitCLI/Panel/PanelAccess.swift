internal import Foundation
internal import GodwitServer

/// Who may look at the panel, and who may change something with it.
///
/// On the machine's own address: whoever sits at it, under a name of this machine, so that no foreign page gets in
/// through a name that it points here. Anywhere else, and wherever the owner names a token: who has the token.
/// Changes are taken as JSON and from the panel's own page only, which a foreign page can neither send nor be.
struct PanelAccess: Sendable {
  /// `nil`: none is needed.
  let token: AccessToken?
  private let hash: [UInt8]?

  /// Characters that a token of the owner's must have: so many guesses take too long over a network.
  static let shortestToken = 16

  /// - Parameters:
  ///   - listen: where the panel is.
  ///   - given: the owner's choice of a token.
  ///   - file: where a token that is made here is kept, so that a bookmark outlives a restart.
  /// - Throws: ``UsageError`` for a token that will not do, ``Failure`` when one cannot be kept.
  init(listen: ListenAddress, token given: String?, file: String) throws {
    if let given {
      guard given.utf8.count >= Self.shortestToken, Self.isPlain(given) else {
        throw UsageError(
          "--panel-token: expected at least \(Self.shortestToken) letters and digits; without the option a token is made.")
      }
      token = AccessToken(given)
    } else if listen.isLoopback {
      token = nil
    } else {
      guard let kept = AccessToken.kept(in: file) else {
        throw Failure("\(file): the panel's token cannot be kept. Check who owns the folder, or name --panel-token.")
      }
      token = kept
    }
    hash = token?.hash
  }

  /// Why this request may not read; `nil`: it may.
  func refusal(of exchange: Exchange) -> Problem? {
    guard hash != nil else {
      guard exchange.isFromLoopback, OwnerAccess.isLoopbackName(exchange.header("Host")) else {
        return Problem(
          403, "Local only",
          "This panel is for its own machine. To open it from elsewhere, start the tracker with --panel ADDRESS:PORT and use the link that it prints."
        )
      }
      return nil
    }
    if let offered = Self.offeredToken(exchange), isRight(offered) { return nil }
    return Problem(
      401, "Access token needed",
      "Open the link that the tracker printed when it started, or send its token as Authorization: Bearer TOKEN.")
  }

  /// Why this request may not change anything; `nil`: it may.
  static func refusalOfChange(_ exchange: Exchange) -> Problem? {
    if isForeign(exchange) {
      return Problem(
        403, "Foreign page",
        "Only the panel's own page may change something. A proxy in front of the panel must keep the header Host.")
    }
    let type = exchange.header("Content-Type")?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/json" else {
      return Problem(415, "JSON needed", "Send JSON, with Content-Type: application/json.")
    }
    return nil
  }

  /// A page of another origin sent it: browsers say so, and other programs are not made to send anything.
  private static func isForeign(_ exchange: Exchange) -> Bool {
    if let site = exchange.header("Sec-Fetch-Site"), site != "same-origin", site != "none" { return true }
    guard let origin = exchange.header("Origin") else { return false }
    guard let host = exchange.header("Host"), let scheme = origin.range(of: "://") else { return true }
    return origin[scheme.upperBound...].lowercased() != host.lowercased()
  }

  func isRight(_ offered: String) -> Bool {
    guard let hash else { return true }
    return AccessToken.isSame(AccessToken(offered).hash, hash)
  }

  private static func offeredToken(_ exchange: Exchange) -> String? {
    guard let authorization = exchange.header("Authorization") else { return exchange.cookie(cookieName(exchange)) }
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return parts[1].trimmingCharacters(in: .whitespaces)
  }

  /// The cookie that keeps a browser in.
  static func cookie(_ token: String, for exchange: Exchange) -> String {
    "\(cookieName(exchange))=\(token); HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
  }

  /// Browsers give a host's cookies to all its ports: two panels of one machine keep theirs apart by name.
  private static func cookieName(_ exchange: Exchange) -> String {
    let host = exchange.header("Host") ?? ""
    let port = host.last == "]" ? "" : host.split(separator: ":").last.flatMap { UInt16($0) }.map { "_\($0)" } ?? ""
    return "godwit_panel" + port
  }

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
