internal import CArchive
internal import Foundation
package import GodwitFiles
package import GodwitModel
internal import GodwitText
package import GodwitTracks

/// Reads records from the files in a tar or 7-Zip archive, and from files that are compressed with Zstandard, xz or bzip2,
/// such as Google's Takeout as `.tgz`. Zip and gzip are read by the formats themselves.
///
/// It has no checkpoints, so that an interrupted import starts from the beginning.
package final class CompressedRecords: RecordSource {
  private let archive: OpaquePointer
  private let path: String
  /// The current file in the archive.
  private var stream: RecordStream?
  private var name = ""
  private var isEnding = false
  private var withoutTimeBefore = 0
  private var unusedBefore = UnusedParts()
  private let options: RecordOptions
  private var buffer = [UInt8](repeating: 0, count: 256 << 10)
  package var onSkip: ((TrackSkip) -> Void)?
  /// The format of the last file with records.
  package private(set) var format: RecordFormat?
  package private(set) var records = 0
  package var checkpoint: Checkpoint? { nil }

  package var withoutTime: Int { withoutTimeBefore + (stream?.withoutTime ?? 0) }

  package var unused: UnusedParts {
    var all = unusedBefore
    if let stream { all.add(stream.unused) }
    return all
  }

  package var position: Int { Int(archive_filter_bytes(archive, -1)) }

  /// - Parameters:
  ///   - path: the path of the file.
  ///   - options: options for information that the files do not contain.
  /// - Returns: `nil` if the file is not such an archive.
  package init?(path: String, options: RecordOptions) {
    guard Self.isOne(path), let archive = archive_read_new() else { return nil }
    ArchiveFilters.support(in: archive)
    archive_read_support_format_tar(archive)
    archive_read_support_format_7zip(archive)
    archive_read_support_format_raw(archive)
    guard archive_read_open_filename(archive, path, 256 << 10) == ARCHIVE_OK else {
      archive_read_free(archive)
      return nil
    }
    self.archive = archive
    self.path = path
    self.options = options
  }

  deinit { archive_read_free(archive) }

  private static func isOne(_ path: String) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: path), let head = try? handle.read(upToCount: 512) else { return false }
    try? handle.close()
    let bytes = [UInt8](head)
    let signs: [[UInt8]] = [
      // Zstandard, xz, bzip2, 7-Zip.
      [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], Array("BZh".utf8), [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C],
    ]
    if signs.contains(where: { bytes.starts(with: $0) }) { return true }
    if bytes.count >= 262, bytes[257..<262].elementsEqual("ustar".utf8) { return true }
    // A gzip file may be a file of records or a tar archive.
    return bytes.starts(with: [0x1F, 0x8B]) && hasTar(path)
  }

  private static func hasTar(_ path: String) -> Bool {
    guard let archive = archive_read_new() else { return false }
    defer { archive_read_free(archive) }
    archive_read_support_filter_gzip(archive)
    archive_read_support_format_tar(archive)
    var entry: OpaquePointer?
    return archive_read_open_filename(archive, path, 64 << 10) == ARCHIVE_OK
      && archive_read_next_header(archive, &entry) == ARCHIVE_OK
  }

  package func next() throws -> [Record]? {
    while true {
      guard let stream else {
        guard try nextFile() else { return nil }
        continue
      }
      if let some = stream.next() {
        records += some.count
        format = stream.format
        return some
      }
      if isEnding {
        withoutTimeBefore += stream.withoutTime
        unusedBefore.add(stream.unused)
        self.stream = nil
        continue
      }
      let count = buffer.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw fault() }
      do {
        if count == 0 {
          isEnding = true
          try stream.finish()
        } else {
          try buffer.withUnsafeBufferPointer { try stream.feed(UnsafeBufferPointer(rebasing: $0[..<count])) }
        }
      } catch {
        // Other files in the archive may be valid.
        isEnding = true
        skip((error as? TrackFileError)?.reason ?? "\(error)", FormatError.Place(byte: position))
      }
    }
  }

  /// Starts the next file.
  ///
  /// - Returns: `false` at the end of the archive.
  private func nextFile() throws -> Bool {
    while true {
      var entry: OpaquePointer?
      switch archive_read_next_header(archive, &entry) {
      case ARCHIVE_OK, ARCHIVE_WARN: break
      case ARCHIVE_EOF: return false
      default: throw fault()
      }
      // Folders and links are skipped.
      guard let entry, archive_entry_filetype(entry) == 0o100000 else { continue }
      name = archive_entry_pathname(entry).map { String(cString: $0) } ?? "a file"
      isEnding = false
      let stream = RecordStream(name: name, options: options)
      stream.onSkip = { [unowned self] in skip($0.reason, $0.place) }
      self.stream = stream
      return true
    }
  }

  private func skip(_ reason: String, _ place: FormatError.Place) {
    let file = place.path.map { "\(name): \($0)" } ?? name
    onSkip?(TrackSkip(place: FormatError.Place(byte: place.byte, line: place.line, path: file), reason: reason))
  }

  private func fault() -> FormatError {
    let why = archive_error_string(archive).map { String(cString: $0) } ?? "it is damaged"
    return FormatError(format: "archive", place: FormatError.Place(byte: position), reason: why)
  }
}

/// Opens files of records with any supported compression.
package enum RecordSources {
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - checkpoint: the position from which to continue; `nil`: the beginning.
  ///   - options: options for information that the file does not contain.
  /// - Throws: `TrackFileError` if the file cannot be read or has no known format.
  package static func open(
    _ path: String, from checkpoint: Checkpoint? = nil, options: RecordOptions = RecordOptions()
  ) throws -> any RecordSource {
    if checkpoint == nil, let compressed = CompressedRecords(path: path, options: options) { return compressed }
    return try RecordFile(path: path, from: checkpoint, options: options)
  }
}
