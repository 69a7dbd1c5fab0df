internal import Foundation
internal import GodwitAccounts
internal import GodwitDigests

/// Proof key for code exchange (RFC 7636): the code is valid only with the secret of the browser that requested it.
enum PKCE {
  /// Returns the challenge of a verifier with the method S256.
  static func challenge(of verifier: String) -> String { Base64URL.encode(SHA256Digest.of(Array(verifier.utf8))) }
}

/// Values of `application/x-www-form-urlencoded`.
enum Form {
  /// Percent-encodes all but RFC 3986's unreserved characters.
  static func encoded(_ text: String) -> String {
    let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
  }

  static func encoded(_ parameters: [(String, String)]) -> String {
    parameters.map { "\($0)=\(encoded($1))" }.joined(separator: "&")
  }
}
