internal import CSodium
internal import Foundation

/// The key of encrypted OwnTracks messages. The encryption is libsodium's secretbox (XSalsa20 and Poly1305), with the nonce before
/// the box.
package struct OwnTracksKey: Sendable, Hashable {
  private let bytes: [UInt8]

  /// Number of bytes of a key.
  package static let size = 32
  private static let nonceSize = 24
  private static let tagSize = 16

  /// - Parameter passPhrase: its UTF-8 bytes are the key, truncated or zero-padded to 32 bytes, as in the apps.
  package init(passPhrase: String) {
    var bytes = Array(passPhrase.utf8.prefix(Self.size))
    bytes += [UInt8](repeating: 0, count: Self.size - bytes.count)
    self.bytes = bytes
  }

  /// Decrypts a nonce and a box; `nil` if the key is wrong or the box is damaged.
  package func open(_ box: [UInt8]) -> [UInt8]? {
    guard box.count >= Self.nonceSize + Self.tagSize else { return nil }
    let nonce = Array(box.prefix(Self.nonceSize))
    let sealed = Array(box.dropFirst(Self.nonceSize))
    var plain = [UInt8](repeating: 0, count: sealed.count - Self.tagSize)
    guard crypto_secretbox_open_easy(&plain, sealed, UInt64(sealed.count), nonce, bytes) == 0 else { return nil }
    return plain
  }

  /// Encrypts with a random nonce. - Returns: the nonce and the box.
  package func seal(_ plain: [UInt8]) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: Self.nonceSize)
    randombytes_buf(&nonce, nonce.count)
    var sealed = [UInt8](repeating: 0, count: plain.count + Self.tagSize)
    // The function always returns 0.
    crypto_secretbox_easy(&sealed, plain, UInt64(plain.count), nonce, bytes)
    return nonce + sealed
  }
}
