internal import Foundation
internal import GodwitModel
public import GodwitText

extension Overland {
  /// Reads the body of a request.
  ///
  /// - Parameters:
  ///   - body: the complete text.
  ///   - maximumRecords: the maximum number of records. The rest of the text is not read.
  /// - Throws: `FormatError` if the body is not a JSON object, a feature or an array of features. Smaller faults are in the
  ///   result: see ``Request/rejected`` and ``Request/broken``.
  public static func read(
    _ body: consuming [UInt8], maximumRecords: Int = RecordBatch.maximumRecords
  ) throws(FormatError) -> Request {
    let count = body.count
    body.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    let result = body.withUnsafeBufferPointer { buffer -> Result<Request, FormatError> in
      guard let base = buffer.baseAddress else { return .success(Request()) }
      var reader = OverlandReader(base: base, count: count)
      reader.json.maximumRecords = maximumRecords
      do throws(FormatError) { return .success(try reader.read()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

/// Reads one request. Lives for one call of `Overland.read`.
package struct OverlandReader {
  package typealias Fault = JSONReader.Fault

  package var json: JSONReader
  package var keys = OverlandKeyFinder()
  var strings = RepeatedStrings()
  private var request = Overland.Request()

  package init(base: UnsafePointer<UInt8>, count: Int) { json = JSONReader(base: base, count: count) }

  mutating func read() throws(FormatError) -> Overland.Request {
    switch json.peek() {
    case UInt8(ascii: "{"): json.position += 1
    case UInt8(ascii: "["):
      readRest { (reader) throws(Fault) in try reader.locations("$") }
      return request
    default:
      let ended = json.position >= json.count
      throw formatError(
        json.syntax(
          ended ? "the body is empty; expected {\"locations\":[…]}" : "expected a JSON object: {\"locations\":[…]}"))
    }
    readRest { (reader) throws(Fault) in try reader.members() }
    if request.records.isEmpty, request.rejected.isEmpty, let broken = request.broken { throw broken }
    return request
  }

  /// Runs `body` and checks that no text follows. After a syntax error the records before it are kept, and the rest is
  /// added to the rejected parts.
  private mutating func readRest(_ body: (inout OverlandReader) throws(Fault) -> Void) {
    do throws(Fault) {
      try body(&self)
      try json.finish()
    } catch {
      let broken = formatError(error)
      request.broken = broken
      if let pending {
        request.rejected.append(
          Overland.UndeliverablePart(
            index: pending.index, place: broken.place, reason: broken.reason, raw: bytes(pending.start..<json.count),
            size: json.count - pending.start))
      }
    }
  }

  /// The number of elements so far. A second member `locations` continues the count, so that the indices of rejected parts
  /// are unique.
  private var elements = 0

  /// The element of `locations` that is being read.
  private var pending: (index: Int, start: Int)?

  private mutating func members() throws(Fault) {
    var hasLocations = false
    if !json.isEmpty(closing: UInt8(ascii: "}")) {
      repeat {
        _ = json.peek()
        let key = try json.key()
        if json.matches(key, "locations") || json.matches(key, "features") {
          let start = json.position
          guard json.peek() == UInt8(ascii: "[") else {
            throw json.unexpected("expected an array of locations", at: start, path: ".locations")
          }
          hasLocations = true
          try locations("$.locations")
        } else if json.matches(key, "current") {
          let range = try json.skipValue()
          request.current = feature(in: range)
        } else if json.matches(key, "trip") {
          request.trip = try trip()
        } else if !hasLocations, json.matches(key, "geometry") || json.matches(key, "properties") {
          // The body is a feature and not a batch.
          json.position = 0
          request = Overland.Request()
          try element(0, path: "$")
          return
        } else {
          try json.skipValue()
        }
      } while try json.hasMore(closing: UInt8(ascii: "}"))
    }
    if !hasLocations {
      throw json.unexpected("there is no member \"locations\"", at: 0)
    }
  }

  /// Reads the current trip as the text of an object. The Android app sends this text in a string.
  private mutating func trip() throws(Fault) -> String? {
    switch try json.kind() {
    case .object: return json.verbatim(try json.skipValue())
    case .string:
      let text = json.decoded(try json.string())
      return text.hasPrefix("{") ? text : nil
    default:
      try json.skipValue()
      return nil
    }
  }

  private mutating func locations(_ path: String) throws(Fault) {
    try json.expect(UInt8(ascii: "["), "[")
    // A point takes about 400 bytes. The reserved capacity is bounded, because a body may be large.
    request.records.reserveCapacity(min(2048, (json.count - json.position) / 300))
    guard !json.isEmpty(closing: UInt8(ascii: "]")) else { return }
    repeat {
      try json.check(elements, rejected: request.rejected.count)
      try element(elements, path: path)
      elements += 1
    } while try json.hasMore(closing: UInt8(ascii: "]"))
  }

  private mutating func element(_ index: Int, path: String) throws(Fault) {
    _ = json.peek()
    let start = json.position
    pending = (index, start)
    json.beginRecord()
    do throws(Fault) {
      let record = try record()
      try json.endRecord()
      request.records.append(record)
    } catch {
      if error.isSyntax { throw error }
      // The element is not a record. Skipping it as a whole detects syntax errors in it.
      let range = try json.skipRecord(from: start)
      let place = FormatError.Place(byte: error.offset, path: (path == "$" ? "$" : "\(path)[\(index)]") + error.path)
      request.rejected.append(
        Overland.UndeliverablePart(index: index, place: place, reason: error.reason, raw: bytes(range), size: range.count))
    }
    pending = nil
  }

  /// Reads a feature at another place in the text; `nil` if there is no valid feature. The position of the reader does not
  /// change.
  mutating func feature(in range: Range<Int>) -> Record? {
    let position = json.position
    defer { json.position = position }
    json.position = range.lowerBound
    guard json.peek() == UInt8(ascii: "{") else { return nil }
    do throws(Fault) { return try record() } catch { return nil }
  }

  private func bytes(_ range: Range<Int>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: json.base + range.lowerBound, count: min(range.count, RecordLimits.keptBytes)))
  }

  private func formatError(_ fault: Fault) -> FormatError {
    FormatError(
      format: "Overland",
      place: FormatError.Place(byte: fault.offset, path: fault.path.isEmpty ? nil : "$" + fault.path),
      reason: fault.reason, isLimit: fault.isLimit)
  }
}

/// Caches the strings that most records of a request share: network, device, trip. A string is made once and compared by
/// its bytes.
struct RepeatedStrings {
  private var known: [(range: Range<Int>, text: String)] = []

  /// - Parameter slot: the number of the property, from 0.
  @inline(__always)
  mutating func string(_ text: JSONReader.Text, in reader: borrowing JSONReader, slot: Int) -> String {
    while known.count <= slot { known.append((0..<0, "")) }
    let range = known[slot].range
    if range.count == text.count, !text.hasEscapes,
      isSame(reader.base + range.lowerBound, reader.base + text.start, text.count)
    {
      return known[slot].text
    }
    let made = reader.decoded(text)
    known[slot] = (text.hasEscapes ? 0..<0 : text.start..<text.end, made)
    return made
  }

  @inline(__always)
  private func isSame(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    var index = 0
    while index < count {
      if a[index] != b[index] { return false }
      index &+= 1
    }
    return true
  }
}
