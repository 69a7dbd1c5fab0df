internal import CArchive
internal import CSodium
internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An archive of files could not be written or read.
struct TarError: Error, CustomStringConvertible {
  let path: String
  let reason: String
  var description: String { "\(path): \(reason)" }
}

/// Writes a tar archive packed with Zstandard. It gets its name when it is complete: a file of that name is never half of one.
///
/// To be used by one thread.
final class TarWriter {
  private let archive: OpaquePointer
  private let path: String
  private let part: String
  private let time: Int
  private var isOpen = true
  /// The files so far, by the names and SHA-256 sums of `sha256sum`.
  private(set) var sums = ""

  /// - Parameters:
  ///   - path: of the archive.
  ///   - time: of all files in it, seconds since 1970.
  init(_ path: String, time: Int) throws {
    guard let archive = archive_write_new() else { throw TarError(path: path, reason: "there is no memory for it.") }
    self.archive = archive
    self.path = path
    self.time = time
    part = path + ".part"
    // Secrets are in it.
    guard FileManager.default.createFile(atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      archive_write_free(archive)
      throw TarError(path: path, reason: "it cannot be written; check the folder, and whose it is.")
    }
    archive_write_set_format_pax_restricted(archive)
    guard archive_write_add_filter_zstd(archive) == ARCHIVE_OK, archive_write_open_filename(archive, part) == ARCHIVE_OK else {
      throw fault()
    }
  }

  deinit {
    archive_write_free(archive)
    if isOpen { unlink(part) }
  }

  private func fault() -> TarError {
    TarError(
      path: path,
      reason: "it cannot be written: \(archive_error_string(archive).map { String(cString: $0) } ?? "no reason is given").")
  }

  /// Appends a file. - Parameter isSummed: whether it is among ``sums``.
  func add(_ name: String, _ bytes: [UInt8], isSummed: Bool = true) throws {
    guard let entry = archive_entry_new() else { throw TarError(path: path, reason: "there is no memory for it.") }
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
  func finish() throws {
    guard archive_write_close(archive) == ARCHIVE_OK else { throw fault() }
    let file = open(part, O_RDONLY)
    let isSafe = file >= 0 && fsync(file) == 0
    if file >= 0 { close(file) }
    guard isSafe, rename(part, path) == 0 else {
      throw TarError(path: path, reason: "it cannot be written: \(String(cString: strerror(errno))).")
    }
    isOpen = false
  }
}

/// Reads the files of a tar archive, one after the other, whatever it is packed with.
final class TarReader {
  private let archive: OpaquePointer
  private let path: String

  init(_ path: String) throws {
    guard let archive = archive_read_new() else { throw TarError(path: path, reason: "there is no memory for it.") }
    self.archive = archive
    self.path = path
    archive_read_support_filter_all(archive)
    archive_read_support_format_tar(archive)
    guard FileManager.default.fileExists(atPath: path) else { throw TarError(path: path, reason: "there is no such file.") }
    guard archive_read_open_filename(archive, path, 256 << 10) == ARCHIVE_OK else { throw fault() }
  }

  deinit { archive_read_free(archive) }

  private func fault() -> TarError {
    let why = archive_error_string(archive).map { String(cString: $0) } ?? "no reason is given"
    return TarError(path: path, reason: "it is no backup, or it is damaged: \(why). Take another copy of it.")
  }

  /// The next file.
  /// - Parameter most: bytes that it may have.
  /// - Returns: its name and contents; `nil` at the end.
  func next(most: Int = 256 << 20) throws -> (name: String, bytes: [UInt8])? {
    var entry: OpaquePointer?
    switch archive_read_next_header(archive, &entry) {
    case ARCHIVE_OK, ARCHIVE_WARN: break
    case ARCHIVE_EOF: return nil
    default: throw fault()
    }
    guard let entry, let name = archive_entry_pathname(entry) else { throw fault() }
    let size = archive_entry_size(entry)
    guard size >= 0, size <= most else { throw TarError(path: path, reason: "it is no backup: a file in it is too large.") }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    var filled = 0
    while filled < bytes.count {
      let read = bytes.withUnsafeMutableBytes {
        archive_read_data(archive, $0.baseAddress.map { $0 + filled }, $0.count - filled)
      }
      guard read > 0 else { throw fault() }
      filled += read
    }
    return (String(cString: name), bytes)
  }
}

/// SHA-256, as `sha256sum` writes it.
enum SHA256Sum {
  static func text(of bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
