internal import Foundation

/// The address of an Immich server: `https://photos.example.org`, without the path of its API.
package struct PhotoServerAddress: Sendable, Hashable {
  /// Without a slash at its end.
  package let text: String
  /// Scheme, host and port, which two addresses of one server share.
  package let origin: String

  /// Maximum bytes of an address.
  package static let maximumLength = 2048

  /// - Parameter entered: as a user enters it; `/api` and slashes at its end are left out.
  /// - Throws: ``PhotoServerFault``.
  package init(_ entered: String) throws(PhotoServerFault) {
    let trimmed = entered.trimmingCharacters(in: .whitespacesAndNewlines)
    guard trimmed.utf8.count <= Self.maximumLength else {
      throw PhotoServerFault(place: "address", reason: "expected at most \(Self.maximumLength) bytes.")
    }
    guard let parts = URLComponents(string: trimmed), let scheme = parts.scheme?.lowercased(),
      ["https", "http"].contains(scheme),
      let host = parts.host?.lowercased(), !host.isEmpty
    else {
      throw PhotoServerFault(place: "address", reason: "expected an address such as https://photos.example.org.")
    }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw PhotoServerFault(place: "address", reason: "expected no user name, password, ? or # in the address.")
    }
    var path = parts.percentEncodedPath
    while path.hasSuffix("/") { path.removeLast() }
    if path.hasSuffix("/api") { path.removeLast(4) }
    while path.hasSuffix("/") { path.removeLast() }
    let port = parts.port.map { ":\($0)" } ?? ""
    text = "\(scheme)://\(host)\(port)\(path)"
    origin = "\(scheme)://\(host):\(parts.port ?? (scheme == "https" ? 443 : 80))"
    guard URL(string: text) != nil else {
      throw PhotoServerFault(place: "address", reason: "expected an address such as https://photos.example.org.")
    }
  }

  /// The address of a part of the API.
  /// - Parameter path: such as `server/ping`, percent-encoded.
  func api(_ path: String, _ query: [URLQueryItem] = []) -> URL? {
    guard var parts = URLComponents(string: "\(text)/api/\(path)") else { return nil }
    if !query.isEmpty { parts.queryItems = query }
    return parts.url
  }
}

/// What is wrong with the address or the key of a photo server.
package struct PhotoServerFault: Error, CustomStringConvertible {
  /// The member with the fault.
  package let place: String
  package let reason: String
  package var description: String { "\(place): \(reason)" }
}

/// The key of an API of an Immich server. Its text is a secret; descriptions leave it out.
package struct PhotoServerKey: Sendable, Hashable, CustomStringConvertible {
  /// The secret, as a header has it.
  package let secret: String

  /// Maximum bytes of a key. Immich's have 43 characters.
  package static let maximumLength = 512

  /// - Throws: ``PhotoServerFault`` for a text that is no value of a header.
  package init(_ entered: String) throws(PhotoServerFault) {
    secret = entered.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...Self.maximumLength).contains(secret.utf8.count), secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw PhotoServerFault(
        place: "key", reason: "expected an API key of Immich: 1 to \(Self.maximumLength) letters and digits.")
    }
  }

  package var description: String { "key" }
}
