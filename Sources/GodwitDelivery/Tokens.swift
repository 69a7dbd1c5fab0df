internal import Foundation
internal import GodwitEngine

/// A cache of the tokens of endpoints. A token is kept until the server rejects it.
package actor Tokens {
  private var known: [EndpointID: String] = [:]
  private var asking: [EndpointID: Task<String, any Error>] = [:]
  /// The last two tokens of each endpoint. They are redacted in messages.
  private var given: [EndpointID: [String]] = [:]

  package init() {}

  /// Returns the token for an endpoint; `nil`: the endpoint has none.
  /// - Parameter rejected: the token that the server rejected. A newer cached token is returned without a new request.
  /// - Throws: ``TokenError`` if the source returns none.
  package func token(for endpoint: Endpoint, rejected: String? = nil) async throws -> String? {
    switch endpoint.token {
    case .none: return nil
    case .fixed(let token): return token
    case .refreshing(let ask):
      if let token = known[endpoint.id], token != rejected { return token }
      do { return try await respond(endpoint.id, isExpired: rejected != nil, ask) } catch {
        throw TokenError(
          reason: secrets(of: endpoint).hidden(in: error.localizedDescription), isAfterRejection: rejected != nil)
      }
    }
  }

  /// Requests a token. Concurrent callers wait for the same result.
  private func respond(
    _ endpoint: EndpointID, isExpired: Bool, _ ask: @escaping @Sendable (Bool) async throws -> String
  ) async throws -> String {
    // A separate task, because several callers wait for it. If one caller is cancelled, the task is cancelled for all: that
    // happens when a tracker ends. Otherwise the next upload requests the token again.
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

  /// Returns the texts of an endpoint that must be redacted.
  package func secrets(of endpoint: Endpoint) -> Secrets {
    var tokens = given[endpoint.id] ?? []
    if case .fixed(let token) = endpoint.token { tokens.append(token) }
    return Secrets(tokens: tokens, headers: endpoint.headers)
  }
}

/// The error of a token that could not be obtained.
package struct TokenError: Error {
  /// The error of the source.
  package var reason: String
  /// Whether the server had rejected the previous token.
  package var isAfterRejection: Bool
}

/// Texts that must not appear in a status, a notice or a log, for example because a server repeats them in an error
/// message.
package struct Secrets: Sendable {
  /// Longest first, because one text may be a part of another.
  private let texts: [String]

  init(tokens: [String], headers: [String: String] = [:]) {
    var texts = Set(headers.values)
    for token in tokens {
      texts.insert(token)
      let pair = token.contains(":") ? token : token + ":"
      texts.insert(Data(pair.utf8).base64EncodedString())
      // In NAME:PASSWORD, the name is not a secret.
      if let colon = token.firstIndex(of: ":") { texts.insert(String(token[token.index(after: colon)...])) }
    }
    // A shorter text is not a secret and would occur in many words.
    self.texts = texts.filter { $0.count >= 4 }.sorted { $0.count > $1.count }
  }

  package func hidden(in text: String) -> String {
    texts.reduce(text) { $0.replacingOccurrences(of: $1, with: "…") }
  }
}

extension TokenSource {
  /// Whether another request to the source can return another token.
  package var canRefresh: Bool { if case .refreshing = self { true } else { false } }
}
