internal import CArchive
internal import GodwitText

/// Creates a zip archive while it is sent: no file is written, and the memory does not depend on the size.
///
/// Not thread-safe.
final class ZipStream {
  /// The error if an archive cannot be created.
  struct Failure: Error, CustomStringConvertible {
    let reason: String
    var description: String { "The archive cannot be made: \(reason)" }
  }

  /// The compressed bytes that were not yet popped.
  private final class Output {
    var bytes: [UInt8] = []
  }

  private let archive: OpaquePointer
  private let output = Output()
  private let time: Int

  /// - Parameter time: the modification time of all files in the archive, seconds since 1970.
  init(time: Int) throws {
    guard let archive = archive_write_new() else { throw Failure(reason: "out of memory.") }
    self.archive = archive
    self.time = time
    archive_write_set_format_zip(archive)
    // Marks names as UTF-8 regardless of the locale. Otherwise readers interpret them as IBM code page 437.
    guard archive_write_set_options(archive, "zip:hdrcharset=UTF-8") == ARCHIVE_OK else { throw fault() }
    // Output is not buffered, and the last block is not padded.
    archive_write_set_bytes_per_block(archive, 0)
    archive_write_set_bytes_in_last_block(archive, 1)
    // The output lives as long as this object, and therefore longer than the library's archive.
    let opened = archive_write_open(
      archive, Unmanaged.passUnretained(output).toOpaque(), nil,
      { _, output, bytes, count in
        guard let output, let bytes else { return -1 }
        Unmanaged<Output>.fromOpaque(output).takeUnretainedValue().bytes += UnsafeRawBufferPointer(start: bytes, count: count)
        return count
      }, nil)
    guard opened == ARCHIVE_OK else { throw fault() }
  }

  deinit { archive_write_free(archive) }

  private func fault() -> Failure {
    Failure(reason: archive_error_string(archive).map { String(cString: $0) } ?? "no reason is given.")
  }

  /// Starts a file. Its size need not be known.
  func begin(_ name: String) throws {
    guard let entry = archive_entry_new() else { throw Failure(reason: "out of memory.") }
    defer { archive_entry_free(entry) }
    archive_entry_set_pathname_utf8(entry, name)
    // AE_IFREG, a file.
    archive_entry_set_filetype(entry, 0o100000)
    archive_entry_set_perm(entry, 0o600)
    archive_entry_set_mtime(entry, time, 0)
    guard archive_write_header(archive, entry) == ARCHIVE_OK else { throw fault() }
  }

  /// Appends bytes to the current file.
  func append(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    let written = bytes.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw fault() }
  }

  /// Completes the archive.
  func finish() throws {
    guard archive_write_close(archive) == ARCHIVE_OK else { throw fault() }
  }

  /// Returns the bytes that were written since the last call.
  func pop() -> [UInt8] {
    defer { output.bytes = [] }
    return output.bytes
  }
}

/// Creates file names that are unique also where case and Unicode normalisation are ignored, as on macOS and Windows.
struct FileNames {
  private var taken: Set<String> = []

  /// Returns the name, with a number appended if it is in use: `bob-phone (2)`.
  mutating func unique(_ name: String) -> String {
    var (candidate, number) = (name, 1)
    while !taken.insert(Self.folded(candidate)).inserted {
      number += 1
      candidate = "\(name) (\(number))"
    }
    return candidate
  }

  /// Returns the same text for names of the same file. Swift strings are equal regardless of their normalisation.
  private static func folded(_ name: String) -> String { name.uppercased().lowercased() }
}
