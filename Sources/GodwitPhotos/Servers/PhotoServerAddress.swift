internal import Foundation

/// The address of an Immich server without the path of its API, for example `https://photos.example.org`.
package struct PhotoServerAddress: Sendable, Hashable {
  /// The address without a trailing slash.
  package let text: String
  /// The scheme, host and port.
  package let origin: String

  /// The maximum length of an address in bytes.
  package static let maximumLength = 2048

  /// Parses an address.
  /// - Parameter entered: the text that a user entered. Trailing slashes and a trailing `/api` are removed.
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

  /// Returns the address of an API endpoint; `nil`: it is invalid.
  /// - Parameter path: the percent-encoded path, for example `server/ping`.
  func api(_ path: String, _ query: [URLQueryItem] = []) -> URL? {
    guard var parts = URLComponents(string: "\(text)/api/\(path)") else { return nil }
    if !query.isEmpty { parts.queryItems = query }
    return parts.url
  }
}

/// An invalid address or key of a photo server.
package struct PhotoServerFault: Error, CustomStringConvertible {
  /// The invalid member of the request.
  package let place: String
  package let reason: String
  package var description: String { "\(place): \(reason)" }
}

/// The API key of an Immich server. The key is a secret and is not part of descriptions.
package struct PhotoServerKey: Sendable, Hashable, CustomStringConvertible {
  /// The secret, which is sent in a header.
  package let secret: String

  /// The maximum length of a key in bytes. Immich's keys have 43 characters.
  package static let maximumLength = 512

  /// Parses a key.
  /// - Throws: ``PhotoServerFault`` for a text that is not valid in a header.
  package init(_ entered: String) throws(PhotoServerFault) {
    secret = entered.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...Self.maximumLength).contains(secret.utf8.count), secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw PhotoServerFault(
        place: "key", reason: "expected an API key of Immich: 1 to \(Self.maximumLength) letters and digits.")
    }
  }

  package var description: String { "key" }
}
