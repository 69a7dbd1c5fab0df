internal import CSodium

/// Passwords, kept as Argon2id (RFC 9106) makes them: 64 MiB of memory and some tens of milliseconds for each guess.
package enum Password {
  /// Characters that a password may have. Long ones are welcome; a megabyte is no password.
  package static let lengths = 8...512

  /// Why a new password is refused; `nil` when it is accepted.
  /// - Parameters:
  ///   - password: as it was entered.
  ///   - user: the name of the user who is to have it.
  package static func fault(_ password: String, user: String) -> String? {
    guard lengths.contains(password.count) else {
      return "A password has \(lengths.lowerBound) to \(lengths.upperBound) characters; this one has \(password.count)."
    }
    return WeakPassword.fault(password, user: user).map { "This password is easy to guess: \($0) Choose another one." }
  }

  /// What is kept of a password: parameters, salt and hash in one text.
  /// - Throws: ``PasswordError`` where out of memory.
  package static func kept(_ password: String) throws -> String {
    var text = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    let made = crypto_pwhash_str(
      &text, bytes, UInt64(bytes.count), UInt64(crypto_pwhash_opslimit_interactive()), crypto_pwhash_memlimit_interactive())
    guard made == 0 else { throw PasswordError() }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether this is the password that was kept.
  package static func isRight(_ password: String, kept: String) -> Bool {
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    return crypto_pwhash_str_verify(kept, bytes, UInt64(bytes.count)) == 0
  }

  /// What a password is compared with for an unknown name: takes as long as any other, and none is right. The hash of 32
  /// random bytes that were not kept, with the parameters above.
  package static let nobodys: String = {
    var random = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&random, random.count)
    // Where there is no memory now, the text is none of libsodium's: whatever is compared with it is wrong.
    return (try? kept(String(decoding: random.map { $0 & 63 + 48 }, as: UTF8.self))) ?? ""
  }()
}

package struct PasswordError: Error, CustomStringConvertible {
  package var description: String { "There is not enough memory to hash a password: 64 MiB are needed. Try again in a moment." }
}
