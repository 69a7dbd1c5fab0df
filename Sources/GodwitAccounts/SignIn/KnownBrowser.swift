internal import CSodium
internal import Foundation
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// A browser in which a user has signed in before. Its cookie exempts it from limits that unauthenticated clients can
/// exhaust (OWASP's device cookie). The key is derived from the stored hash of the password, so that a new password
/// invalidates all cookies.
package struct KnownBrowser: Sendable, Hashable {
  /// The identifier among the user's browsers.
  package let id: String

  /// Returns the name of the cookie for a user. A browser that several users share has several cookies.
  package static func cookie(of user: Int64) -> String { "godwit_browser_\(user)" }

  /// Lifetime of the cookie in days.
  package static let days = 365.0

  /// A new browser with a random identifier.
  package init() { id = String(AccessToken().secret.dropFirst(3)) }

  /// - Parameters:
  ///   - value: the value of the cookie.
  ///   - user: the number of the user in the cookie's name.
  ///   - kept: the stored hash of the user's password.
  /// - Returns: `nil` if the cookie was not created by the server for this user and password.
  package init?(_ value: String, of user: Int64, kept: String) {
    let parts = value.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 32 else { return nil }
    id = String(parts[0])
    let right = Self.proof(id, user, kept)
    guard AccessToken.isSame(Array(parts[1].utf8), Array(right.utf8)) else { return nil }
  }

  /// Returns the value of the cookie.
  package func value(of user: Int64, kept: String) -> String { "\(id).\(Self.proof(id, user, kept))" }

  private static func proof(_ id: String, _ user: Int64, _ kept: String) -> String {
    let key = AccessToken(kept).hash
    let message = Array("known browser \(user) \(id)".utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&digest, digest.count, message, UInt64(message.count), key, key.count)
    return Hexadecimal.text(digest)
  }
}
