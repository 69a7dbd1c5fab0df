internal import GodwitModel
package import GodwitText

/// A language with a record on each line.
package protocol RecordLines {
  /// Most bytes of a line.
  static var maximumLine: Int { get }
  /// What the first line said, where it says what is in the others; set before anything else where reading goes on.
  var heading: String? { get set }
  /// Takes a line without its end. What is wrong with it is skipped.
  /// - Parameter place: where the line is.
  mutating func read(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink)
  /// What the lines so far have decided about those that follow; set before anything else where reading goes on.
  var decisions: LineDecisions? { get set }
  /// Where the first line is that waits for a later one; `nil`: none waits.
  var waiting: FormatError.Place? { get }
  /// Why the file cannot be read on.
  var fault: FormatError? { get }
  /// There are no more lines.
  mutating func finish(into sink: inout RecordSink)
  /// How the quotation marks of a line end.
  /// - Parameter isOpen: whether a quotation mark of an earlier line is open where this line begins.
  func quotation(of line: UnsafeBufferPointer<UInt8>, isOpen: Bool) -> LineQuotation
  /// Takes a line with a quotation mark that no later line closes.
  mutating func readUnclosed(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink)
  /// A line with zero bytes in it that are padding, without them; `nil`: they are none.
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

/// How the quotation marks of a line end.
package enum LineQuotation: Sendable, Hashable {
  /// All are closed.
  case closed
  /// The last one is open: the text in it goes on in the next line.
  case open
  /// A mark of an earlier line is followed by one that does not close it: there is text between that and the separator, as
  /// behind the opening mark of another text.
  case contradictory

  /// Why a line is skipped.
  package static let unclosed = "a quoted text without its closing quotation mark"
}

/// Records of a language of lines.
///
/// A line with an open quotation mark is read together with those that follow until the mark is closed. If it is not closed,
/// that line is skipped and the others are read again, each on its own. A line is read again at most once, except for the last
/// one, which can open a text again.
package struct LineRecords<Lines: RecordLines>: RecordParser {
  private var splitter: LineSplitter
  private var lines: Lines
  /// Lines that are the beginning of one with a line break in it.
  private var open: OpenLines?

  private struct OpenLines {
    /// All lines, with line breaks between them.
    var bytes: [UInt8]
    /// The end of each line in `bytes`, and where the line is in the file.
    var lines: [(end: Int, place: FormatError.Place)]
    /// Where the first line is.
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

  /// Most bytes of lines with an open quotation mark. The text of a field of a track is much shorter, and what follows a stray
  /// mark is kept in memory and read again.
  private static var maximumOpen: Int { 1 << 16 }

  /// - Parameter state: where to go on; `nil`: the beginning.
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
    // The last one of the lines can be open again; each time there is a line less.
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
    // The lines have one owner while they grow.
    self.open = nil
    open.append(line, at: place)
    switch lines.quotation(of: line, isOpen: true) {
    case .closed: open.bytes.withUnsafeBufferPointer { lines.read($0, at: open.place, into: &sink) }
    case .open where open.bytes.count <= Self.maximumOpen: self.open = open
    case .open, .contradictory: readAgain(open, into: &sink)
    }
  }

  /// Skips the first of some lines, whose quotation mark is not closed, and reads each of the others.
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

  /// Reads a line before which no quotation mark is open.
  /// - Parameter mayOpen: whether it may wait for the lines that follow it.
  private mutating func readSingle(
    _ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, mayOpen: Bool, into sink: inout RecordSink
  ) {
    if line.contains(0) {
      if let text = lines.unpadded(line) {
        return text.withUnsafeBufferPointer { readSingle($0, at: place, mayOpen: mayOpen, into: &sink) }
      }
      // What a file system leaves where a block was never written.
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

/// JSON with a value on each line.
package struct JSONLines<Elements: JSONElements>: RecordLines {
  /// A message may have a picture in it.
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
