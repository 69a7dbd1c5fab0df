package import Foundation
package import GodwitAccounts
package import GodwitHTTPClient
internal import GodwitServices
internal import Synchronization

/// A client of an OpenID provider: reads its discovery document and its keys, and requests tokens.
package final class OpenIDProvider: Sendable {
  package let configuration: OpenIDConfiguration
  private let client: HTTPClient
  private let known = Mutex(Known())

  /// Cached documents of the provider.
  private struct Known {
    var metadata: (value: Metadata, time: Date)?
    var keys: (value: SigningKeys, time: Date)?
  }

  /// Seconds for which documents are cached.
  private static let lifetime: TimeInterval = 3600
  /// Minimum age in seconds of cached keys before they are read again because of an unknown key.
  private static let minimumKeyAge: TimeInterval = 30
  /// Timeout of a request in seconds.
  private static let timeout: Double = 15

  /// - Parameters:
  ///   - configuration: the provider.
  ///   - client: sends requests.
  package init(_ configuration: OpenIDConfiguration, client: HTTPClient = .live()) {
    self.configuration = configuration
    self.client = client
  }

  /// The discovery document (OpenID Connect Discovery 1.0, section 3).
  struct Metadata: Decodable, Sendable {
    let issuer: String
    let authorizationEndpoint, tokenEndpoint, jwksURI: String
    let userinfoEndpoint: String?
    let tokenMethods: [String]?

    enum CodingKeys: String, CodingKey {
      case issuer
      case authorizationEndpoint = "authorization_endpoint"
      case tokenEndpoint = "token_endpoint"
      case jwksURI = "jwks_uri"
      case userinfoEndpoint = "userinfo_endpoint"
      case tokenMethods = "token_endpoint_auth_methods_supported"
    }
  }

  /// A sign-in that was started.
  package struct Request: Sendable {
    /// The URL to which the provider redirects the browser.
    package var redirect: String
    package var state: String
    package var nonce: String
    /// The secret of PKCE (RFC 7636).
    package var verifier: String
    /// Whether the provider must authenticate the user again.
    package var isRepeated: Bool

    package init(redirect: String, state: String, nonce: String, verifier: String, isRepeated: Bool) {
      self.redirect = redirect
      self.state = state
      self.nonce = nonce
      self.verifier = verifier
      self.isRepeated = isRepeated
    }
  }

  /// Returns the URL at which the user signs in.
  /// - Throws: ``IdentityError``.
  package func address(for request: Request, at now: Date) async throws(IdentityError) -> String {
    let metadata = try await metadata(at: now)
    var parameters = [
      ("response_type", "code"), ("client_id", configuration.client), ("redirect_uri", request.redirect),
      ("scope", "openid profile email"), ("state", request.state), ("nonce", request.nonce),
      ("code_challenge", PKCE.challenge(of: request.verifier)), ("code_challenge_method", "S256"),
    ]
    if request.isRepeated { parameters += [("prompt", "login"), ("max_age", "0")] }
    let endpoint = metadata.authorizationEndpoint
    return endpoint + (endpoint.contains("?") ? "&" : "?") + Form.encoded(parameters)
  }

  /// The identity of a user.
  package struct Identity: Sendable {
    package let subject: String
    /// The value of the configured claim; `nil`: absent.
    package let name: String?
    /// The time of the user's last authentication; `nil`: unknown.
    package let authenticated: Date?
  }

  /// Exchanges a code for the identity of the user.
  /// - Throws: ``IdentityError``.
  package func identity(code: String, of request: Request, at now: Date) async throws(IdentityError) -> Identity {
    let metadata = try await metadata(at: now)
    let tokens = try await tokens(code, request, metadata)
    let keys = try await keys(metadata, naming: IdentityToken.keyName(of: tokens.idToken), at: now)
    let token = try IdentityToken(
      tokens.idToken, keys: keys,
      expected: IdentityToken.Expectation(
        issuer: configuration.issuer, client: configuration.client, nonce: request.nonce, now: now))
    var name = configuration.claim == "sub" ? token.subject : token.claims[configuration.claim]
    if name == nil, let endpoint = metadata.userinfoEndpoint, let access = tokens.accessToken {
      name = try await userinfo(endpoint, access, of: token.subject)
    }
    return Identity(subject: token.subject, name: name, authenticated: token.authenticated)
  }

  // MARK: Requests

  private struct Tokens: Decodable {
    let idToken: String
    let accessToken: String?

    enum CodingKeys: String, CodingKey {
      case idToken = "id_token"
      case accessToken = "access_token"
    }
  }

  private func tokens(_ code: String, _ request: Request, _ metadata: Metadata) async throws(IdentityError) -> Tokens {
    var parameters = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirect),
      ("code_verifier", request.verifier),
    ]
    var headers = ["Content-Type": "application/x-www-form-urlencoded"]
    if let secret = configuration.secret, metadata.tokenMethods?.contains("client_secret_basic") ?? true {
      // RFC 6749, section 2.3.1: both are form-encoded before Base64.
      let credentials = "\(Form.encoded(configuration.client)):\(Form.encoded(secret))"
      headers["Authorization"] = "Basic " + Data(credentials.utf8).base64EncodedString()
    } else {
      parameters.append(("client_id", configuration.client))
      if let secret = configuration.secret { parameters.append(("client_secret", secret)) }
    }
    let body = try await send("POST", metadata.tokenEndpoint, headers, Array(Form.encoded(parameters).utf8))
    guard let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(body)) else {
      throw .provider("Its answer to the code has no id_token.")
    }
    return tokens
  }

  private func userinfo(_ endpoint: String, _ access: String, of subject: String) async throws(IdentityError) -> String? {
    let body = try await send("GET", endpoint, ["Authorization": "Bearer \(access)"])
    // OpenID Connect Core, section 5.3.2: claims about another user must not be used.
    guard let claims = IdentityClaims(json: body), claims["sub"] == subject else {
      throw .provider("Its userinfo is of another user, or not JSON.")
    }
    return claims[configuration.claim]
  }

  private func metadata(at now: Date) async throws(IdentityError) -> Metadata {
    if let known = known.withLock({ $0.metadata }), abs(now.timeIntervalSince(known.time)) < Self.lifetime { return known.value }
    let issuer = configuration.issuer
    let address = (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    let body = try await send("GET", address)
    guard let metadata = try? JSONDecoder().decode(Metadata.self, from: Data(body)) else {
      throw .provider("\(address) is no discovery document.")
    }
    guard metadata.issuer == issuer else {
      throw .provider("Its discovery document is of the issuer \(metadata.issuer.prefix(200)), and not of \(issuer).")
    }
    for endpoint in [
      metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.jwksURI, metadata.userinfoEndpoint ?? issuer,
    ]
    where !OpenIDConfiguration.isAllowed(endpoint) {
      throw .provider("Its address \(endpoint.prefix(200)) has no TLS.")
    }
    known.withLock { $0.metadata = (metadata, now) }
    return metadata
  }

  /// Returns the provider's keys. They are read again if a token has an unknown key.
  private func keys(_ metadata: Metadata, naming key: String?, at now: Date) async throws(IdentityError) -> SigningKeys {
    if let known = known.withLock({ $0.keys }) {
      let age = abs(now.timeIntervalSince(known.time))
      if age < Self.minimumKeyAge || (age < Self.lifetime && known.value.has(key)) { return known.value }
    }
    let keys = try SigningKeys(json: try await send("GET", metadata.jwksURI))
    known.withLock { $0.keys = (keys, now) }
    return keys
  }

  private func send(
    _ method: String, _ address: String, _ headers: [String: String] = [:], _ body: [UInt8] = []
  ) async throws(IdentityError) -> [UInt8] {
    guard let url = URL(string: address) else { throw .provider("\(address.prefix(200)) is no address.") }
    let request = HTTPClient.Request(
      method: method, url: url, headers: headers.merging(["Accept": "application/json"]) { $1 }, body: body,
      timeout: Self.timeout
    ).boundedForServer
    let response: HTTPClient.Response
    do { response = try await client.send(request) } catch {
      throw .provider("\(url.host ?? "it") does not answer: \(error.localizedDescription)")
    }
    guard response.status == 200 else {
      struct Failure: Decodable { let error: String }
      let code = (try? JSONDecoder().decode(Failure.self, from: Data(response.body)))?.error
      throw .provider("\(url.path) answers with status \(response.status)\(code.map { " (\($0.prefix(100)))" } ?? "").")
    }
    return response.body
  }
}
