internal import CSodium
internal import Foundation

/// Encrypts a file with libsodium's secretstream (XChaCha20-Poly1305). Without the passphrase the file cannot be read, and
/// changes, truncation and reordering are detected.
///
/// Not thread-safe.
final class EncryptedWriter {
  /// Bytes of a message, except the last one. Part of the format.
  static let chunk = 64 << 10

  private let file: Int32
  private let path: String
  private var state = crypto_secretstream_xchacha20poly1305_state()
  private var waiting: [UInt8] = []
  /// The error of ``accepts(_:)``.
  private(set) var failure: EncryptionError?

  /// Writes the header.
  /// - Parameters:
  ///   - file: the descriptor of an empty file. It is not closed.
  ///   - path: the path of the file, for errors.
  ///   - passphrase: the passphrase from which the key is derived.
  ///   - cost: the cost of deriving the key.
  init(to file: Int32, path: String, passphrase: Passphrase, cost: KeyCost) throws(EncryptionError) {
    self.file = file
    self.path = path
    let salt = EncryptedHeader.newSalt()
    var key = try EncryptedHeader.key(passphrase, cost, salt, path: path)
    var stream = [UInt8](repeating: 0, count: EncryptedHeader.streamLength)
    crypto_secretstream_xchacha20poly1305_init_push(&state, &stream, key)
    sodium_memzero(&key, key.count)
    let header = EncryptedHeader(cost: cost, salt: salt, stream: stream).bytes
    try put(header)
    // An empty message authenticates the header. A reader checks it first.
    try push([], header: header)
  }

  deinit { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }

  /// Encrypts bytes. They are buffered until a message is full.
  func write(_ bytes: UnsafeRawBufferPointer) throws(EncryptionError) {
    waiting += bytes
    var start = 0
    // At least one byte remains for the last message.
    while waiting.count - start > Self.chunk {
      try push(Array(waiting[start..<(start + Self.chunk)]))
      start += Self.chunk
    }
    waiting.removeFirst(start)
  }

  /// Encrypts bytes from C code, which cannot receive an error.
  ///
  /// - Returns: whether it succeeded; ``failure`` has the reason.
  func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    do throws(EncryptionError) {
      try write(bytes)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Writes the last message, without which a file is truncated.
  func finish() throws(EncryptionError) {
    try push(waiting, isLast: true)
    waiting = []
  }

  private func push(_ message: [UInt8], header: [UInt8] = [], isLast: Bool = false) throws(EncryptionError) {
    var sealed = [UInt8](repeating: 0, count: message.count + crypto_secretstream_xchacha20poly1305_abytes())
    let tag = isLast ? crypto_secretstream_xchacha20poly1305_tag_final() : crypto_secretstream_xchacha20poly1305_tag_message()
    crypto_secretstream_xchacha20poly1305_push(
      &state, &sealed, nil, message, UInt64(message.count), header, UInt64(header.count), tag)
    try put(sealed)
  }

  private func put(_ bytes: [UInt8]) throws(EncryptionError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress.map { $0 + written }, $0.count - written) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw EncryptionError(path, .system("it cannot be written: \(String(cString: strerror(errno)))")) }
      written += count
    }
  }
}
