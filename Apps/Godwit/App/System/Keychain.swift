import Foundation
import GodwitApp
import Security

extension CredentialStore {
  /// Stores tokens as generic passwords that are readable after the first unlock and are never restored on another device.
  static func keychain(service: String) -> CredentialStore {
    let keychain = Keychain(service: service)
    return CredentialStore(
      token: { try keychain.token(of: $0) },
      setToken: { token, server in
        if let token { try keychain.store(token, of: server) } else { try keychain.remove(server) }
      })
  }
}

private struct Keychain: Sendable {
  var service: String

  /// An error that the keychain reports.
  struct Failure: Error, CustomStringConvertible {
    var status: OSStatus
    var description: String { SecCopyErrorMessageString(status, nil) as String? ?? "OSStatus \(status)" }
  }

  private func query(_ server: String) -> [String: Any] {
    [
      kSecClass as String: kSecClassGenericPassword as String, kSecAttrService as String: service,
      kSecAttrAccount as String: server,
    ]
  }

  func token(of server: String) throws -> String? {
    var query = query(server)
    query[kSecReturnData as String] = true
    query[kSecMatchLimit as String] = kSecMatchLimitOne as String
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    if status == errSecItemNotFound { return nil }
    guard status == errSecSuccess else { throw Failure(status: status) }
    return (item as? Data).flatMap { String(bytes: $0, encoding: .utf8) }
  }

  func store(_ token: String, of server: String) throws {
    let value: [String: Any] = [kSecValueData as String: Data(token.utf8)]
    var status = SecItemUpdate(query(server) as CFDictionary, value as CFDictionary)
    if status == errSecItemNotFound {
      let new = query(server).merging(value) { $1 }
        .merging([kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String]) { $1 }
      status = SecItemAdd(new as CFDictionary, nil)
    }
    guard status == errSecSuccess else { throw Failure(status: status) }
  }

  func remove(_ server: String) throws {
    let status = SecItemDelete(query(server) as CFDictionary)
    guard status == errSecSuccess || status == errSecItemNotFound else { throw Failure(status: status) }
  }
}
