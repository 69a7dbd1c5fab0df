internal import Foundation

/// The rules for a request, checked before anything is sent.
extension HTTPClient.Request {
  /// Checks the rules. - Throws: a sentence that names the violated rule and the action to take.
  func check() throws(HTTPError) {
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), url.host?.isEmpty == false else {
      throw HTTPError("The address must begin with https:// or http:// and have a host.")
    }
    if trust != .system, scheme != "https" {
      throw HTTPError("Pins and an authority need an encrypted address: begin it with https://.")
    }
    guard timeout > 0 else { throw HTTPError("The timeout is \(timeout) s; it must be above 0.") }
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
        throw HTTPError("\"\(name)\" is not a header name: it has letters, digits and hyphens.")
      }
      // A line break would start another header.
      if value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" }) {
        throw HTTPError("The header \(name) contains a line break or another control character.")
      }
    }
  }

  /// Checks the rules and the trust, for all sessions of Apple's systems.
  /// - Returns: the pinned keys, as they follow `sha256//`; `nil`: the trust of the system applies.
  /// - Throws: a sentence that names the violated rule and the action to take.
  func checkedPins() throws(HTTPError) -> [String]? {
    try check()
    switch trust {
    case .system: return nil
    case .pinned(let keys): return try TLSTrust.checked(keys)
    case .authority:
      throw HTTPError("Install a custom certificate authority in the system's settings, or pin the server's key.")
    }
  }

  /// Detects that the system has followed a redirect: the response belongs to another request than the one that was created.
  /// Background sessions always follow redirects and do not call a delegate.
  /// - Parameters:
  ///   - asked: the method and the address of the request that was created.
  ///   - sent: the method and the address of the request that was sent last.
  ///   - answered: the address of the response.
  /// - Returns: an error; `nil`: no redirect was followed.
  static func redirect(
    asked: (method: String?, url: URL?), sent: (method: String?, url: URL?), answered: URL?
  ) -> HTTPError? {
    guard let wanted = asked.url, let last = answered ?? sent.url else { return nil }
    let addresses = [sent.url, answered].compactMap(\.self)
    guard addresses.contains(where: { !isSame($0, wanted) }) || (sent.method ?? asked.method) != asked.method else { return nil }
    let place = "\(last.scheme ?? "")://\(last.host ?? "")\(last.path)"
    return HTTPError(
      "The server redirects to \(place); redirected uploads fail. Use the final address in the endpoint.")
  }

  /// Returns whether two addresses are equivalent for a server (RFC 3986, 6.2).
  private static func isSame(_ one: URL, _ other: URL) -> Bool {
    func parts(_ url: URL) -> [String] {
      let scheme = url.scheme?.lowercased() ?? ""
      let port = url.port ?? (scheme == "https" ? 443 : 80)
      return [
        scheme, url.host?.lowercased() ?? "", String(port), url.path.isEmpty ? "/" : url.path(percentEncoded: true),
        url.query(percentEncoded: true) ?? "",
      ]
    }
    return parts(one) == parts(other)
  }

  /// Whether a byte may occur in a token (RFC 9110, 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension TLSTrust {
  /// Returns the pins as they follow `sha256//`.
  /// - Throws: a sentence if there are no pins or one is invalid.
  static func checked(_ pins: [String]) throws(HTTPError) -> [String] {
    guard !pins.isEmpty else { throw HTTPError("The list of pins is empty: every server would be rejected.") }
    var checked: [String] = []
    for pin in pins {
      let text = pin.hasPrefix("sha256//") ? String(pin.dropFirst(8)) : pin
      guard let hash = Data(base64Encoded: text), hash.count == 32 else {
        throw HTTPError("\"\(pin)\" is not a pin: it must be the base64 of a SHA-256, 44 characters long.")
      }
      checked.append(text)
    }
    return checked
  }
}
