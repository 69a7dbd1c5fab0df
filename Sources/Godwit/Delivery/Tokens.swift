internal import GodwitEngine

/// The tokens that sources gave, until a server refuses them.
actor Tokens {
  private var known: [EndpointID: String] = [:]

  /// - Parameter refused: the token that the server did not take; a newer one that is known already is given instead.
  func token(for endpoint: Endpoint, refused: String? = nil) async throws -> String? {
    switch endpoint.token {
    case .none: return nil
    case .fixed(let token): return token
    case .refreshing(let ask):
      if let token = known[endpoint.id], token != refused { return token }
      let token = try await ask(refused != nil)
      known[endpoint.id] = token
      return token
    }
  }
}

extension TokenSource {
  /// Whether asking again can give something else.
  var canRefresh: Bool { if case .refreshing = self { true } else { false } }
}
