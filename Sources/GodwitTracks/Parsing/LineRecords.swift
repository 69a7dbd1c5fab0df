internal import GodwitModel
package import GodwitText

/// A format with one record per line.
package protocol RecordLines {
  /// Maximum bytes of a line.
  static var maximumLine: Int { get }
  /// Data of the first line, if it describes the other lines. Set first when parsing is resumed.
  var heading: String? { get set }
  /// Reads a line without its line break. Invalid parts are skipped.
  /// - Parameter place: Position of the line.
  mutating func read(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink)
  /// Decisions of the lines so far that apply to later lines. Set first when parsing is resumed.
  var decisions: LineDecisions? { get set }
  /// Position of the first line that waits for a later one; `nil` if no line waits.
  var waiting: FormatError.Place? { get }
  /// The error after which the file cannot be read any further.
  var fault: FormatError? { get }
  /// Called after the last line.
  mutating func finish(into sink: inout RecordSink)
  /// Returns the state of the quotation marks at the end of a line.
  /// - Parameter isOpen: Whether a quotation mark of an earlier line is open at the start of this line.
  func quotation(of line: UnsafeBufferPointer<UInt8>, isOpen: Bool) -> LineQuotation
  /// Reads a line with a quotation mark that no later line closes.
  mutating func readUnclosed(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink)
  /// Returns a line without zero bytes that are padding; `nil` if its zero bytes are not padding.
  func unpadded(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8]?
}

extension RecordLines {
  package var heading: String? {
    get { nil }
    set {}
  }
  package var decisions: LineDecisions? {
    get { nil }
    set {}
  }
  package var waiting: FormatError.Place? { nil }
  package var fault: FormatError? { nil }
  package mutating func finish(into sink: inout RecordSink) {}
  package func quotation(of line: UnsafeBufferPointer<UInt8>, isOpen: Bool) -> LineQuotation { .closed }
  package mutating func readUnclosed(
    _ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink
  ) {
    sink.skips.add(LineQuotation.unclosed, at: place)
  }
  package func unpadded(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8]? { nil }
}

/// State of the quotation marks at the end of a line.
package enum LineQuotation: Sendable, Hashable {
  /// All quotation marks are closed.
  case closed
  /// The last quotation mark is open: its text continues in the next line.
  case open
  /// The quotation mark of an earlier line is followed by one that does not close it: text follows it before the separator, as
  /// after the opening mark of another text.
  case contradictory

  /// The reason why a line is skipped.
  package static let unclosed = "a quoted text without its closing quotation mark"
}

/// Parser of records in a line-based format.
///
/// A line with an open quotation mark is combined with the following lines until the mark is closed. If it is not closed, that line
/// is skipped and the others are read again one by one. A line is read again at most once, except for the last one, which can open
/// a text again.
package struct LineRecords<Lines: RecordLines>: RecordParser {
  private var splitter: LineSplitter
  private var lines: Lines
  /// Lines that form the start of a record with line breaks.
  private var open: OpenLines?

  private struct OpenLines {
    /// All lines, separated by line breaks.
    var bytes: [UInt8]
    /// The end of each line in `bytes`, and its position in the file.
    var lines: [(end: Int, place: FormatError.Place)]
    /// Position of the first line.
    let place: FormatError.Place

    init(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place) {
      bytes = Array(line)
      lines = [(bytes.count, place)]
      self.place = place
    }

    mutating func append(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place) {
      bytes.append(0x0A)
      bytes.append(contentsOf: line)
      lines.append((bytes.count, place))
    }
  }

  /// Maximum bytes of lines with an open quotation mark. Text fields of tracks are much shorter, and the text after a stray
  /// quotation mark is buffered and read again.
  private static var maximumOpen: Int { 1 << 16 }

  /// - Parameter state: Position at which to resume; `nil` for the start of the file.
  package init(_ lines: Lines, from state: LineState?) {
    let state = state ?? LineState()
    splitter = LineSplitter(maximum: Lines.maximumLine, from: state)
    self.lines = lines
    self.lines.heading = state.heading
    if let decisions = state.decisions { self.lines.decisions = decisions }
  }

  package var state: (any ParsingState)? {
    var state = splitter.state
    if let place = lines.waiting ?? open?.place { state = LineState(byte: place.byte, line: (place.line ?? 1) - 1) }
    state.heading = lines.heading
    state.decisions = lines.decisions
    return state
  }

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    var splitter = splitter
    splitter.feed(bytes) { read($0, $1, $2, into: &sink) }
    self.splitter = splitter
    if let fault = lines.fault { throw fault }
  }

  package mutating func finish(into sink: inout RecordSink) throws(FormatError) {
    var splitter = splitter
    splitter.finish { read($0, $1, $2, into: &sink) }
    self.splitter = splitter
    // The last of the lines can be open again. Each iteration has one line less.
    while let open {
      self.open = nil
      readAgain(open, into: &sink)
    }
    lines.finish(into: &sink)
    if let fault = lines.fault { throw fault }
  }

  private mutating func read(_ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ byte: Int, into sink: inout RecordSink) {
    let place = FormatError.Place(byte: byte, line: number)
    guard var open else { return readSingle(line, at: place, mayOpen: true, into: &sink) }
    // Taken out of the property, so that the lines have a single owner and are not copied.
    self.open = nil
    open.append(line, at: place)
    switch lines.quotation(of: line, isOpen: true) {
    case .closed: open.bytes.withUnsafeBufferPointer { lines.read($0, at: open.place, into: &sink) }
    case .open where open.bytes.count <= Self.maximumOpen: self.open = open
    case .open, .contradictory: readAgain(open, into: &sink)
    }
  }

  /// Skips the first line, whose quotation mark is not closed, and reads each of the other lines.
  private mutating func readAgain(_ open: OpenLines, into sink: inout RecordSink) {
    open.bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      for (index, line) in open.lines.enumerated() {
        let text = UnsafeBufferPointer(rebasing: bytes[start..<line.end])
        start = line.end + 1
        if index == 0 {
          lines.readUnclosed(text, at: line.place, into: &sink)
        } else {
          readSingle(text, at: line.place, mayOpen: index == open.lines.count - 1, into: &sink)
        }
      }
    }
  }

  /// Reads a line that starts without an open quotation mark.
  /// - Parameter mayOpen: Whether the line may wait for the following lines.
  private mutating func readSingle(
    _ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, mayOpen: Bool, into sink: inout RecordSink
  ) {
    if line.contains(0) {
      if let text = lines.unpadded(line) {
        return text.withUnsafeBufferPointer { readSingle($0, at: place, mayOpen: mayOpen, into: &sink) }
      }
      // A file system leaves zero bytes where a block was never written.
      return sink.skips.add("a line with zero bytes; the file is damaged there", at: place)
    }
    guard line.contains(where: { $0 > 0x20 }) else { return }
    if lines.quotation(of: line, isOpen: false) == .closed {
      lines.read(line, at: place, into: &sink)
    } else if mayOpen, line.count <= Self.maximumOpen {
      open = OpenLines(line, at: place)
    } else {
      lines.readUnclosed(line, at: place, into: &sink)
    }
  }
}

/// A format with one JSON value per line.
package struct JSONLines<Elements: JSONElements>: RecordLines {
  /// A message can contain an image.
  package static var maximumLine: Int { 1 << 20 }

  private var elements: Elements
  private var text: [UInt8] = []

  package init(_ elements: Elements) { self.elements = elements }

  package mutating func read(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink) {
    text.removeAll(keepingCapacity: true)
    text.append(contentsOf: line)
    text.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    let (records, count) = (sink.records.count, line.count)
    let fault = text.withUnsafeBufferPointer { text -> JSONReader.Fault? in
      guard let base = text.baseAddress else { return nil }
      var json = JSONReader(base: base, count: count)
      do throws(JSONReader.Fault) {
        try elements.read(&json, tag: 0, into: &sink)
        try json.finish()
        return nil
      } catch { return error }
    }
    func position(_ fault: JSONReader.Fault) -> FormatError.Place {
      FormatError.Place(byte: place.byte + fault.offset, line: place.line, path: fault.path.isEmpty ? nil : "$" + fault.path)
    }
    guard let fault else { return sink.skipFaults(position) }
    sink.faults.removeAll()
    sink.records.removeSubrange(records...)
    sink.skips.add(fault.reason, at: position(fault))
  }
}
