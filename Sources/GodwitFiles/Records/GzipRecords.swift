internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads a file in any format that is compressed with gzip.
struct GzipRecords: RecordParser {
  private let inflater = Inflater(.gzip)
  private let inner: RecordStream
  private let packing: Packing
  private var position = 0
  /// Maximum ratio of the decompressed size to the compressed size, after the first 16 MiB.
  static let largestRatio = 500
  private static let freeSize = 16 << 20

  init(_ packing: Packing) {
    self.packing = packing
    inner = RecordStream(name: "the unpacked file", packing: packing.inside(.gzip))
  }

  var state: (any ParsingState)? { nil }

  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    if packing.isOutermost { packing.budget.compressed += bytes.count }
    var start = 0
    while start < bytes.count {
      if inflater.isOver {
        // Tapes and some programs pad a member with zeros, which GNU gzip ignores too.
        while start < bytes.count, bytes[start] == 0 { start += 1 }
        guard start < bytes.count else { break }
        // Several gzip members may be concatenated.
        inflater.reset()
      }
      var failure: (any Error)?
      var failureRecords: [Record] = []
      let used: Int
      do throws(Inflater.Problem) {
        used = try inflater.decompress(UnsafeBufferPointer(rebasing: bytes[start...])) { piece in
          if inflater.count > Self.freeSize, inflater.count / Self.largestRatio > position + bytes.count {
            failure = FormatError(
              format: "gzip", place: FormatError.Place(byte: position + start),
              reason: "unpacked, it is more than \(Self.largestRatio) times larger, which is implausible for a file of records")
            return false
          }
          guard packing.budget.spend(piece.count) else {
            failure = FormatError(format: "gzip", place: FormatError.Place(byte: position + start), reason: Packing.tooLarge)
            return false
          }
          do { try inner.feed(piece) } catch { failure = error }
          while let some = inner.next() { failureRecords += some }
          return failure == nil
        }
      } catch {
        sink.records += failureRecords
        throw FormatError(
          format: "gzip", place: FormatError.Place(byte: position + start), reason: "the compressed data is damaged")
      }
      sink.records += failureRecords
      sink.withoutTime = inner.withoutTime
      sink.unused = inner.unused
      for skip in inner.takeSkips() { sink.skips.add(skip) }
      if let failure { throw ArchiveFault.error(failure, format: "gzip", byte: position + start) }
      start += max(1, used)
    }
    position += bytes.count
  }

  mutating func finish(into sink: inout RecordSink) throws(FormatError) {
    let end = FormatError.Place(byte: position)
    guard inflater.isOver else {
      throw FormatError(format: "gzip", place: end, reason: "the file ends inside the compressed data")
    }
    var failure: (any Error)?
    do { try inner.finish() } catch { failure = error }
    while let some = inner.next() { sink.records += some }
    sink.withoutTime = inner.withoutTime
    sink.unused = inner.unused
    for skip in inner.takeSkips() { sink.skips.add(skip) }
    if let failure { throw ArchiveFault.error(failure, format: "gzip", byte: position) }
  }
}

/// Converts errors inside an archive.
enum ArchiveFault {
  /// Returns the error of a file in an archive as an error of the archive.
  static func error(_ error: any Error, format: String, byte: Int) -> FormatError {
    if let error = error as? FormatError { return error }
    return FormatError(format: format, place: FormatError.Place(byte: byte), reason: reason(error))
  }

  static func reason(_ error: any Error) -> String {
    switch error {
    case let error as TrackFileError: error.reason
    case let error as FormatError: error.description
    default: "\(error)"
    }
  }
}
