/// The credentials of a request: a scheme and its parameters (RFC 9110, 11.6.2).
package struct Authorization: Sendable, Hashable {
  /// The scheme in lowercase: "bearer", "basic".
  package let scheme: String
  /// The rest of the header, without spaces at its ends.
  package let credentials: String

  /// - Parameter header: the value of `Authorization`.
  /// - Returns: `nil` if the value is not a scheme, a space and credentials.
  package init?(_ header: String) {
    let bytes = header.utf8
    guard let space = bytes.firstIndex(of: 0x20), space > bytes.startIndex else { return nil }
    let rest = bytes[bytes.index(after: space)...]
    guard !rest.isEmpty else { return nil }
    scheme = header[..<space].lowercased()
    credentials = String(Substring(Self.trimmed(rest)))
  }

  /// Returns the credentials if they have this scheme, which is in lowercase; otherwise `nil`.
  package func credentials(of scheme: String) -> String? { scheme == self.scheme ? credentials : nil }

  private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }
}
