internal import CArchive
internal import Foundation
internal import GodwitDigests
internal import GodwitText

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The error if an archive cannot be written or read.
package struct TarError: Error, CustomStringConvertible {
  package let path: String
  package let reason: String
  package var description: String { "\(path): \(reason)" }
}

/// Writes a tar archive that is compressed with Zstandard. The file gets its name when it is complete, so that a file with
/// that name is never partial. If the file system supports unnamed files (`O_TMPFILE`), a program that is killed earlier
/// leaves no file.
///
/// Not thread-safe.
package final class TarWriter {
  private let archive: OpaquePointer
  private let path: String
  private let part: String
  private let time: Int
  private var file: Int32
  /// Whether the file `part` exists.
  private var hasPart = false
  /// Encrypts the archive; `nil`: it is not encrypted.
  private var encrypted: EncryptedWriter?
  /// The names and SHA-256 sums of the files so far, in the format of `sha256sum`.
  private(set) var sums = ""

  /// - Parameters:
  ///   - path: the path of the archive.
  ///   - time: the modification time of all files in the archive, seconds since 1970.
  ///   - passphrase: encrypts the archive; `nil`: it is not encrypted.
  ///   - cost: the cost of deriving the key from the passphrase.
  ///   - usesUnnamedFile: whether an unnamed file is tried first.
  package init(
    _ path: String, time: Int, passphrase: Passphrase? = nil, cost: KeyCost = .standard, usesUnnamedFile: Bool = true
  ) throws {
    guard let archive = archive_write_new() else { throw TarError(path: path, reason: "out of memory.") }
    self.archive = archive
    self.path = path
    self.time = time
    part = path + ".part"
    file = usesUnnamedFile ? Self.unnamedFile(beside: path) : -1
    if file < 0 {
      // The archive contains secrets. A file that a killed program left is removed first, so that this program is the only
      // one that writes to the new file.
      unlink(part)
      file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      hasPart = file >= 0
    }
    guard file >= 0 else { throw TarError(path: path, reason: "it cannot be written; check owner and mode of the folder.") }
    archive_write_set_format_pax_restricted(archive)
    guard archive_write_add_filter_zstd(archive) == ARCHIVE_OK else { throw fault() }
    if let passphrase {
      let encrypted = try EncryptedWriter(to: file, path: path, passphrase: passphrase, cost: cost)
      self.encrypted = encrypted
      // The last block is not padded, as with a file.
      archive_write_set_bytes_in_last_block(archive, 1)
      guard
        archive_write_open(
          archive, Unmanaged.passUnretained(encrypted).toOpaque(), nil, { TarWriter.encrypt($0, $1, $2, $3) }, nil) == ARCHIVE_OK
      else { throw fault() }
    } else {
      guard archive_write_open_fd(archive, file) == ARCHIVE_OK else { throw fault() }
    }
  }

  /// Receives compressed bytes from libarchive. The writer lives as long as this object, and therefore longer than the
  /// library's archive.
  private static func encrypt(
    _: OpaquePointer?, _ writer: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    guard let writer else { return -1 }
    let encrypted = Unmanaged<EncryptedWriter>.fromOpaque(writer).takeUnretainedValue()
    return encrypted.accepts(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
  }

  /// Opens an unnamed file in the folder of a path; -1 if the system does not support it.
  private static func unnamedFile(beside path: String) -> Int32 {
    #if os(Linux)
      // __O_TMPFILE of asm-generic/fcntl.h, the same on x86-64, arm64 and RISC-V.
      let unnamed: Int32 = 0o20000000 | O_DIRECTORY
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      let file = open(folder, unnamed | O_WRONLY | O_CLOEXEC, 0o600)
      // The file gets its name through /proc.
      guard file >= 0, access("/proc/self/fd/\(file)", F_OK) != 0 else { return file }
      close(file)
    #endif
    return -1
  }

  deinit {
    archive_write_free(archive)
    if file >= 0 { close(file) }
    if hasPart { unlink(part) }
  }

  private func fault() -> any Error {
    encrypted?.failure
      ?? TarError(
        path: path,
        reason: "it cannot be written: \(archive_error_string(archive).map { String(cString: $0) } ?? "no reason is given").")
  }

  /// Appends a file.
  ///
  /// - Parameter isSummed: whether it is added to ``sums``.
  package func add(_ name: String, _ bytes: [UInt8], isSummed: Bool = true) throws {
    guard let entry = archive_entry_new() else { throw TarError(path: path, reason: "out of memory.") }
    defer { archive_entry_free(entry) }
    archive_entry_set_pathname(entry, name)
    archive_entry_set_size(entry, Int64(bytes.count))
    // AE_IFREG, a file.
    archive_entry_set_filetype(entry, 0o100000)
    archive_entry_set_perm(entry, 0o600)
    archive_entry_set_mtime(entry, time, 0)
    guard archive_write_header(archive, entry) == ARCHIVE_OK else { throw fault() }
    let written = bytes.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw fault() }
    if isSummed { sums += "\(SHA256Sum.text(of: bytes))  \(name)\n" }
  }

  /// Completes the archive, and renames it after it was synced to the disk.
  /// - Parameter check: called with the path of the complete file before it replaces an existing one. If it throws, the
  ///   existing file stays.
  package func finish(check: (String) throws -> Void = { _ in }) throws {
    guard archive_write_close(archive) == ARCHIVE_OK else { throw fault() }
    try encrypted?.finish()
    guard fsync(file) == 0, isNamed() else {
      throw TarError(path: path, reason: "it cannot be written: \(String(cString: strerror(errno))).")
    }
    try check(part)
    guard rename(part, path) == 0 else {
      throw TarError(path: path, reason: "it cannot be written: \(String(cString: strerror(errno))).")
    }
    hasPart = false
  }

  /// Links an unnamed file to the path `part`.
  ///
  /// - Returns: whether the file has that path.
  private func isNamed() -> Bool {
    if hasPart { return true }
    #if os(Linux)
      // A link cannot replace a file. The archive's own path is replaced by `rename` atomically.
      unlink(part)
      hasPart = linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, part, AT_SYMLINK_FOLLOW) == 0
    #endif
    return hasPart
  }
}

/// Reads the files of a tar archive in their order, with any supported compression.
package final class TarReader {
  private let archive: OpaquePointer
  private let path: String
  /// Decrypts the archive; `nil`: it is not encrypted.
  private var encrypted: EncryptedReader?

  /// - Parameters:
  ///   - path: the path of the archive.
  ///   - passphrase: the passphrase of an encrypted archive; `nil`: the archive must not be encrypted.
  /// - Throws: ``TarError``, or ``EncryptionError`` if the passphrase is wrong.
  package init(_ path: String, passphrase: Passphrase? = nil) throws {
    guard let archive = archive_read_new() else { throw TarError(path: path, reason: "out of memory.") }
    self.archive = archive
    self.path = path
    ArchiveFilters.support(in: archive)
    archive_read_support_format_tar(archive)
    guard FileManager.default.fileExists(atPath: path) else { throw TarError(path: path, reason: "there is no such file.") }
    guard EncryptedArchive.isEncrypted(path) == (passphrase != nil) else {
      // A passphrase must not be ignored, because the archive may have been replaced by another one.
      throw TarError(
        path: path,
        reason: passphrase == nil
          ? "it is encrypted, and needs its passphrase." : "it is not encrypted, though a passphrase was given.")
    }
    if let passphrase {
      let encrypted = try EncryptedReader(path, passphrase: passphrase)
      self.encrypted = encrypted
      guard
        archive_read_open(archive, Unmanaged.passUnretained(encrypted).toOpaque(), nil, { TarReader.decrypt($0, $1, $2) }, nil)
          == ARCHIVE_OK
      else { throw fault() }
    } else {
      guard archive_read_open_filename(archive, path, 256 << 10) == ARCHIVE_OK else { throw fault() }
    }
  }

  deinit { archive_read_free(archive) }

  /// Returns the next bytes to libarchive. The reader lives as long as this object, and therefore longer than the library's
  /// archive.
  private static func decrypt(
    _: OpaquePointer?, _ reader: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?
  ) -> Int {
    guard let reader else { return -1 }
    let encrypted = Unmanaged<EncryptedReader>.fromOpaque(reader).takeUnretainedValue()
    guard let message = encrypted.nextOrFailure() else { return -1 }
    bytes?.pointee = message.baseAddress
    return message.count
  }

  private func fault() -> any Error {
    if let failure = encrypted?.failure { return failure }
    let why = archive_error_string(archive).map { String(cString: $0) } ?? "no reason is given"
    return TarError(path: path, reason: "it is not a backup, or it is damaged: \(why). Use another copy.")
  }

  /// Returns the next file. Folders are skipped.
  /// - Parameter maximum: the maximum bytes of the file.
  /// - Returns: its name without a leading `./`, and its content; `nil` at the end.
  package func next(maximum: Int = 256 << 20) throws -> (name: String, bytes: [UInt8])? {
    while let file = try nextEntry(maximum: maximum) {
      if !file.name.hasSuffix("/") { return file }
    }
    return nil
  }

  private func nextEntry(maximum: Int) throws -> (name: String, bytes: [UInt8])? {
    var entry: OpaquePointer?
    switch archive_read_next_header(archive, &entry) {
    case ARCHIVE_OK, ARCHIVE_WARN: break
    case ARCHIVE_EOF:
      // libarchive stops at the end of the archive, which may not be the end of the file.
      try encrypted?.drain()
      return nil
    default: throw fault()
    }
    guard let entry, let name = archive_entry_pathname(entry) else { throw fault() }
    let size = archive_entry_size(entry)
    guard size >= 0, size <= maximum else { throw TarError(path: path, reason: "it is not a backup: a file in it is too large.") }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    var filled = 0
    while filled < bytes.count {
      let read = bytes.withUnsafeMutableBytes {
        archive_read_data(archive, $0.baseAddress.map { $0 + filled }, $0.count - filled)
      }
      guard read > 0 else { throw fault() }
      filled += read
    }
    let path = String(cString: name)
    return (path.hasPrefix("./") && path.count > 2 ? String(path.dropFirst(2)) : path, bytes)
  }
}

/// SHA-256 in the format of `sha256sum`.
package enum SHA256Sum {
  package static func text(of bytes: [UInt8]) -> String {
    Hexadecimal.text(SHA256Digest.of(bytes))
  }
}
