internal import Foundation
internal import GodwitEngine

/// The tokens that sources gave, until a server refuses them.
package actor Tokens {
  private var known: [EndpointID: String] = [:]
  private var asking: [EndpointID: Task<String, any Error>] = [:]
  /// The last two of each endpoint: what must not be seen in a sentence.
  private var given: [EndpointID: [String]] = [:]

  package init() {}

  /// - Parameter refused: the token that the server did not take; a newer one that is known already is given instead.
  /// - Throws: ``TokenError`` when the source has none.
  package func token(for endpoint: Endpoint, refused: String? = nil) async throws -> String? {
    switch endpoint.token {
    case .none: return nil
    case .fixed(let token): return token
    case .refreshing(let ask):
      if let token = known[endpoint.id], token != refused { return token }
      do { return try await answer(endpoint.id, isExpired: refused != nil, ask) } catch {
        throw TokenError(
          reason: secrets(of: endpoint).hidden(in: error.localizedDescription), isAfterRefusal: refused != nil)
      }
    }
  }

  /// Who comes while the source is being asked waits for the same answer.
  private func answer(
    _ endpoint: EndpointID, isExpired: Bool, _ ask: @escaping @Sendable (Bool) async throws -> String
  ) async throws -> String {
    // A task of its own, because several wait for it. It ends with whoever is cancelled first: they all are when a
    // tracker ends, and otherwise the next upload asks again.
    let task = asking[endpoint] ?? Task { try await ask(isExpired) }
    asking[endpoint] = task
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    if asking[endpoint] == task { asking[endpoint] = nil }
    let token = try result.get()
    if known[endpoint] != token {
      known[endpoint] = token
      given[endpoint] = (given[endpoint] ?? []).suffix(1) + [token]
    }
    return token
  }

  /// What of an endpoint must not be seen.
  package func secrets(of endpoint: Endpoint) -> Secrets {
    var tokens = given[endpoint.id] ?? []
    if case .fixed(let token) = endpoint.token { tokens.append(token) }
    return Secrets(tokens: tokens, headers: endpoint.headers)
  }
}

/// There is no token to send with.
package struct TokenError: Error {
  /// The source's words.
  package var reason: String
  /// The server had refused the one before.
  package var isAfterRefusal: Bool
}

/// Texts that must not come into a status, a notice or a log, for example because a server repeats them in what it
/// complains of.
package struct Secrets: Sendable {
  /// Longest first: one may be a part of another.
  private let texts: [String]

  init(tokens: [String], headers: [String: String] = [:]) {
    var texts = Set(headers.values)
    for token in tokens {
      texts.insert(token)
      let pair = token.contains(":") ? token : token + ":"
      texts.insert(Data(pair.utf8).base64EncodedString())
      // Of NAME:PASSWORD the name is none.
      if let colon = token.firstIndex(of: ":") { texts.insert(String(token[token.index(after: colon)...])) }
    }
    // What is so short is no secret, and would be found in half of all words.
    self.texts = texts.filter { $0.count >= 4 }.sorted { $0.count > $1.count }
  }

  package func hidden(in text: String) -> String {
    texts.reduce(text) { $0.replacingOccurrences(of: $1, with: "…") }
  }
}

extension TokenSource {
  /// Whether asking again can give something else.
  package var canRefresh: Bool { if case .refreshing = self { true } else { false } }
}
