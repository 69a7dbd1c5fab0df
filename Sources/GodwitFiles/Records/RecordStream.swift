internal import Foundation
public import GodwitModel
internal import GodwitText
public import GodwitTracks

/// Converts the bytes of a file in any of the supported formats to records, as the bytes arrive from a disk or a network.
///
/// Feed a piece of any size, call ``next()`` until it returns `nil`, and then feed the next piece. The stream needs memory
/// for a few pieces, independent of the length of the file. Only one task may use it at a time.
public final class RecordStream {
  /// The name of the file in errors.
  public let name: String
  /// The format; `nil` until enough bytes have been read to detect it.
  public private(set) var format: RecordFormat?
  /// The number of returned records, including those before a checkpoint.
  public private(set) var records = 0

  private var parser: (any RecordParser)?
  private var sink = RecordSink()
  private var head: [UInt8] = []
  private var fingerprint: UInt64?
  private var isFinished = false
  /// The number of records to skip, because they were returned before the checkpoint and the file is read again from its
  /// beginning.
  private var repeated = 0
  private let resumed: Checkpoint?
  private let guessSize: Int
  private let packing: Packing
  private var last: Checkpoint?

  /// Maximum number of points of a line that are returned at once.
  public static let batchSize = 4096
  /// The limits of skipped parts: a fixed number for each file, and a number for each record. A file with more is rejected.
  private static let (freeSkips, skipsPerRecord) = (100_000, 100)

  /// - Parameters:
  ///   - name: the name of the file in errors.
  ///   - checkpoint: the checkpoint at which reading continues. The first byte that is fed must be the byte at its
  ///     ``Checkpoint/byte``.
  ///   - options: the options that the file does not contain.
  public convenience init(name: String, from checkpoint: Checkpoint? = nil, options: RecordOptions = RecordOptions()) {
    self.init(name: name, from: checkpoint, guessSize: RecordFormat.guessSize, packing: Packing(options))
  }

  /// - Parameters:
  ///   - guessSize: the number of bytes that are examined to detect the format.
  ///   - packing: the archives that contain the file.
  init(
    name: String, from checkpoint: Checkpoint? = nil, guessSize: Int = RecordFormat.guessSize,
    packing: Packing = Packing(RecordOptions())
  ) {
    self.name = name
    self.packing = packing
    self.guessSize = guessSize
    resumed = checkpoint
    last = checkpoint
    guard let checkpoint else { return }
    format = checkpoint.format
    parser = checkpoint.format.parser(from: checkpoint.state?.state, packing)
    sink.skips = checkpoint.skips
    sink.withoutTime = checkpoint.withoutTime
    sink.unused = checkpoint.unused ?? UnusedParts()
    fingerprint = checkpoint.fingerprint
    if checkpoint.state == nil {
      repeated = checkpoint.records
      sink = RecordSink()
    } else {
      records = checkpoint.records
    }
  }

  /// The number of points that were skipped because they have no time.
  public var withoutTime: Int { sink.withoutTime }
  /// The numbers of parts without a time of recording: waypoints and points of routes.
  public var unused: UnusedParts { sink.unused }
  /// The other skipped parts: their number, and the first of them.
  public var skipped: (count: Int, first: [TrackSkip]) { (sink.skips.count, sink.skips.first) }

  /// Called with each skipped part. If a format can only be read again from its beginning, parts that were reported before
  /// a checkpoint are reported again.
  public var onSkip: ((TrackSkip) -> Void)?

  /// The skipped parts since the last call of ``takeSkips()``, for an archive.
  private var untold: [TrackSkip] = []
  func takeSkips() -> [TrackSkip] {
    defer { untold = [] }
    return untold
  }

  private func reportSkips() {
    let fresh = sink.skips.takeFresh()
    guard !fresh.isEmpty else { return }
    if !packing.isOutermost { untold += fresh } else if let onSkip { fresh.forEach(onSkip) }
  }

  /// Feeds the next bytes.
  /// - Throws: `TrackFileError` if the format is unknown, `FormatError` if the file cannot be read further. ``next()``
  ///   still returns the records before the fault.
  public func feed(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard parser == nil else { return try parse(bytes) }
    head.append(contentsOf: bytes)
    if head.count >= guessSize { try begin() }
  }

  /// Feeds the next bytes, like the method above.
  public func feed(_ bytes: [UInt8]) throws { try bytes.withUnsafeBufferPointer { try feed($0) } }

  /// Ends the file.
  /// - Throws: the errors of feeding; also if the file is incomplete.
  public func finish() throws {
    if parser == nil { try begin() }
    guard !isFinished else { return }
    isFinished = true
    defer { reportSkips() }
    try parser?.finish(into: &sink)
  }

  /// Returns the next records of the bytes that were fed, in the order of the file; `nil` if more bytes are needed.
  public func next() -> [Record]? {
    while true {
      var given: [Record] = []
      if let line = sink.lines.first {
        if line.position > 0 {
          given = Array(sink.records[..<line.position])
          sink.records.removeFirst(line.position)
          for index in sink.lines.indices { sink.lines[index].position -= line.position }
        } else {
          given = sink.lines[0].take(Self.batchSize)
          if sink.lines[0].isEmpty { sink.lines.removeFirst() }
        }
      } else {
        guard !sink.records.isEmpty else { return nil }
        swap(&given, &sink.records)
      }
      if repeated > 0 {
        let known = min(repeated, given.count)
        given.removeFirst(known)
        repeated -= known
        records += known
        if given.isEmpty { continue }
      }
      records += given.count
      return given
    }
  }

  /// The place at which reading can continue after the returned records; `nil` before the format is known.
  public var checkpoint: Checkpoint? {
    guard let format, let parser, let fingerprint else { return resumed }
    // While records are pending or are being skipped, the previous checkpoint is valid.
    guard sink.records.isEmpty, sink.lines.isEmpty, repeated == 0, !isFinished else { return last }
    let state = parser.state.flatMap { ParserState($0) }
    last = Checkpoint(
      format: format, byte: state?.byte ?? 0, records: records, withoutTime: sink.withoutTime, skips: sink.skips, state: state,
      fingerprint: fingerprint, unused: sink.unused)
    return last
  }

  /// Detects the format and parses the bytes so far.
  private func begin() throws {
    guard let found = RecordFormat.guess(head) else {
      throw TrackFileError(path: name, reason: RecordFormat.rejection(of: head, listsFormats: packing.isOutermost))
    }
    if let reason = packing.rejection(of: found) { throw TrackFileError(path: name, reason: reason) }
    format = found
    parser = found.parser(from: nil, packing)
    fingerprint = Checkpoint.fingerprint(head)
    // The byte order mark is replaced by spaces, so that offsets in errors are those of the file. XML parsers support the
    // mark.
    if !found.isXML, head.starts(with: FileHead.byteOrderMark) { for index in 0..<3 { head[index] = 0x20 } }
    let first = head
    head = []
    try first.withUnsafeBufferPointer { try parse($0) }
  }

  private func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) {
    guard var parser else { return }
    // The parser is removed from the property while it works, so that its buffers have one owner.
    self.parser = nil
    defer {
      self.parser = parser
      reportSkips()
    }
    try parser.feed(bytes, into: &sink)
    let found = records + sink.records.count + sink.lines.count
    if sink.skips.count / Self.skipsPerRecord > Self.freeSkips / Self.skipsPerRecord + found {
      throw FormatError(
        format: format?.name ?? name, place: sink.skips.first.last?.place ?? FormatError.Place(byte: 0),
        reason: "\(sink.skips.count) of its parts are not records, and \(found) are; it is not a file of records")
    }
  }
}

extension PointLine {
  var isEmpty: Bool { next >= points.count }

  /// Returns the next points as records.
  mutating func take(_ count: Int) -> [Record] {
    let end = min(points.count, next + count)
    defer { next = end }
    return points[next..<end].map { point in
      let fix = Fix(
        time: Date(millisecondsSince1970: point.milliseconds), coordinate: point.coordinate,
        altitude: point.altitude.isNaN ? nil : point.altitude)
      return Record(kind: .fix(fix), context: context, extras: extras)
    }
  }
}
