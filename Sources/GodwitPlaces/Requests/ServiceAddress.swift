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
        .invalidSetup, service: service, reason: "the address of the service is not valid for requests",
        advice: "Use one such as https://places.example/, with a host and without a user, a query or a fragment.")
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
