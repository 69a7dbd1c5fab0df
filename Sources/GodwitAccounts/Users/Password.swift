internal import CSodium

/// Hashes and verifies passwords with Argon2id (RFC 9106): 64 MiB of memory and some tens of milliseconds for each attempt.
package enum Password {
  /// Permitted number of characters.
  package static let lengths = 8...512

  /// Returns the reason why a new password is rejected; `nil`: it is accepted.
  /// - Parameters:
  ///   - password: the entered password.
  ///   - user: the name of the user.
  package static func fault(_ password: String, user: String) -> String? {
    guard lengths.contains(password.count) else {
      return "A password has \(lengths.lowerBound) to \(lengths.upperBound) characters; this one has \(password.count)."
    }
    return WeakPassword.fault(password, user: user).map { "This password is easy to guess: \($0) Choose another one." }
  }

  /// Returns the stored form of a password: parameters, salt and hash in one text.
  /// - Throws: ``PasswordError`` if memory cannot be allocated.
  package static func hash(_ password: String) throws -> String {
    var text = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    let made = crypto_pwhash_str(
      &text, bytes, UInt64(bytes.count), UInt64(crypto_pwhash_opslimit_interactive()), crypto_pwhash_memlimit_interactive())
    guard made == 0 else { throw PasswordError() }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether a password matches a stored hash.
  package static func isRight(_ password: String, kept: String) -> Bool {
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    return crypto_pwhash_str_verify(kept, bytes, UInt64(bytes.count)) == 0
  }

  /// The hash with which a password for an unknown name is compared: the comparison takes as long as any other, and always
  /// fails. It is the hash of 32 random bytes that are not stored.
  package static let nobodys: String = {
    var random = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&random, random.count)
    // If memory cannot be allocated, the text is not a valid hash, so that every comparison fails.
    return (try? hash(String(decoding: random.map { $0 & 63 + 48 }, as: UTF8.self))) ?? ""
  }()
}

package struct PasswordError: Error, CustomStringConvertible {
  package var description: String { "There is not enough memory to hash a password: 64 MiB are needed. Try again in a moment." }
}
