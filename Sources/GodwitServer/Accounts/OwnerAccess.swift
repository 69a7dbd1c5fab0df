internal import Foundation

/// Who may read: the page, the points, the list of devices.
///
/// A server that only this machine can reach is read without a token from this machine, under a name of this
/// machine (so that a foreign web page cannot read it through a name that it points here). Everything else
/// needs the owner's token, which lies in the data folder and in the address that the server prints.
package struct OwnerAccess: Sendable {
  /// `nil` on a server that listens on the loopback address alone.
  let token: AccessToken?
  private let hash: [UInt8]?

  static let cookie = "godwit_token"

  init(listen: ListenAddress, folder: String) throws {
    guard !listen.isLoopback else {
      token = nil
      hash = nil
      return
    }
    let file = folder + "/owner-token"
    guard let kept = AccessToken.kept(in: file) else { throw OwnerTokenError(file: file) }
    token = kept
    hash = kept.hash
  }

  /// Whether this is the owner's token.
  func isOwners(_ secret: String) -> Bool {
    guard let hash else { return false }
    return AccessToken.isSame(AccessToken(secret).hash, hash)
  }

  /// Why this request may not read; `nil` when it may.
  func refusal(of exchange: Exchange) -> Problem? {
    if hash != nil {
      let offered = exchange.accessToken ?? exchange.cookie(Self.cookie)
      if let offered, isOwners(offered) { return nil }
      return Problem(
        401, "Access token needed",
        "Open the address that the server printed when it started, or send the owner's token (file owner-token in the data folder) as Bearer."
      )
    }
    guard exchange.isFromThisMachine, Self.isLoopbackName(exchange.header("Host")) else {
      return Problem(
        403, "Local only",
        "This server listens for its own machine. To read it under another name, start it with --listen ADDRESS:PORT and use the token that it prints."
      )
    }
    return nil
  }

  /// Why this request may not sign anybody in or out: a foreign page made it. A program says of no page.
  func refusalOfForeignPage(_ exchange: Exchange) -> Problem? {
    let saysOfPage = exchange.header("Sec-Fetch-Site") != nil || exchange.header("Origin") != nil
    return saysOfPage ? refusalOfChange(exchange, mayShowToken: false) : nil
  }

  /// Why this request may not change anything, though it may read; `nil` when it may.
  ///
  /// A browser sends the owner's cookie, and reaches this machine's own addresses, for any page that is open in it. It also
  /// says which page made it do so; a program says nothing, and shows the token, or is on this machine.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - mayShowToken: whether a token in it is proof enough: a page cannot show one that it does not know.
  func refusalOfChange(_ exchange: Exchange, mayShowToken: Bool = true) -> Problem? {
    if mayShowToken, hash != nil, exchange.accessToken != nil { return nil }
    let isOwn: Bool
    if let site = exchange.header("Sec-Fetch-Site") {
      isOwn = site == "same-origin" || site == "none"
    } else if let origin = exchange.header("Origin") {
      isOwn = Self.host(ofOrigin: origin) == exchange.host?.lowercased()
    } else {
      isOwn = hash == nil
    }
    if isOwn { return nil }
    return Problem(
      403, "Foreign page",
      "Only the server's own pages may change something, and programs that send the owner's token as Authorization: Bearer TOKEN. A proxy in front of the server must keep the header Host."
    )
  }

  /// `example.org:8080` of `https://example.org:8080`; nothing of what is no address, such as `null`.
  private static func host(ofOrigin origin: String) -> String? {
    origin.range(of: "://").map { origin[$0.upperBound...].lowercased() }
  }

  package static func isLoopbackName(_ host: String?) -> Bool {
    // HTTP/1.0 has no Host, and no web browser.
    guard let host else { return true }
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    return name == "localhost" || name == "[::1]" || name.hasPrefix("127.")
  }
}

struct OwnerTokenError: Error, CustomStringConvertible {
  let file: String
  var description: String { "Cannot write the owner's token to \(file). Check who owns the folder." }
}

extension Exchange {
  /// The token of a request: as Bearer, or as `token` or `api_key` in the address.
  var accessToken: String? {
    if let authorization = header("Authorization") {
      let parts = authorization.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
      return parts[1].trimmingCharacters(in: .whitespaces)
    }
    return query("token") ?? query("api_key")
  }

  /// The token of an app: as above, or as the password of HTTP Basic.
  var appToken: String? { accessToken ?? password ?? rawBasicToken ?? query("token") }

  /// Overland in its OwnTracks mode sends `Basic TOKEN:`, and forgets the Base64.
  private var rawBasicToken: String? {
    let parts = header("Authorization")?.split(separator: " ", maxSplits: 1) ?? []
    guard parts.count == 2, parts[0].lowercased() == "basic" else { return nil }
    let text = parts[1].trimmingCharacters(in: .whitespaces)
    return text.hasSuffix(":") && text.count > 1 ? String(text.dropLast()) : nil
  }

  /// The password of HTTP Basic (RFC 7617); the user's name says nothing.
  var password: String? {
    let parts = header("Authorization")?.split(separator: " ", maxSplits: 1) ?? []
    guard parts.count == 2, parts[0].lowercased() == "basic",
      let decoded = Data(base64Encoded: parts[1].trimmingCharacters(in: .whitespaces)),
      let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return String(decoding: decoded[(colon + 1)...], as: UTF8.self)
  }
}
