internal import Foundation

/// The base URL of a service, to which paths and queries are appended.
struct ServiceAddress: Sendable {
  private let base: String
  /// Host with port, for example "127.0.0.1:8080".
  let host: String

  init(_ url: URL, service: String) throws(PlacesError) {
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
      let name = parts.percentEncodedHost, !name.isEmpty,
      parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
    else {
      throw PlacesError(
        .invalidSetup, service: service, reason: "the address of the service is not valid for requests",
        advice: "Use one such as https://places.example/, with a host and without a user, a query or a fragment.")
    }
    host = name + (parts.port.map { ":\($0)" } ?? "")
    var path = parts.percentEncodedPath
    while path.hasSuffix("/") { path.removeLast() }
    base = "\(scheme)://\(host)\(path)"
  }

  /// - Parameters:
  ///   - path: ASCII path that starts with a slash.
  ///   - query: Query parameters in their order, which this function percent-encodes.
  func url(_ path: String, _ query: [(name: String, value: String)] = []) -> URL? {
    URL(string: base + path + (query.isEmpty ? "" : "?" + FormFields.encode(query)))
  }
}
