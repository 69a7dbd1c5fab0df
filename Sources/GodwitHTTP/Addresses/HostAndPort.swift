/// The parts of `HOST:PORT`. The host is a name, a numeric address, or an IPv6 address in brackets. A caller checks which hosts and
/// ports it accepts.
package struct HostAndPort: Sendable, Hashable {
  /// The host without brackets; may be empty.
  package let host: String
  package let port: UInt16
  package let isBracketed: Bool

  /// - Returns: `nil` if the text does not end with a colon and a number from 0 to 65535.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    let host = text[..<colon]
    isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.host = String(isBracketed ? host.dropFirst().dropLast() : host)
    self.port = port
  }
}
