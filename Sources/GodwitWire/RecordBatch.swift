public import GodwitModel
public import GodwitText

/// What a request of several records says: those that are right, and those that are none. Each stands for itself.
public struct RecordBatch: Sendable {
  /// The valid records, in their order.
  public var records: [Record] = []
  /// What was no valid record.
  public var rejected: [RejectedPart] = []
  /// How many legally have no place: nothing is wrong with them, and there is nothing to keep.
  public var placeless = 0
  /// Where the text stops to be what it was. What came before it is in `records`, what comes after it is the last of `rejected`.
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
      throw limit("more than \(maximumRecords) records in one request; send them in several requests")
    }
    if rejected >= RecordBatch.maximumRejected {
      throw limit("\(rejected) records of the request are not valid; the others were not read")
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

extension RecordBatch {
  typealias Fault = JSONReader.Fault

  /// Reads an array of records, each of which stands for itself: what is wrong in itself is quarantined, what breaks the text ends it.
  /// - Parameters:
  ///   - json: stands before the array.
  ///   - path: of the array, with the point before it.
  ///   - read: reads one; `nil` for one that legally has no place.
  mutating func readRecords(
    from json: inout JSONReader, path: String, _ read: (inout JSONReader) throws(Fault) -> Record?
  ) throws(Fault) {
    try json.expect(UInt8(ascii: "["), "[")
    guard !json.isEmpty(closing: UInt8(ascii: "]")) else { return }
    var index = 0
    repeat {
      try json.check(index, rejected: rejected.count)
      try readRecord(from: &json, index, path: "\(path)[\(index)]", read)
      index += 1
    } while try json.hasMore(closing: UInt8(ascii: "]"))
  }

  /// Reads one record of a request, as above.
  mutating func readRecord(
    from json: inout JSONReader, _ index: Int, path: @autoclosure () -> String,
    _ read: (inout JSONReader) throws(Fault) -> Record?
  ) throws(Fault) {
    _ = json.peek()
    let start = json.position
    json.beginRecord()
    do throws(Fault) {
      let record = try read(&json)
      try json.endRecord()
      if let record { records.append(record) } else { placeless += 1 }
    } catch {
      let fault = error.below(path())
      if fault.isSyntax {
        refuse(fault, start..<json.count, index, of: json)
        throw fault
      }
      // It is JSON, but no record: pass it whole, which finds out whether it really is JSON.
      let range: Range<Int>
      do throws(Fault) { range = try json.skipRecord(from: start) } catch {
        refuse(error, start..<json.count, index, of: json)
        throw error
      }
      refuse(fault, range, index, of: json)
    }
  }

  private mutating func refuse(_ fault: Fault, _ range: Range<Int>, _ index: Int, of json: JSONReader) {
    let path = fault.path.hasPrefix(".") ? String(fault.path.dropFirst()) : fault.path
    rejected.append(
      RejectedPart(
        index: index, place: FormatError.Place(byte: fault.offset, path: path.isEmpty ? nil : path), reason: fault.reason,
        raw: Array(UnsafeBufferPointer(start: json.base + range.lowerBound, count: min(range.count, RecordLimits.keptBytes))),
        size: range.count))
  }

  /// A batch of all that `body` reads. Where the text stops to be JSON after something was read of it, the batch says so, and it
  /// is no error.
  init(
    from json: inout JSONReader, format: String,
    _ body: (inout JSONReader, inout RecordBatch) throws(Fault) -> Void
  ) throws(Fault) {
    self.init()
    do throws(Fault) {
      try body(&json, &self)
      try json.finish()
    } catch {
      guard error.isSyntax, !records.isEmpty || !rejected.isEmpty else { throw error }
      broken = error.formatError(format, in: UnsafeBufferPointer(start: json.base, count: json.count))
      json.position = json.count
    }
  }
}
