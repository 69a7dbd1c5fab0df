public import GodwitModel
public import GodwitText

/// The result of reading a request with several records: the valid records and the rejected parts. A fault in one record
/// does not affect the others.
public struct RecordBatch: Sendable {
  /// The valid records, in the order of the request.
  public var records: [Record] = []
  /// The parts that are not valid records.
  public var rejected: [RejectedPart] = []
  /// The number of valid parts without a position, which make no records.
  public var placeless = 0
  /// The error at which reading stopped; `nil` if the whole text was read. The records before it are in `records`; the text
  /// after it is the last element of `rejected`.
  public var broken: FormatError?

  public init() {}

  /// Maximum number of records in a request, including rejected ones. OpenLocate's SDK sends all stored records in one
  /// request: 40,000 after ten days.
  public static let maximumRecords = RecordLimits.records
  /// Maximum number of rejected records in a request. The rest of the request is not read.
  public static let maximumRejected = 1000
}

extension JSONReader {
  /// Checks whether another record of a request may be read.
  /// - Parameters:
  ///   - count: the number of records read so far.
  ///   - rejected: the number of rejected records among them.
  /// - Throws: a fault that ends the reading of the request if a limit is reached.
  func check(_ count: Int, rejected: Int) throws(Fault) {
    if count >= maximumRecords {
      throw limit("more than \(maximumRecords) records in one request; send them in several requests")
    }
    if rejected >= RecordBatch.maximumRejected {
      throw limit("\(rejected) records of the request are not valid; the others were not read")
    }
  }
}

/// A part of a request that is not a valid record.
public struct RejectedPart: Sendable, Hashable {
  /// The index of the part in the request, from 0.
  public var index: Int
  /// The place of the fault.
  public var place: FormatError.Place
  /// The fault and what was expected.
  public var reason: String
  /// The first `RecordLimits.keptBytes` of the part as received.
  public var raw: [UInt8]
  /// The size of the part in bytes.
  public var size: Int

  /// - Parameters:
  ///   - index: the index of the part in the request, from 0.
  ///   - place: the place of the fault.
  ///   - reason: the fault and what was expected.
  ///   - raw: the bytes of the part as received, or the first of them.
  ///   - size: the size of the part in bytes; `nil` for the size of `raw`.
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

  /// Reads an array of records. An invalid record is added to ``rejected``; a syntax error ends the reading.
  /// - Parameters:
  ///   - json: the reader, before the array.
  ///   - path: the path of the array, with a leading full stop.
  ///   - read: reads a record; `nil` for a valid element without a position.
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

  /// Reads one record of a request, like ``readRecords(from:path:_:)``.
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
      // The part is not a record. Skipping it as a whole detects syntax errors in it.
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

  /// Makes a batch of everything that `body` reads. A syntax error after the first record or rejected part is stored in
  /// ``broken`` and not thrown.
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
