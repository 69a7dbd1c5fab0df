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
  /// How many lines are waited for to be one, because a text in them has a line break; 0: this one is whole.
  func isOpen(_ line: UnsafeBufferPointer<UInt8>) -> Bool
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
  package func isOpen(_ line: UnsafeBufferPointer<UInt8>) -> Bool { false }
  package func unpadded(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8]? { nil }
}

/// Records of a language of lines.
package struct LineRecords<Lines: RecordLines>: RecordParser {
  private var splitter: LineSplitter
  private var lines: Lines
  /// Lines that are the beginning of one with a line break in it.
  private var open: (bytes: [UInt8], place: FormatError.Place)?

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
    if let open {
      self.open = nil
      open.bytes.withUnsafeBufferPointer { lines.read($0, at: open.place, into: &sink) }
    }
    lines.finish(into: &sink)
    if let fault = lines.fault { throw fault }
  }

  private mutating func read(_ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ byte: Int, into sink: inout RecordSink) {
    if var joined = open {
      open = nil
      joined.bytes.append(0x0A)
      joined.bytes.append(contentsOf: line)
      let isOpen = joined.bytes.withUnsafeBufferPointer { lines.isOpen($0) }
      if isOpen, joined.bytes.count < Lines.maximumLine {
        open = joined
      } else if isOpen {
        sink.skips.add("a quoted text without its closing quotation mark", at: joined.place)
      } else {
        joined.bytes.withUnsafeBufferPointer { lines.read($0, at: joined.place, into: &sink) }
      }
      return
    }
    let place = FormatError.Place(byte: byte, line: number)
    if line.contains(0) {
      if let text = lines.unpadded(line) { return text.withUnsafeBufferPointer { read($0, number, byte, into: &sink) } }
      // What a file system leaves where a block was never written.
      return sink.skips.add("a line with zero bytes; the file is damaged there", at: place)
    }
    guard line.contains(where: { $0 > 0x20 }) else { return }
    if lines.isOpen(line) { open = (Array(line), place) } else { lines.read(line, at: place, into: &sink) }
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
    guard let fault else { return }
    sink.records.removeSubrange(records...)
    sink.skips.add(
      fault.reason,
      at: FormatError.Place(byte: place.byte + fault.offset, line: place.line, path: fault.path.isEmpty ? nil : "$" + fault.path))
  }
}
