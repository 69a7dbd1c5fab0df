package import GodwitText

/// Reads the elements of a JSON-based format for a ``JSONStream``.
package protocol JSONElements {
  /// Name of the format, for errors.
  static var format: String { get }
  /// Returns how to process the values at a path of member names, with `[]` for the elements of an array.
  mutating func plan(_ path: [String]) -> JSONStream.Plan
  /// Reads a complete value whose plan is ``JSONStream/Plan/read(_:)``.
  /// - Parameter tag: The tag of the plan.
  /// - Throws: A fault. One that is not a syntax error skips only this value.
  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault)
  /// Data of the document so far that is needed to resume parsing.
  var memory: String? { get set }
}

extension JSONElements {
  package var memory: String? {
    get { nil }
    set {}
  }
}

/// A pull parser for JSON that arrives in pieces and can be larger than memory. It traverses the outer arrays and objects, and
/// passes each selected value as a whole.
///
/// A value at the end of a piece is buffered until it is complete. Values that are not selected are skipped without buffering.
package struct JSONStream {
  /// How a value is processed.
  package enum Plan: Sendable {
    /// Traverse the members of an object or array. Any other value is skipped.
    case enter
    /// Pass the value as a whole, with a tag that identifies it.
    case read(Int)
    /// Skip the value.
    case skip
  }

  /// An open object or array.
  package struct Level: Sendable, Hashable, Codable {
    package var isArray: Bool
    /// The current or next member of an object or element of an array.
    package var name = ""
    package var index = 0
  }

  package enum Phase: String, Sendable, Hashable, Codable {
    /// A value is expected.
    case value
    /// After the start of an array: a value or its end is expected.
    case firstElement
    /// After the start of an object: a name or its end is expected.
    case firstName
    /// After a comma in an object: a name is expected.
    case name
    /// A comma, or the end of the open object or array, is expected.
    case afterValue
    /// The document is complete.
    case end
  }

  /// Position in the document.
  package struct State: ParsingState {
    package var byte = 0
    package var levels: [Level] = []
    package var phase = Phase.value
    package var memory: String?
  }

  /// Maximum bytes of a value. A longer value is skipped.
  package static let maximumValue = 16 << 20

  private var position: State
  private var buffer: [UInt8] = []
  /// The skipper of the current value, and the position at its start.
  private var passing: (pass: JSONSkipper, from: State)?
  /// Minimum number of bytes before an incomplete value is parsed again. It doubles with each attempt.
  private var wanted = 0
  /// Plan of the next value, if known.
  private var plan: Plan?

  package init(from state: State = State()) { position = state }

  package var state: State { passing?.from ?? position }

  package mutating func feed<Elements: JSONElements>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, to elements: inout Elements, into sink: inout RecordSink
  ) throws(FormatError) {
    if buffer.isEmpty { buffer.reserveCapacity(bytes.count + JSONReader.padding) } else { buffer.removeLast(JSONReader.padding) }
    buffer.append(contentsOf: bytes)
    let count = buffer.count
    if count < wanted, !isLast {
      buffer.append(contentsOf: repeatElement(0, count: JSONReader.padding))
      return
    }
    wanted = 0
    buffer.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    // Taken out of the property while it is read, so that it has a single owner and is not copied.
    var text: [UInt8] = []
    swap(&text, &buffer)
    let start = position.byte
    let failure = text.withUnsafeBufferPointer { text -> FormatError? in
      guard let base = text.baseAddress else { return nil }
      var json = JSONReader(base: base, count: count)
      do throws(JSONReader.Fault) { try run(&json, start, isLast, &elements, &sink) } catch {
        return FormatError(
          format: Elements.format,
          place: FormatError.Place(byte: start + error.offset, path: path + error.path), reason: error.reason)
      }
      return nil
    }
    if let failure { throw failure }
    let used = position.byte - start
    if used > 0 { text.removeFirst(used) }
    if text.count == JSONReader.padding { text.removeAll(keepingCapacity: true) }
    swap(&text, &buffer)
  }

  /// Path of the current value: `$.locations[3]`.
  package var path: String {
    position.levels.reduce(into: "$") { text, level in
      text += level.isArray ? "[\(level.index)]" : level.name.isEmpty ? "" : ".\(level.name)"
    }
  }

  private var names: [String] { position.levels.map { $0.isArray ? "[]" : $0.name } }

  /// Parses as far as the available bytes allow.
  private mutating func run<Elements: JSONElements>(
    _ json: inout JSONReader, _ start: Int, _ isLast: Bool, _ elements: inout Elements, _ sink: inout RecordSink
  ) throws(JSONReader.Fault) {
    while true {
      if var passed = passing {
        let rest = UnsafeBufferPointer(start: json.base + json.position, count: json.count - json.position)
        json.position += passed.pass.skip(rest)
        position.byte = start + json.position
        guard passed.pass.isOver else {
          passing = passed
          if isLast { throw json.syntax("the text ends inside a value") }
          return
        }
        passing = nil
        position.phase = .afterValue
      }
      let byte = json.peek()
      position.byte = start + json.position
      guard json.position < json.count else {
        if isLast, position.phase != .end { throw ended(json) }
        return
      }
      switch position.phase {
      case .end: throw json.syntax("there is text after the end of the value")
      case .afterValue:
        guard let level = position.levels.last else {
          position.phase = .end
          continue
        }
        if try json.hasMore(closing: level.isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")) {
          position.levels[position.levels.count - 1].index += 1
          position.phase = level.isArray ? .value : .name
        } else {
          close()
        }
      case .firstName where byte == UInt8(ascii: "}"), .firstElement where byte == UInt8(ascii: "]"):
        json.position += 1
        close()
      case .firstName, .name:
        do throws(JSONReader.Fault) {
          let key = try json.key()
          position.levels[position.levels.count - 1].name = json.decoded(key)
        } catch {
          if try waits(error, from: position.byte - start, &json, isLast) { return }
          throw error
        }
        plan = nil
        position.phase = .value
      case .value, .firstElement:
        guard try value(byte, &json, start, isLast, &elements, &sink) else { return }
      }
      position.byte = start + json.position
    }
  }

  private mutating func close() {
    position.levels.removeLast()
    plan = nil
    position.phase = position.levels.isEmpty ? .end : .afterValue
  }

  private func ended(_ json: JSONReader) -> JSONReader.Fault {
    JSONReader.Fault(
      offset: json.count, isSyntax: true,
      reason: position.levels.isEmpty ? "the text is empty" : "the text ends too early")
  }

  /// Processes a value according to its plan. - Returns: `false` if the value is not complete yet.
  private mutating func value<Elements: JSONElements>(
    _ byte: UInt8, _ json: inout JSONReader, _ start: Int, _ isLast: Bool, _ elements: inout Elements,
    _ sink: inout RecordSink
  ) throws(JSONReader.Fault) -> Bool {
    let plan = plan ?? elements.plan(names)
    self.plan = plan
    let isArray = byte == UInt8(ascii: "[")
    switch plan {
    case .enter where isArray || byte == UInt8(ascii: "{"):
      json.position += 1
      position.levels.append(Level(isArray: isArray))
      position.phase = isArray ? .firstElement : .firstName
      self.plan = nil
    case .enter, .skip: skip()
    case .read(let tag):
      let first = json.position
      do throws(JSONReader.Fault) {
        try read(&json, tag, start, isLast, &elements, &sink)
        position.phase = .afterValue
      } catch {
        let isTooLong = isCut(error, json, isLast) && json.count - first > Self.maximumValue
        if isTooLong || error.reason == JSONReader.tooDeep {
          sink.skips.add(
            isTooLong ? "a value of more than \(Self.maximumValue) bytes; expected one record" : error.reason,
            at: FormatError.Place(byte: start + first, path: path))
          json.position = first
          skip()
        } else {
          if try waits(error, from: first, &json, isLast) { return false }
          throw error
        }
      }
    }
    return true
  }

  private mutating func skip() { passing = (JSONSkipper(), position) }

  /// Reads the value at the current position. Its results are removed if it is not complete.
  private mutating func read<Elements: JSONElements>(
    _ json: inout JSONReader, _ tag: Int, _ start: Int, _ isLast: Bool, _ elements: inout Elements,
    _ sink: inout RecordSink
  ) throws(JSONReader.Fault) {
    let first = json.position
    let (records, lines) = (sink.records.count, sink.lines.count)
    let (skips, withoutTime) = (sink.skips, sink.withoutTime)
    var rejection: JSONReader.Fault?
    do throws(JSONReader.Fault) {
      do throws(JSONReader.Fault) {
        try elements.read(&json, tag: tag, into: &sink)
        // A number at the end of a piece may have more digits in the next one.
        _ = json.peek()
        if !isLast, json.position >= json.count { throw JSONReader.Fault(offset: json.count, isSyntax: true, reason: "") }
        position.memory = elements.memory
        let path = sink.faults.isEmpty ? "" : path
        sink.skipFaults { FormatError.Place(byte: start + $0.offset, path: path + $0.path) }
        return
      } catch {
        if error.isSyntax { throw error }
        rejection = error
      }
      json.position = first
      try json.skipValue()
    } catch {
      sink.records.removeSubrange(records...)
      sink.lines.removeSubrange(lines...)
      sink.faults.removeAll()
      (sink.skips, sink.withoutTime) = (skips, withoutTime)
      throw error
    }
    sink.records.removeSubrange(records...)
    sink.lines.removeSubrange(lines...)
    sink.faults.removeAll()
    if let rejection {
      sink.skips.add(
        rejection.reason, at: FormatError.Place(byte: start + rejection.offset, path: path + rejection.path))
    }
  }

  /// Returns whether a fault may be caused only by the end of the piece.
  private func isCut(_ fault: JSONReader.Fault, _ json: JSONReader, _ isLast: Bool) -> Bool {
    // The longest unit that is parsed at once is a pair of surrogates.
    !isLast && fault.isSyntax && fault.offset >= json.count - 16
  }

  /// If a fault may be caused only by the end of the piece, resets the position and waits for more bytes.
  private mutating func waits(
    _ fault: JSONReader.Fault, from first: Int, _ json: inout JSONReader, _ isLast: Bool
  ) throws(JSONReader.Fault) -> Bool {
    guard isCut(fault, json, isLast) else { return false }
    guard json.count - first <= Self.maximumValue else {
      throw JSONReader.Fault(offset: first, isSyntax: true, reason: "a name of more than \(Self.maximumValue) bytes")
    }
    json.position = first
    wanted = min((json.count - first) * 2, Self.maximumValue + 1)
    return true
  }
}

/// Skips a value that arrives in pieces, by counting its brackets.
package struct JSONSkipper {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isScalar = false
  private(set) var isOver = false

  /// - Returns: The number of skipped bytes.
  package mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var index = 0
    while index < bytes.count, !isOver {
      let byte = bytes[index]
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          isOver = depth == 0
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          // A number or literal ends at the next delimiter.
          if depth == 0 {
            isOver = true
            return index
          }
          depth -= 1
          isOver = depth == 0
        case UInt8(ascii: ","):
          if depth == 0 {
            isOver = true
            return index
          }
        case 0x20, 0x0A, 0x0D, 0x09:
          if depth == 0, isScalar {
            isOver = true
            return index
          }
        default: isScalar = true
        }
      }
      index += 1
    }
    return index
  }
}

/// Parser of records in a JSON-based format.
package struct JSONRecords<Elements: JSONElements>: RecordParser {
  private var stream: JSONStream
  private var elements: Elements

  /// - Parameter state: Position at which to resume; `nil` for the start of the document.
  package init(_ elements: Elements, from state: JSONStream.State?) {
    let state = state ?? JSONStream.State()
    stream = JSONStream(from: state)
    self.elements = elements
    self.elements.memory = state.memory
  }

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    try stream.feed(bytes, isLast: false, to: &elements, into: &sink)
  }

  package mutating func finish(into sink: inout RecordSink) throws(FormatError) {
    try stream.feed(UnsafeBufferPointer(start: nil, count: 0), isLast: true, to: &elements, into: &sink)
  }

  package var state: (any ParsingState)? { stream.state }
}
