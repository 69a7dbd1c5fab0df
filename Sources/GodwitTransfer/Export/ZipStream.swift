internal import CArchive
internal import GodwitText

/// A zip archive that is sent while it is made: no file is written, and the memory does not grow with the size.
///
/// To be used by one thread at a time.
final class ZipStream {
  /// An archive could not be made.
  struct Failure: Error, CustomStringConvertible {
    let reason: String
    var description: String { "The archive cannot be made: \(reason)" }
  }

  /// What the library has packed and nothing has popped.
  private final class Output {
    var bytes: [UInt8] = []
  }

  private let archive: OpaquePointer
  private let output = Output()
  private let time: Int

  /// - Parameter time: of all files in it, seconds since 1970.
  init(time: Int) throws {
    guard let archive = archive_write_new() else { throw Failure(reason: "out of memory.") }
    self.archive = archive
    self.time = time
    archive_write_set_format_zip(archive)
    // Marks names as UTF-8, whatever the locale is; otherwise readers take them for IBM code page 437.
    guard archive_write_set_options(archive, "zip:hdrcharset=UTF-8") == ARCHIVE_OK else { throw fault() }
    // What is packed comes out at once, and the last block is not filled up.
    archive_write_set_bytes_per_block(archive, 0)
    archive_write_set_bytes_in_last_block(archive, 1)
    // The output lives as long as this value, and so longer than the library's archive.
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

  /// Begins a file, whose size need not be known.
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

  /// Appends to the file that was begun last.
  func append(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    let written = bytes.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw fault() }
  }

  /// Ends the archive.
  func finish() throws {
    guard archive_write_close(archive) == ARCHIVE_OK else { throw fault() }
  }

  /// What was packed since the last call.
  func pop() -> [UInt8] {
    defer { output.bytes = [] }
    return output.bytes
  }
}

/// Names of files that stay different where case and Unicode normalisation do not count, as on macOS and Windows.
struct FileNames {
  private var taken: Set<String> = []

  /// A name with a number behind it where it is taken: `bob-phone (2)`.
  mutating func unique(_ name: String) -> String {
    var (candidate, number) = (name, 1)
    while !taken.insert(Self.folded(candidate)).inserted {
      number += 1
      candidate = "\(name) (\(number))"
    }
    return candidate
  }

  /// Equal for names that are the same file; strings of other normalisations are equal anyway.
  private static func folded(_ name: String) -> String { name.uppercased().lowercased() }
}
