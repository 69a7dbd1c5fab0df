internal import Foundation

/// The server that gets a copy of all records.
public struct MirrorOptions: Sendable, CustomStringConvertible {
  /// Its address without a slash at the end, such as `https://other.example.org`.
  public let url: String
  /// A token of the other server with the scope `admin`.
  package let token: String
  /// Whether devices of the same name that the other server has already become copies of this server's.
  public var adoptsDevices = false

  /// - Returns: `nil`: the address is not one of a server, or has a query or a password.
  public init?(url: String, token: String) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme, ["http", "https"].contains(scheme),
      parts.host?.isEmpty == false, parts.query == nil, parts.fragment == nil, parts.user == nil
    else { return nil }
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.token = token
  }

  /// Without the token.
  public var description: String { url }
}
