internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads the files in a zip archive (PKWARE APPNOTE 6.3): a KMZ, an export of Google or of Dawarich. Each file is read in
/// its format; files in unknown formats are skipped and reported with their names.
///
/// The archive is read sequentially and never written to the disk, so that paths outside of the archive and overlapping
/// entries have no effect. An entry with a larger ratio than ``largestRatio`` is not a file of records.
struct ZipRecords: RecordParser {
  static let format = "zip"
  /// Maximum ratio of the decompressed size to the compressed size, after the first 16 MiB.
  static let largestRatio = 500
  private static let freeSize = 16 << 20

  private let packing: Packing
  private var rest: [UInt8] = []
  /// The offset of `rest` in the archive.
  private var position = 0
  private var phase = Phase.header

  private enum Phase {
    case header
    /// The compressed bytes of an entry.
    case content(Entry)
    /// The remaining bytes of an entry that is skipped.
    case passing(Int)
    /// The data descriptor with the sizes after an entry.
    case descriptor
    /// The central directory, which is ignored.
    case over
  }

  private struct Entry {
    var name: String
    var byte: Int
    /// The remaining compressed bytes; `nil` if only the compressed data contains its end.
    var left: Int?
    /// The checksum of the decompressed file; `nil` if the header does not contain it.
    var checksum: UInt32?
    /// `nil` for an entry that is not compressed.
    var inflater: Inflater?
    var stream: RecordStream?
    var compressed = 0
    var found = Checksum()
  }

  init(_ packing: Packing) { self.packing = packing }

  var state: (any ParsingState)? { nil }

  static func recognizes(_ head: [UInt8]) -> Bool {
    head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06])
  }

  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    if packing.isOutermost { packing.budget.compressed += bytes.count }
    rest.append(contentsOf: bytes)
    let all = rest
    let used = try all.withUnsafeBufferPointer { all throws(FormatError) in
      var used = 0
      while let step = try step(UnsafeBufferPointer(rebasing: all[used...]), into: &sink) {
        used += step
        position += step
      }
      return used
    }
    rest = Array(all[used...])
  }

  mutating func finish(into sink: inout RecordSink) throws(FormatError) {
    if case .over = phase { return }
    if case .content(let entry) = phase { end(entry, into: &sink, isCut: true) }
    throw fault("the archive ends before its central directory")
  }

  private func fault(_ reason: String) -> FormatError {
    FormatError(format: Self.format, place: FormatError.Place(byte: position), reason: reason)
  }

  /// Reads a part. - Returns: its size in bytes; `nil` if more bytes are needed.
  private mutating func step(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) -> Int? {
    switch phase {
    case .over: return bytes.isEmpty ? nil : bytes.count
    case .header: return try header(bytes, into: &sink)
    case .passing(let count):
      if count == 0 {
        phase = .header
        return 0
      }
      let taken = min(count, bytes.count)
      phase = .passing(count - taken)
      return taken > 0 ? taken : nil
    case .descriptor:
      // A descriptor has an optional signature and sizes of four or eight bytes. The next header follows it.
      guard bytes.count >= 28 else { return nil }
      let sizes = [12, 16, 20, 24].first { size in
        let isSigned = bytes.starts(with: [0x50, 0x4B, 0x07, 0x08])
        return isSigned == (size == 16 || size == 24) && bytes[size] == 0x50 && bytes[size + 1] == 0x4B
      }
      guard let sizes else { throw fault("expected the sizes of the previous file") }
      phase = .header
      return sizes
    case .content(let entry): return try content(entry, bytes, into: &sink)
    }
  }

  private mutating func header(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) -> Int? {
    guard bytes.count >= 4 else { return nil }
    func number(_ offset: Int, _ size: Int) -> Int {
      // Only seven of eight bytes are used, which avoids an overflow. A larger size exceeds every archive, so the archive
      // would be incomplete.
      (0..<min(size, 7)).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
    }
    switch number(0, 4) {
    case 0x0403_4B50: break
    // The central directory, its end, or a digital signature.
    case 0x0201_4B50, 0x0605_4B50, 0x0606_4B50, 0x0806_4B50:
      phase = .over
      return 4
    default: throw fault("expected the header of a file")
    }
    guard bytes.count >= 30 else { return nil }
    let (flags, method) = (number(6, 2), number(8, 2))
    let (nameSize, extraSize) = (number(26, 2), number(28, 2))
    let size = 30 + nameSize + extraSize
    guard bytes.count >= size else { return nil }
    let name = String(decoding: bytes[30..<min(30 + nameSize, 230)], as: UTF8.self)
    var (compressed, unpacked) = (number(18, 4), number(22, 4))
    // Sizes of eight bytes are in an extra field, first the decompressed size.
    var offset = 30 + nameSize
    while offset + 4 <= size {
      let (id, length) = (number(offset, 2), number(offset + 2, 2))
      if id == 1, offset + 4 + length <= size {
        var place = offset + 4
        if unpacked == 0xFFFF_FFFF, place + 8 <= offset + 4 + length {
          unpacked = number(place, 8)
          place += 8
        }
        if compressed == 0xFFFF_FFFF, place + 8 <= offset + 4 + length { compressed = number(place, 8) }
      }
      offset += 4 + length
    }
    let hasDescriptor = flags & 8 != 0
    func skip(_ reason: String?) throws(FormatError) {
      if hasDescriptor {
        throw fault("\(name.debugDescription): \(reason ?? "its size is missing"), and its end is unknown")
      }
      if let reason { sink.skips.add(reason, at: FormatError.Place(byte: position, path: name)) }
      phase = .passing(compressed)
    }
    if flags & 1 != 0 {
      try skip("it is encrypted")
    } else if method != 0, method != 8 {
      try skip("its compression method is not supported; use deflate")
    } else if method == 0, hasDescriptor {
      try skip("it is stored uncompressed with its size after the data, which is not supported")
    } else if method == 0, compressed == 0 {
      phase = .header
    } else {
      phase = .content(
        Entry(
          name: name, byte: position, left: hasDescriptor ? nil : compressed,
          checksum: hasDescriptor ? nil : UInt32(number(14, 4)),
          inflater: method == 8 ? Inflater(.none) : nil, stream: RecordStream(name: name, packing: packing.inside(.zip))))
    }
    return size
  }

  private mutating func content(
    _ old: Entry, _ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink
  ) throws(FormatError) -> Int? {
    var entry = old
    if entry.left == 0 {
      end(entry, into: &sink, isCut: entry.inflater.map { !$0.isOver } ?? false)
      phase = .header
      return 0
    }
    let piece = UnsafeBufferPointer(rebasing: bytes.prefix(entry.left ?? bytes.count))
    guard !piece.isEmpty else { return nil }
    var failure: String?
    var records: [Record] = []
    var found = entry.found
    let compressed = entry.compressed
    func unpack(_ unpacked: UnsafeBufferPointer<UInt8>) -> Bool {
      found.add(unpacked)
      guard let stream = entry.stream else { return true }
      guard packing.budget.spend(entry.inflater == nil ? 0 : unpacked.count) else {
        failure = Packing.tooLarge
        return false
      }
      do { try stream.feed(unpacked) } catch { failure = ArchiveFault.reason(error) }
      while let some = stream.next() { records += some }
      let size = entry.inflater?.count ?? 0
      if size > Self.freeSize, size / Self.largestRatio > compressed + piece.count {
        failure = "unpacked, it is more than \(Self.largestRatio) times larger, which is implausible for a file of records"
      }
      return failure == nil
    }
    var used = piece.count
    if let inflater = entry.inflater {
      do throws(Inflater.Problem) { used = try inflater.decompress(piece, unpack) } catch {
        sink.records += records
        failure = "the compressed data is damaged"
      }
    } else {
      _ = unpack(piece)
    }
    sink.records += records
    if let stream = entry.stream { collect(freshSkipsOf: stream, entry.name, into: &sink) }
    entry.found = found
    entry.compressed += used
    if let left = entry.left { entry.left = left - used }
    if let failure {
      collect(skipsOf: entry, into: &sink)
      sink.skips.add(failure, at: FormatError.Place(byte: entry.byte, path: entry.name))
      guard let left = entry.left else {
        throw FormatError(
          format: Self.format, place: FormatError.Place(byte: entry.byte, path: entry.name),
          reason: "\(failure), and its size is unknown")
      }
      phase = .passing(left)
      return used
    }
    if entry.inflater?.isOver == true {
      end(entry, into: &sink, isCut: false)
      phase = entry.left.map { .passing($0) } ?? .descriptor
      return used
    }
    phase = .content(entry)
    return used
  }

  /// Ends an entry.
  private func end(_ entry: Entry, into sink: inout RecordSink, isCut: Bool) {
    let place = FormatError.Place(byte: entry.byte, path: entry.name)
    guard let stream = entry.stream else { return }
    do { try stream.finish() } catch { sink.skips.add(ArchiveFault.reason(error), at: place) }
    while let some = stream.next() { sink.records += some }
    collect(skipsOf: entry, into: &sink)
    if isCut {
      sink.skips.add("it ends inside the compressed data", at: place)
    } else if let checksum = entry.checksum, checksum != entry.found.value {
      sink.skips.add("its checksum does not match; the contents may be damaged", at: place)
    }
  }

  private func collect(skipsOf entry: Entry, into sink: inout RecordSink) {
    guard let stream = entry.stream else { return }
    sink.withoutTime += stream.withoutTime
    sink.unused.add(stream.unused)
    collect(freshSkipsOf: stream, entry.name, into: &sink)
  }

  private func collect(freshSkipsOf stream: RecordStream, _ name: String, into sink: inout RecordSink) {
    for skip in stream.takeSkips() {
      let path = skip.place.path.map { "\(name): \($0)" } ?? name
      sink.skips.add(skip.reason, at: FormatError.Place(byte: skip.place.byte, line: skip.place.line, path: path))
    }
  }
}
