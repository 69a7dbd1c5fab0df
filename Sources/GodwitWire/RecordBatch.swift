public import GodwitModel
public import GodwitText

/// What a request of several records says: those that are right, and those that are none. Each stands for itself.
public struct RecordBatch: Sendable {
  /// The valid records, in their order.
  public var records: [Record] = []
  /// What was no valid record.
  public var refused: [RejectedPart] = []
  /// How many said legally that they have no place: nothing is wrong with them, and there is nothing to keep.
  public var placeless = 0
  /// Where the text stops to be what it was. What came before it is in `records`, what comes after it is the last of `refused`.
  public var broken: FormatError?

  public init() {}

  /// Records that one request may have, rejected ones included: OpenLocate's SDK sends all that it has in one request, 40,000 after
  /// ten days.
  public static let maximumRecords = RecordLimits.records
  /// Rejected records of one request, after which the rest of it is not read.
  public static let maximumRejected = 1000
}

extension JSONReader {
  /// Whether one more record of a request is read.
  /// - Parameters:
  ///   - count: records of the request so far.
  ///   - rejected: those among them that are none.
  /// - Throws: a fault that ends the request where there are too many.
  func check(_ count: Int, rejected: Int) throws(Fault) {
    if count >= maximumRecords {
      throw limit("more than \(maximumRecords) records in one request; send them in several")
    }
    if rejected >= RecordBatch.maximumRejected {
      throw limit("\(rejected) records of the request are none; the others were not read")
    }
  }
}

/// A part of a request that is no valid record.
public struct RejectedPart: Sendable, Hashable {
  /// Its position in the request, from 0.
  public var index: Int
  /// Where it is wrong.
  public var place: FormatError.Place
  /// What is wrong and what was expected.
  public var reason: String
  /// Its first `RecordLimits.keptBytes` as they came.
  public var raw: [UInt8]
  /// Bytes that it had.
  public var size: Int

  /// - Parameters:
  ///   - index: its position in the request, from 0.
  ///   - place: where it is wrong.
  ///   - reason: what is wrong and what was expected.
  ///   - raw: its bytes as they came, or the first of them.
  ///   - size: bytes that it had; `nil`: those of `raw`.
  public init(index: Int, place: FormatError.Place, reason: String, raw: [UInt8], size: Int? = nil) {
    self.index = index
    self.place = place
    self.reason = reason
    self.raw = raw
    self.size = size ?? raw.count
  }
}

extension RegionReader {
  /// An array of records, each of which stands for itself: what is wrong in itself is set aside, what breaks the text ends it.
  /// - Parameters:
  ///   - path: of the array, with the point before it.
  ///   - batch: what it comes to.
  ///   - read: reads one; `nil` for one that legally has no place.
  mutating func records(
    path: String, into batch: inout RecordBatch, _ read: (inout RegionReader) throws(Fault) -> Record?
  ) throws(Fault) {
    try json.expect(UInt8(ascii: "["), "[")
    guard !json.isEmpty(closing: UInt8(ascii: "]")) else { return }
    var index = 0
    repeat {
      try json.check(index, rejected: batch.refused.count)
      try record(index, path: "\(path)[\(index)]", into: &batch, read)
      index += 1
    } while try json.hasMore(closing: UInt8(ascii: "]"))
  }

  /// One record of a request, as above.
  mutating func record(
    _ index: Int, path: @autoclosure () -> String, into batch: inout RecordBatch,
    _ read: (inout RegionReader) throws(Fault) -> Record?
  ) throws(Fault) {
    _ = json.peek()
    let start = json.position
    json.beginRecord()
    do throws(Fault) {
      let record = try read(&self)
      try json.endRecord()
      if let record { batch.records.append(record) } else { batch.placeless += 1 }
    } catch {
      let fault = error.below(path())
      if fault.isSyntax {
        refuse(fault, start..<json.count, index, in: &batch)
        throw fault
      }
      // It is JSON, but no record: pass it whole, which finds out whether it really is JSON.
      let range: Range<Int>
      do throws(Fault) { range = try json.skipRecord(from: start) } catch {
        refuse(error, start..<json.count, index, in: &batch)
        throw error
      }
      refuse(fault, range, index, in: &batch)
    }
  }

  private func refuse(_ fault: Fault, _ range: Range<Int>, _ index: Int, in batch: inout RecordBatch) {
    let path = fault.path.hasPrefix(".") ? String(fault.path.dropFirst()) : fault.path
    batch.refused.append(
      RejectedPart(
        index: index, place: FormatError.Place(byte: fault.offset, path: path.isEmpty ? nil : path), reason: fault.reason,
        raw: Array(UnsafeBufferPointer(start: json.base + range.lowerBound, count: min(range.count, RecordLimits.keptBytes))),
        size: range.count))
  }

  /// Runs `body`; where the text stops to be JSON after something was read of it, that is noted and no error.
  mutating func lossy(
    _ format: String, _ batch: inout RecordBatch, _ body: (inout RegionReader, inout RecordBatch) throws(Fault) -> Void
  ) throws(Fault) {
    do throws(Fault) {
      try body(&self, &batch)
      try json.finish()
    } catch {
      guard error.isSyntax, !batch.records.isEmpty || !batch.refused.isEmpty else { throw error }
      batch.broken = error.formatError(format, in: UnsafeBufferPointer(start: json.base, count: json.count))
      json.position = json.count
    }
  }

  /// An object inside another one, of which some members are known: the others stay in an object of that name.
  mutating func nested(
    _ name: String, of foreign: inout RegionImporter,
    _ take: (inout RegionReader, _ key: JSONReader.Text) throws(Fault) -> Bool
  ) throws(Fault) {
    var rest = RegionImporter()
    try members(of: &rest) { (reader, key, _) throws(Fault) in try take(&reader, key) }
    guard let text = rest.othersText else { return }
    var member: [UInt8] = []
    JSONWriter.string(name, to: &member)
    foreign.keep(member + Array(":\(text)".utf8))
  }

  /// A number that is finite, also as a string; `nil` for `null`.
  mutating func finiteNumber() throws(Fault) -> Double? {
    _ = json.peek()
    let start = json.position
    guard let value = try json.lossyNumber() else { return nil }
    guard abs(value) <= 1e9 else { throw json.unexpected("the number is too large", at: start) }
    return value
  }

  /// A number that is not known where it is below zero.
  mutating func knownNumber() throws(Fault) -> Double? { try finiteNumber().flatMap { $0 >= 0 ? $0 : nil } }

  /// Degrees by a rule.
  mutating func degrees(_ rule: (Double, _ shown: String) -> String?) throws(Fault) -> Double? {
    _ = json.peek()
    let start = json.position
    guard let value = try json.lossyNumber() else { return nil }
    if let reason = rule(value, json.verbatim(start..<min(json.position, start + 40))) {
      throw json.unexpected(reason, at: start)
    }
    return value
  }

  /// True or false, also as a word or as 0 and 1; `nil` for anything else, which is passed.
  mutating func lossyFlag() throws(Fault) -> Bool? {
    switch try json.kind() {
    case .boolean: return try json.boolean()
    case .number: return BooleanText.read(json.verbatim(try json.skipValue()))
    case .string: return BooleanText.read(json.decoded(try json.string()))
    default:
      try json.skipValue()
      return nil
    }
  }
}

/// True and false as clients write them.
enum BooleanText {
  static func read(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "1", "yes", "on": true
    case "false", "0", "no", "off": false
    default: nil
    }
  }
}

/// A moment as clients write it: seconds or milliseconds since 1970, RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC.
enum DeviceTimestamp {
  static let expected = "expected seconds or milliseconds since 1970, or a time such as 2026-11-20T08:30:00Z"

  /// Milliseconds since 1970; `nil`: it is no time, or none of the years 1970 to 2199.
  static func milliseconds(_ text: String) -> Int64? {
    let value: Int64?
    if let number = NumberText.read(text) {
      value = milliseconds(number)
    } else if let exact = RFC3339.date(text) {
      value = exact.millisecondsSince1970
    } else if let date = RFC3339.date(text + "Z") {
      value = date.millisecondsSince1970
    } else if text.utf8.count > 20, let blank = text.lastIndex(of: " "), text.distance(from: text.startIndex, to: blank) > 10 {
      // A plus that was not escaped arrives as a blank.
      value = RFC3339.date(text[..<blank] + "+" + text[text.index(after: blank)...])?.millisecondsSince1970
    } else {
      value = nil
    }
    guard let value, TimestampParser.validTimes.contains(value) else { return nil }
    return value
  }

  /// Seconds, or milliseconds where seconds would be long after us.
  static func milliseconds(_ number: Double) -> Int64? {
    abs(number) < 1e11 ? Int64((number * 1000).rounded()) : abs(number) < 1e15 ? Int64(number.rounded()) : nil
  }
}

/// A number as it stands in an address: digits, and nothing that only a programming language knows.
enum NumberText {
  static func read(_ text: some StringProtocol) -> Double? {
    let digits = text.utf8
    guard (1...40).contains(digits.count),
      digits.allSatisfy({ ($0 &- 48) <= 9 || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }), let value = Double(text),
      value.isFinite
    else { return nil }
    return value
  }
}
