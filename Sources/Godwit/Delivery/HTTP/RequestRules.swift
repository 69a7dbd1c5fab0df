internal import Foundation

/// What must hold of a request before anything of it is sent.
extension HTTPClient.Request {
  /// - Throws: a sentence that says what does not hold and what to do.
  func check() throws(HTTPError) {
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), url.host?.isEmpty == false else {
      throw HTTPError("The address is none of a web server; it must begin with https:// or http://.")
    }
    if trust != .system, scheme != "https" {
      throw HTTPError("A key or an authority is asked for, and the address is not encrypted: let it begin with https://.")
    }
    guard timeout > 0 else { throw HTTPError("The timeout is \(timeout) s; it must be above 0.") }
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
        throw HTTPError("\"\(name)\" is no name of a header: it has letters, digits and hyphens.")
      }
      // A line break would begin another header.
      if value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" }) {
        throw HTTPError("The header \(name) has a line break or another control character in it.")
      }
    }
  }

  /// RFC 9110, 5.6.2.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension TLSTrust {
  /// Pins as `sha256//` has them behind it.
  /// - Throws: a sentence, when there are none or when one can be none.
  static func checked(_ pins: [String]) throws(HTTPError) -> [String] {
    guard !pins.isEmpty else { throw HTTPError("No public key is pinned: nobody could be trusted.") }
    var checked: [String] = []
    for pin in pins {
      let text = pin.hasPrefix("sha256//") ? String(pin.dropFirst(8)) : pin
      guard let hash = Data(base64Encoded: text), hash.count == 32 else {
        throw HTTPError("\"\(pin)\" is no pin: it must be the base64 of a SHA-256, 44 characters long.")
      }
      checked.append(text)
    }
    return checked
  }
}
