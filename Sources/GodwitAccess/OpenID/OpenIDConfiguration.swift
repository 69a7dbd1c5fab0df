internal import Foundation

/// The OpenID provider whose users may sign in.
public struct OpenIDConfiguration: Sendable, Hashable {
  /// The issuer identifier of the provider: a URL without a query. The discovery document is at
  /// `/.well-known/openid-configuration` below it.
  public let issuer: String
  /// The client identifier of this server at the provider.
  public let client: String
  /// The client secret of this server at the provider; `nil`: a public client.
  public var secret: String?
  /// The claim with the user name.
  public var claim = "preferred_username"
  /// Whether a member is created for an unknown name.
  public var createsUsers = false

  /// - Parameters:
  ///   - issuer: an https URL; for this machine also http.
  ///   - client: not empty.
  public init?(issuer: String, client: String) {
    guard Self.isAllowed(issuer), !issuer.contains("?"), !issuer.contains("#"), (1...255).contains(client.utf8.count) else {
      return nil
    }
    self.issuer = issuer
    self.client = client
  }

  /// Whether a URL of the provider is permitted. Its responses authenticate users, so that TLS is required, except on this
  /// machine.
  static func isAllowed(_ text: String) -> Bool {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil else { return false }
    switch parts.scheme {
    case "https": return true
    case "http": return ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    default: return false
    }
  }

  /// The name of the provider on pages.
  package var name: String { URLComponents(string: issuer)?.host ?? issuer }
}
