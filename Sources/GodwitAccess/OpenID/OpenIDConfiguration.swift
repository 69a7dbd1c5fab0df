internal import Foundation

/// The OpenID provider whose users may sign in.
public struct OpenIDConfiguration: Sendable, Hashable {
  /// The provider's name: an address without a query. Its document is below `/.well-known/openid-configuration`.
  public let issuer: String
  /// The name of this server at the provider.
  public let client: String
  /// The secret of this server at the provider; `nil`: a public client.
  public var secret: String?
  /// The claim that names the user.
  public var claim = "preferred_username"
  /// Whether a name that no user has becomes a member.
  public var createsUsers = false

  /// - Parameters:
  ///   - issuer: with https; on this machine also with http.
  ///   - client: not empty.
  public init?(issuer: String, client: String) {
    guard Self.isAllowed(issuer), !issuer.contains("?"), !issuer.contains("#"), (1...255).contains(client.utf8.count) else {
      return nil
    }
    self.issuer = issuer
    self.client = client
  }

  /// Whether an address of the provider may be used: its answers authenticate users, so it has TLS or is on this machine.
  static func isAllowed(_ text: String) -> Bool {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil else { return false }
    switch parts.scheme {
    case "https": return true
    case "http": return ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    default: return false
    }
  }

  /// How a page names the provider.
  package var name: String { URLComponents(string: issuer)?.host ?? issuer }
}
