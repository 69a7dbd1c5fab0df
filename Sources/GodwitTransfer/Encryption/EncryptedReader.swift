internal import CSodium
internal import Foundation

/// Detects encrypted archives.
package enum EncryptedArchive {
  /// Whether a file starts with the signature of an encrypted archive; `false` also if it cannot be read.
  package static func isEncrypted(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: EncryptedHeader.magic.count)).map { Array($0) } == EncryptedHeader.magic
  }
}

/// Decrypts a file that ``EncryptedWriter`` wrote, message by message. Only authenticated bytes are returned.
///
/// Not thread-safe.
final class EncryptedReader {
  private let file: FileHandle
  private let path: String
  private var state = crypto_secretstream_xchacha20poly1305_state()
  private var isEnded = false
  /// The error of ``nextOrFailure()``.
  private(set) var failure: EncryptionError?
  /// The message that ``next()`` returned last. C code may still read it.
  private let message = UnsafeMutableRawBufferPointer.allocate(byteCount: EncryptedWriter.chunk, alignment: 16)

  /// Reads the header, and checks the passphrase.
  /// - Throws: ``EncryptionError``.
  init(_ path: String, passphrase: Passphrase) throws(EncryptionError) {
    self.path = path
    guard let file = FileHandle(forReadingAtPath: path) else { throw EncryptionError(path, .system("the file cannot be read")) }
    self.file = file
    let bytes = try Self.read(EncryptedHeader.length, file, path)
    let header = try EncryptedHeader(bytes, path: path)
    var key = try EncryptedHeader.key(passphrase, header.cost, header.salt, path: path)
    let begun = crypto_secretstream_xchacha20poly1305_init_pull(&state, header.stream, key)
    sodium_memzero(&key, key.count)
    guard begun == 0 else { throw EncryptionError(path, .damaged) }
    let first = try Self.read(crypto_secretstream_xchacha20poly1305_abytes(), file, path)
    guard try pull(first, header: bytes) == 0, !isEnded else { throw EncryptionError(path, .wrongPassphrase) }
  }

  deinit {
    sodium_memzero(&state, MemoryLayout.size(ofValue: state))
    try? file.close()
    message.deallocate()
  }

  /// Returns the next message, which is valid until the next call; empty at the end of the file.
  /// - Throws: ``EncryptionError`` if the message was changed, or the end is missing.
  func next() throws(EncryptionError) -> UnsafeRawBufferPointer {
    guard !isEnded else { return UnsafeRawBufferPointer(rebasing: message[..<0]) }
    let overhead = crypto_secretstream_xchacha20poly1305_abytes()
    let sealed = try Self.bytes(EncryptedWriter.chunk + overhead, file, path)
    guard sealed.count >= overhead else { throw EncryptionError(path, .truncated) }
    guard let count = try pull(sealed) else {
      // A complete message that fails was changed; an incomplete one was truncated.
      throw EncryptionError(path, sealed.count == EncryptedWriter.chunk + overhead ? .damaged : .truncated)
    }
    if isEnded {
      guard try Self.bytes(1, file, path).isEmpty else { throw EncryptionError(path, .trailing) }
    } else if count < EncryptedWriter.chunk {
      throw EncryptionError(path, .truncated)
    }
    return UnsafeRawBufferPointer(rebasing: message[..<count])
  }

  /// Returns the next message to C code, which cannot receive an error; `nil`: ``failure`` has the reason.
  func nextOrFailure() -> UnsafeRawBufferPointer? {
    do throws(EncryptionError) { return try next() } catch {
      failure = error
      return nil
    }
  }

  /// Reads to the end, so that the whole file is authenticated.
  func drain() throws(EncryptionError) {
    while !isEnded { _ = try next() }
  }

  /// Decrypts a message into ``message``.
  ///
  /// - Returns: the number of bytes; `nil`: the message was changed.
  private func pull(_ sealed: [UInt8], header: [UInt8] = []) throws(EncryptionError) -> Int? {
    var (count, tag): (UInt64, UInt8) = (0, 0)
    let opened = crypto_secretstream_xchacha20poly1305_pull(
      &state, message.baseAddress?.assumingMemoryBound(to: UInt8.self), &count, &tag, sealed, UInt64(sealed.count), header,
      UInt64(header.count))
    guard opened == 0 else { return nil }
    isEnded = tag == crypto_secretstream_xchacha20poly1305_tag_final()
    return Int(count)
  }

  /// Reads a number of bytes, or fewer at the end of the file.
  private static func bytes(_ count: Int, _ file: FileHandle, _ path: String) throws(EncryptionError) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      while bytes.count < count, let more = try file.read(upToCount: count - bytes.count), !more.isEmpty { bytes += more }
    } catch { throw EncryptionError(path, .system("the file cannot be read: \(error)")) }
    return bytes
  }

  private static func read(_ count: Int, _ file: FileHandle, _ path: String) throws(EncryptionError) -> [UInt8] {
    let found = try bytes(count, file, path)
    guard found.count == count else { throw EncryptionError(path, .truncated) }
    return found
  }
}
