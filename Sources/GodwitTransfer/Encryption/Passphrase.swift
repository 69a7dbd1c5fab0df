internal import CSodium

/// The secret from which the key of an encrypted archive is derived.
package struct Passphrase: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// Minimum characters of a new passphrase.
  package static let minimum = 8
  let text: String

  /// - Parameter text: the entered text. The key depends on each byte of its UTF-8.
  package init(_ text: String) { self.text = text }

  /// The reason why the passphrase is too short for a new archive; `nil`: it is long enough.
  package var fault: String? {
    text.count < Self.minimum ? "A passphrase has at least \(Self.minimum) characters; this one has \(text.count)." : nil
  }

  package var description: String { "<passphrase>" }
  package var debugDescription: String { description }
}

/// The cost of deriving a key from a passphrase: the parameters of Argon2id (RFC 9106), which are stored in the archive.
package struct KeyCost: Sendable, Hashable {
  /// Passes over the memory.
  package let passes: UInt32
  /// Bytes of memory.
  package let memory: UInt64

  /// libsodium's "moderate": three passes over 256 MiB, 0.7 s on a desktop computer of 2017.
  package static let standard = KeyCost(passes: 3, memory: 256 << 20)

  /// The permitted parameters of an archive. An archive that would exhaust the machine is rejected.
  package static let passesRange: ClosedRange<UInt32> = 1...16
  package static let memoryRange: ClosedRange<UInt64> = 8192...(1 << 30)

  package init(passes: UInt32, memory: UInt64) {
    self.passes = passes
    self.memory = memory
  }

  var isAllowed: Bool { Self.passesRange.contains(passes) && Self.memoryRange.contains(memory) }
}

/// The header of an encrypted archive. Documentation/Formats.md describes the file.
struct EncryptedHeader: Sendable {
  static let magic = Array("GodwitBE".utf8)
  static let version: UInt8 = 1
  static let length = 64
  private static let saltLength = 16
  static let streamLength = 24

  let cost: KeyCost
  let salt: [UInt8]
  /// The header of libsodium's secretstream.
  let stream: [UInt8]

  /// The bytes in the file; numbers are big-endian.
  var bytes: [UInt8] {
    Self.magic + [Self.version, 0, 0, 0] + Self.bytes(cost.passes) + Self.bytes(cost.memory) + salt + stream
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  static func newSalt() -> [UInt8] {
    var salt = [UInt8](repeating: 0, count: saltLength)
    randombytes_buf(&salt, salt.count)
    return salt
  }

  init(cost: KeyCost, salt: [UInt8], stream: [UInt8]) {
    self.cost = cost
    self.salt = salt
    self.stream = stream
  }

  /// - Throws: ``EncryptionError`` if the version is unknown, or the parameters are out of range.
  init(_ bytes: [UInt8], path: String) throws(EncryptionError) {
    guard bytes.count == Self.length, bytes.starts(with: Self.magic) else { throw EncryptionError(path, .truncated) }
    guard bytes[8] == Self.version, bytes[9..<12].allSatisfy({ $0 == 0 }) else { throw EncryptionError(path, .newer(bytes[8])) }
    cost = KeyCost(
      passes: bytes[12..<16].reduce(0) { $0 << 8 | UInt32($1) }, memory: bytes[16..<24].reduce(0) { $0 << 8 | UInt64($1) })
    guard cost.isAllowed else { throw EncryptionError(path, .cost) }
    salt = Array(bytes[24..<40])
    stream = Array(bytes[40..<64])
  }

  /// Derives the key from a passphrase: 32 bytes.
  /// - Throws: ``EncryptionError`` if memory cannot be allocated.
  static func key(_ passphrase: Passphrase, _ cost: KeyCost, _ salt: [UInt8], path: String) throws(EncryptionError) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: 32)
    let bytes = Array(passphrase.text.utf8).map { CChar(bitPattern: $0) }
    let made = crypto_pwhash(
      &key, UInt64(key.count), bytes, UInt64(bytes.count), salt, UInt64(cost.passes), Int(cost.memory),
      crypto_pwhash_alg_argon2id13())
    guard made == 0 else { throw EncryptionError(path, .memory(cost.memory)) }
    return key
  }
}

/// The reason why an encrypted archive cannot be written or read.
package struct EncryptionError: Error, Sendable, CustomStringConvertible {
  enum Reason: Sendable, Hashable {
    case wrongPassphrase, damaged, truncated, trailing, cost
    case newer(UInt8)
    case memory(UInt64)
    case system(String)
  }

  let path: String
  let reason: Reason

  init(_ path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  package var description: String {
    let sentence =
      switch reason {
      case .wrongPassphrase: "the passphrase is wrong, or the beginning of the file was changed."
      case .damaged: "the file is damaged or was changed. Use another copy."
      case .truncated: "the file is truncated, or its end was changed. Use another copy."
      case .trailing: "something was appended to the file. Use another copy."
      case .cost: "its header asks for more time or memory than an archive may; it is damaged or was not written by godwit."
      case .newer(let version): "it has version \(version) of the encryption, which this godwit does not read. Update godwit."
      case .memory(let bytes): "its key needs \(bytes >> 20) MiB of memory, which are not available."
      case .system(let text): "\(text)."
      }
    return "\(path): \(sentence)"
  }
}
