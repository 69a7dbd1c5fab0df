internal import GodwitDigests

/// The server as a relying party of WebAuthn, identified by the host name in the browser.
package struct RelyingParty: Sendable, Hashable {
  /// The host name, which is the identifier of the relying party.
  package let host: String
  /// The origins whose pages may use a passkey.
  package let origins: [String]

  /// SHA-256 of the host name, which authenticators sign.
  package var hostHash: [UInt8] { SHA256Digest.of(Array(host.utf8)) }

  /// - Parameter header: the host of the request with its port.
  /// - Returns: `nil` for an IP address, for which browsers do not support passkeys, and for an invalid host.
  package init?(host header: String?) {
    guard let header = header?.lowercased() else { return nil }
    let parts = header.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let name = parts.first.map(String.init), Self.isName(name) else { return nil }
    var port: UInt16?
    if parts.count == 2 {
      guard let number = UInt16(parts[1]) else { return nil }
      port = number
    }
    host = name
    func origin(_ scheme: String, _ standard: UInt16) -> String {
      scheme + "://" + name + (port.map { $0 == standard ? "" : ":\($0)" } ?? "")
    }
    // Without TLS, only a page from localhost is a secure context.
    let isThisMachine = name == "localhost" || name.hasSuffix(".localhost")
    origins = [origin("https", 443)] + (isThisMachine ? [origin("http", 80)] : [])
  }

  /// Whether a text is a host name, and not an IPv4 address.
  private static func isName(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...253).contains(text.utf8.count), labels.allSatisfy({ (1...63).contains($0.utf8.count) }) else { return false }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
    // An IPv4 address ends with a number (WHATWG URL, "ends in a number").
    return isPlain && labels.last?.allSatisfy(\.isNumber) == false
  }
}
