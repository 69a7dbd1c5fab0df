internal import Foundation
public import GodwitModel
internal import GodwitText
public import GodwitTracks

/// Makes records of the bytes of a file as they come, from a disk or from a network, in whichever language they are.
///
/// Feed it pieces of any size and take what they complete with ``next()`` until there is nothing, then feed the next piece.
/// It needs a few times the size of a piece, however long the file is. To be used by one task at a time.
public final class RecordStream {
  /// What the file is called, for errors.
  public let name: String
  /// The format; `nil` until enough bytes have been read to detect it.
  public private(set) var format: RecordFormat?
  /// Records that have been given, those before a checkpoint included.
  public private(set) var records = 0

  private var parser: (any RecordParser)?
  private var sink = RecordSink()
  private var head: [UInt8] = []
  private var fingerprint: UInt64?
  private var isFinished = false
  /// Records that were given before the checkpoint, of a language that is read again from its beginning.
  private var repeated = 0
  private let resumed: Checkpoint?
  private let guessSize: Int
  private let packing: Packing
  private var last: Checkpoint?

  /// Most records that are given at once.
  public static let batchSize = 4096
  /// Parts that are no records, which any file may have, and those for each record that it has.
  private static let (freeSkips, skipsPerRecord) = (100_000, 100)

  /// - Parameters:
  ///   - name: what it is called.
  ///   - checkpoint: where to go on; the first byte that is fed must be that at its ``Checkpoint/byte``.
  ///   - options: what the file does not say about itself.
  public convenience init(name: String, from checkpoint: Checkpoint? = nil, options: RecordOptions = RecordOptions()) {
    self.init(name: name, from: checkpoint, guessSize: RecordFormat.guessSize, packing: Packing(options))
  }

  /// - Parameters:
  ///   - guessSize: bytes by which the language is found out.
  ///   - packing: the archives that it lies in.
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

  /// Points that were skipped because they have no time.
  public var withoutTime: Int { sink.withoutTime }
  /// Parts that are no records in time: waypoints and points of routes.
  public var unused: UnusedParts { sink.unused }
  /// What else was skipped: how often, and the first few times.
  public var skipped: (count: Int, first: [TrackSkip]) { (sink.skips.count, sink.skips.first) }

  /// Called with each skipped part: also with parts that were reported before a checkpoint, where the format can only
  /// be read again from its beginning.
  public var onSkip: ((TrackSkip) -> Void)?

  /// For an archive, what was skipped since this was last called.
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

  /// Takes the next bytes.
  /// - Throws: `TrackFileError` for a file in none of the languages, `FormatError` for one that cannot be read on. What
  ///   was complete before can still be taken.
  public func feed(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard parser == nil else { return try parse(bytes) }
    head.append(contentsOf: bytes)
    if head.count >= guessSize { try begin() }
  }

  /// The same.
  public func feed(_ bytes: [UInt8]) throws { try bytes.withUnsafeBufferPointer { try feed($0) } }

  /// There are no more bytes.
  /// - Throws: as feeding does; also where the file ends too early.
  public func finish() throws {
    if parser == nil { try begin() }
    guard !isFinished else { return }
    isFinished = true
    defer { reportSkips() }
    try parser?.finish(into: &sink)
  }

  /// The next records of what has been fed, in the order of the file; `nil`: feed more.
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

  /// Where to go on after the records that have been given; `nil` before the language is known.
  public var checkpoint: Checkpoint? {
    guard let format, let parser, let fingerprint else { return resumed }
    // While something waits to be given, or is given again, the place before it is the one to go on from.
    guard sink.records.isEmpty, sink.lines.isEmpty, repeated == 0, !isFinished else { return last }
    let state = parser.state.flatMap { ParserState($0) }
    last = Checkpoint(
      format: format, byte: state?.byte ?? 0, records: records, withoutTime: sink.withoutTime, skips: sink.skips, state: state,
      fingerprint: fingerprint, unused: sink.unused)
    return last
  }

  /// Finds out what it is and reads what has come so far.
  private func begin() throws {
    guard let found = RecordFormat.guess(head) else {
      throw TrackFileError(path: name, reason: RecordFormat.rejection(of: head, listsFormats: packing.isOutermost))
    }
    if let reason = packing.rejection(of: found) { throw TrackFileError(path: name, reason: reason) }
    format = found
    parser = found.parser(from: nil, packing)
    fingerprint = Checkpoint.fingerprint(head)
    // The mark becomes white space, so that places in errors are those of the file. XML's readers know it.
    if !found.isXML, head.starts(with: FileHead.byteOrderMark) { for index in 0..<3 { head[index] = 0x20 } }
    let first = head
    head = []
    try first.withUnsafeBufferPointer { try parse($0) }
  }

  private func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) {
    guard var parser else { return }
    // Out of the property while it works, so that its buffers have one owner.
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

  /// The next points as records.
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
