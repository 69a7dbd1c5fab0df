internal import CArchive
internal import Foundation
internal import GodwitDigests
internal import GodwitText

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An archive of files could not be written or read.
package struct TarError: Error, CustomStringConvertible {
  package let path: String
  package let reason: String
  package var description: String { "\(path): \(reason)" }
}

/// Writes a tar archive packed with Zstandard. It gets its name when it is complete: a file of that name is never half of one,
/// and a program that is killed before leaves no file where the file system has files without names (`O_TMPFILE`).
///
/// To be used by one thread.
package final class TarWriter {
  private let archive: OpaquePointer
  private let path: String
  private let part: String
  private let time: Int
  private var file: Int32
  /// Whether there is a file `part`.
  private var hasPart = false
  /// Encrypts the archive; `nil`: it is not encrypted.
  private var encrypted: EncryptedWriter?
  /// The files so far, by the names and SHA-256 sums of `sha256sum`.
  private(set) var sums = ""

  /// - Parameters:
  ///   - path: of the archive.
  ///   - time: of all files in it, seconds since 1970.
  ///   - passphrase: of an encrypted archive; `nil`: it is not encrypted.
  ///   - cost: what a guess of the passphrase costs.
  ///   - usesUnnamedFile: whether a file without a name is tried first.
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
      // Secrets are in it. What a killed program left under this name goes first: another one may be writing to it.
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
      // As with a file, the last block is not filled up.
      archive_write_set_bytes_in_last_block(archive, 1)
      guard
        archive_write_open(
          archive, Unmanaged.passUnretained(encrypted).toOpaque(), nil, { TarWriter.encrypt($0, $1, $2, $3) }, nil) == ARCHIVE_OK
      else { throw fault() }
    } else {
      guard archive_write_open_fd(archive, file) == ARCHIVE_OK else { throw fault() }
    }
  }

  /// Takes what the library has packed. The writer lives as long as this value, and so longer than the library's archive.
  private static func encrypt(
    _: OpaquePointer?, _ writer: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    guard let writer else { return -1 }
    let encrypted = Unmanaged<EncryptedWriter>.fromOpaque(writer).takeUnretainedValue()
    return encrypted.accepts(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
  }

  /// Opens a file in the folder of another one that has no name yet; -1 where the system has none.
  private static func unnamedFile(beside path: String) -> Int32 {
    #if os(Linux)
      // __O_TMPFILE of asm-generic/fcntl.h, the same on x86-64, arm64 and RISC-V.
      let unnamed: Int32 = 0o20000000 | O_DIRECTORY
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      let file = open(folder, unnamed | O_WRONLY | O_CLOEXEC, 0o600)
      // It gets its name by way of /proc.
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

  /// Appends a file. - Parameter isSummed: whether it is among ``sums``.
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

  /// Ends it, and gives it its name when it is on the disk.
  /// - Parameter check: called with the path of the complete file before it replaces another one; an error leaves that one in place.
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

  /// Gives a file without a name the one of the part. - Returns: whether it has it.
  private func isNamed() -> Bool {
    if hasPart { return true }
    #if os(Linux)
      // No link replaces a file; the name of the archive itself is replaced by `rename`, at once.
      unlink(part)
      hasPart = linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, part, AT_SYMLINK_FOLLOW) == 0
    #endif
    return hasPart
  }
}

/// Reads the files of a tar archive, one after the other, whatever it is packed with.
package final class TarReader {
  private let archive: OpaquePointer
  private let path: String
  /// Decrypts the archive; `nil`: it is not encrypted.
  private var encrypted: EncryptedReader?

  /// - Parameters:
  ///   - path: of the archive.
  ///   - passphrase: of an encrypted archive; `nil`: it must not be encrypted.
  /// - Throws: ``TarError``, or ``EncryptionError`` where the passphrase is wrong.
  package init(_ path: String, passphrase: Passphrase? = nil) throws {
    guard let archive = archive_read_new() else { throw TarError(path: path, reason: "out of memory.") }
    self.archive = archive
    self.path = path
    ArchiveFilters.support(in: archive)
    archive_read_support_format_tar(archive)
    guard FileManager.default.fileExists(atPath: path) else { throw TarError(path: path, reason: "there is no such file.") }
    guard EncryptedArchive.isEncrypted(path) == (passphrase != nil) else {
      // A passphrase is not ignored: the archive may have been replaced by another one.
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

  /// Gives the library what it reads next. The reader lives as long as this value, and so longer than the library's archive.
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

  /// The next file. Folders are skipped.
  /// - Parameter maximum: bytes that it may have.
  /// - Returns: its name, without `./` before it, and contents; `nil` at the end.
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
      // The library stops at the end of the archive, which need not be the end of the file.
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

/// SHA-256, as `sha256sum` writes it.
package enum SHA256Sum {
  package static func text(of bytes: [UInt8]) -> String {
    Hexadecimal.text(SHA256Digest.of(bytes))
  }
}
