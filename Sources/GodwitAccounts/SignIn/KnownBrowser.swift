internal import CSodium
internal import Foundation
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// A browser in which a user has signed in before: its cookie exempts it from limits that unauthenticated clients can exhaust (OWASP's
/// device cookie). The key is made of the stored hash of the password, so that a new password makes all of them unknown.
package struct KnownBrowser: Sendable, Hashable {
  /// Identifies it among the user's browsers.
  package let id: String

  /// The cookie of a user's browser. A family's browser has several.
  package static func cookie(of user: Int64) -> String { "godwit_browser_\(user)" }

  /// Days for which a browser keeps it.
  package static let days = 365.0

  /// A browser that is new.
  package init() { id = String(AccessToken().secret.dropFirst(3)) }

  /// - Parameters:
  ///   - value: of the cookie.
  ///   - user: the user that the cookie names.
  ///   - kept: the stored hash of the user's password.
  /// - Returns: `nil` where the server did not make it for this user and password.
  package init?(_ value: String, of user: Int64, kept: String) {
    let parts = value.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 32 else { return nil }
    id = String(parts[0])
    let right = Self.proof(id, user, kept)
    guard AccessToken.isSame(Array(parts[1].utf8), Array(right.utf8)) else { return nil }
  }

  /// The value of its cookie.
  package func value(of user: Int64, kept: String) -> String { "\(id).\(Self.proof(id, user, kept))" }

  private static func proof(_ id: String, _ user: Int64, _ kept: String) -> String {
    let key = AccessToken(kept).hash
    let message = Array("known browser \(user) \(id)".utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&digest, digest.count, message, UInt64(message.count), key, key.count)
    return Hexadecimal.text(digest)
  }
}
