internal import GodwitLocks

/// The store of the tokens of servers: the Keychain on a phone, memory in a test. Tokens are stored nowhere else in the app.
public struct CredentialStore: Sendable {
  /// Returns the token of a server; `nil`: it has none. - Throws: if the store cannot be read now.
  public var token: @Sendable (_ server: String) throws -> String?
  /// Stores the token of a server; `nil` removes it.
  public var setToken: @Sendable (_ token: String?, _ server: String) throws -> Void

  public init(
    token: @escaping @Sendable (_ server: String) throws -> String?,
    setToken: @escaping @Sendable (_ token: String?, _ server: String) throws -> Void
  ) {
    self.token = token
    self.setToken = setToken
  }

  /// Tokens in memory, for previews and tests.
  public static func memory() -> CredentialStore {
    let tokens = MemoryTokens()
    return CredentialStore(token: { tokens[$0] }, setToken: { tokens[$1] = $0 })
  }
}

private final class MemoryTokens: Sendable {
  private let tokens = Mutex<[String: String]>([:])

  subscript(server: String) -> String? {
    get { tokens.withLock { $0[server] } }
    set { tokens.withLock { $0[server] = newValue } }
  }
}
