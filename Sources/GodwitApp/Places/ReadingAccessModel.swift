internal import Foundation
internal import Godwit
internal import GodwitDelivery
internal import GodwitModel
internal import GodwitWire
public import Observation

/// The form for the token with which the app reads its history from the user's Godwit server. A device's token can only send.
@MainActor @Observable
public final class ReadingAccessModel {
  /// The token in the text field.
  public var token = ""
  /// Why the token could not be stored, as a sentence.
  public private(set) var problem: String?
  /// The stored tokens by server. A server without a token has the value `nil`.
  private var stored: [String: String?] = [:]
  private let state: AppState
  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }

  public var title: String { texts(.readingAccess) }
  public var explanation: String { server == nil ? texts(.readingNoServer) : texts(.readingTokenExplanation) }
  public var tokenLabel: String { texts(.readingToken) }
  public var tokenPlaceholder: String { hasAccess ? texts(.tokenStored) : texts(.tokenNone) }
  public var saveLabel: String { texts(.save) }
  public var removeLabel: String { texts(.remove) }
  public var scanLabel: String { texts(.scanCode) }
  /// The name of the server that is read; `nil`: none of the servers is a Godwit server.
  public var serverName: String? { server?.name }
  public var hasServer: Bool { server != nil }
  public var hasAccess: Bool { storedToken != nil }
  public var canSave: Bool { hasServer && !trimmed.isEmpty && trimmed.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
  /// Why the entered text is not a token, as a sentence; `nil`: it is a token, or the field is empty.
  public var tokenProblem: String? { trimmed.isEmpty || canSave || !hasServer ? nil : texts(.tokenInvalid) }
  /// Why the token can be intercepted, as a sentence; `nil`: it cannot.
  public var exposureText: String? { (try? server?.endpoint(token: "-"))?.exposureProblem }

  private var trimmed: String { token.trimmingCharacters(in: .whitespacesAndNewlines) }

  /// Stores the entered token.
  /// - Returns: whether it was stored.
  @discardableResult
  public func save() -> Bool {
    guard canSave else { return false }
    return store(trimmed)
  }

  /// Reads the text of a QR code: a token, or a link with a token. Stores the token.
  public func scanned(_ text: String) {
    token = (try? SetupLink(link: text.trimmingCharacters(in: .whitespacesAndNewlines)))?.token ?? text
    save()
  }

  /// Removes the stored token.
  public func remove() { if hasServer { _ = store(nil) } }

  private func store(_ token: String?) -> Bool {
    guard let server else { return false }
    do {
      try state.services.credentials.setToken(token, server.readingCredential)
      stored[server.id] = .some(token)
      (self.token, problem) = ("", nil)
      return true
    } catch {
      problem = texts(.tokenNotStored, "\(error)")
      return false
    }
  }

  // MARK: What is stored

  /// The server that is read: the first Godwit server with a token, or else the first Godwit server.
  var server: StoredServer? {
    let ours = state.servers.servers.filter(\.hasRegions)
    return ours.first { stored[$0.id]?.flatMap(\.self) != nil } ?? ours.first
  }

  private var storedToken: String? { server.flatMap { stored[$0.id]?.flatMap(\.self) } }

  /// Reads the stored tokens, each only once.
  func refresh() {
    for server in state.servers.servers where server.hasRegions && stored[server.id] == nil {
      // A token that cannot be read now is read again at the next change.
      guard let token = try? state.services.credentials.token(server.readingCredential) else { continue }
      stored[server.id] = .some(token)
    }
  }

  /// The reader of the history; `nil`: no token is stored.
  var history: PointHistory? {
    guard let server, let storedToken, let address = (try? server.endpoint(token: nil))?.address.filled(with: nil) else {
      return nil
    }
    return PointHistory(client: state.services.environment.client, address: address, token: storedToken)
  }
}
