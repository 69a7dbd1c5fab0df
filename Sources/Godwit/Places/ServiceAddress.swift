internal import Foundation

/// Where a service is: an address that paths and queries can be put behind.
struct ServiceAddress: Sendable {
  private let base: String
  /// "127.0.0.1:8080".
  let host: String

  init(_ url: URL, service: String) throws(PlacesError) {
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
      let name = parts.percentEncodedHost, !name.isEmpty,
      parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
    else {
      throw PlacesError(
        .invalidSetup, service: service, reason: "the address of the service is no place to send requests to",
        advice: "Give one such as https://places.example/, with a host and without a user, a query or a fragment.")
    }
    host = name + (parts.port.map { ":\($0)" } ?? "")
    var path = parts.percentEncodedPath
    while path.hasSuffix("/") { path.removeLast() }
    base = "\(scheme)://\(host)\(path)"
  }

  /// - Parameters:
  ///   - path: begins with a slash; ASCII.
  ///   - query: in this order, percent-encoded here.
  func url(_ path: String, _ query: [(name: String, value: String)] = []) -> URL? {
    URL(string: base + path + (query.isEmpty ? "" : "?" + FormFields.encode(query)))
  }
}

/// Names and values as in a query and in a body of `application/x-www-form-urlencoded`.
enum FormFields {
  // Unreserved (RFC 3986, 2.3), and the comma, which stands for itself in coordinates.
  private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,".utf8)

  static func encode(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
  }

  private static func escape(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      if plain.contains(byte) {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        escaped += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return escaped
  }
}
