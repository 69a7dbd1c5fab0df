internal import CExpat
internal import Foundation
package import GodwitText

/// Receives the elements from an XML reader. Names have no prefix.
package protocol XMLHandler: AnyObject {
  func start(_ name: String, _ attributes: [String: String], at place: FormatError.Place)
  func append(_ text: UnsafeBufferPointer<UInt8>)
  func end(_ name: String, at place: FormatError.Place)
}

/// Reads XML in pieces with expat, which supports encodings and entities.
///
/// This is a class because expat stores a pointer to it. Each instance belongs to one parser.
package final class XMLReader {
  private let parser: XML_Parser?
  private let handler: any XMLHandler
  private let format: String
  private var depth = 0
  private var isTooDeep = false

  package static let deepest = 200
  private var lead = XMLLead()

  package init(_ format: String, _ handler: any XMLHandler) {
    self.format = format
    self.handler = handler
    parser = XML_ParserCreate(nil)
    guard let parser else { return }
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let context, let name else { return }
        let reader = Unmanaged<XMLReader>.fromOpaque(context).takeUnretainedValue()
        reader.depth += 1
        guard reader.depth <= XMLReader.deepest else {
          reader.isTooDeep = true
          XML_StopParser(reader.parser, XML_Bool(XML_FALSE))
          return
        }
        reader.handler.start(XMLReader.local(name), XMLReader.named(attributes), at: reader.place)
      },
      { context, name in
        guard let context, let name else { return }
        let reader = Unmanaged<XMLReader>.fromOpaque(context).takeUnretainedValue()
        reader.depth -= 1
        reader.handler.end(XMLReader.local(name), at: reader.place)
      })
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let context, let text else { return }
      let reader = Unmanaged<XMLReader>.fromOpaque(context).takeUnretainedValue()
      text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        reader.handler.append(UnsafeBufferPointer(start: $0, count: Int(count)))
      }
    }
    XML_SetUnknownEncodingHandler(parser, XMLEncoding.unknown, nil)
  }

  deinit { XML_ParserFree(parser) }

  package func feed(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(FormatError) {
    guard let parser else {
      throw FormatError(format: format, place: FormatError.Place(byte: 0), reason: "there is not enough memory to read it")
    }
    let bytes = lead.trim(bytes)
    // In pieces, because expat's count has 32 bits.
    var start = 0
    repeat {
      let end = min(start + 1 << 24, bytes.count)
      let piece = UnsafeBufferPointer(rebasing: bytes[start..<end])
      let isFinal: Int32 = isLast && end == bytes.count ? 1 : 0
      let status = piece.withMemoryRebound(to: CChar.self) {
        XML_Parse(parser, $0.baseAddress, Int32($0.count), isFinal)
      }
      if status != XML_STATUS_OK {
        let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
        throw FormatError(
          format: format, place: place,
          reason: isTooDeep ? "elements nested more than \(Self.deepest) deep" : reason)
      }
      start = end
    } while start < bytes.count
  }

  private var place: FormatError.Place {
    FormatError.Place(
      byte: max(0, Int(XML_GetCurrentByteIndex(parser))) + lead.bytes, line: Int(XML_GetCurrentLineNumber(parser)) + lead.lines)
  }

  /// Returns a name without its prefix.
  package static func local(_ name: UnsafePointer<CChar>) -> String {
    guard let colon = strrchr(name, 0x3A) else { return String(cString: name) }
    return String(cString: colon + 1)
  }

  /// Converts expat's attributes to a dictionary by name.
  package static func named(_ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String: String] {
    guard let attributes else { return [:] }
    var result: [String: String] = [:]
    var index = 0
    while let key = attributes[index], let value = attributes[index + 1] {
      result[String(cString: key)] = String(cString: value)
      index += 2
    }
    return result
  }
}

/// White space before the XML declaration, which XML forbids and some programs write.
package struct XMLLead {
  /// Number of bytes and lines removed so far.
  package private(set) var bytes = 0
  package private(set) var lines = 0
  private var hasBegun = false

  package init() {}

  /// Returns a piece of a document without white space and byte order mark at the start of the document.
  package mutating func trim(_ piece: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard !hasBegun, !piece.isEmpty else { return piece }
    var start = bytes == 0 && piece.starts(with: FileHead.byteOrderMark) ? 3 : 0
    while start < piece.count, [0x20, 0x09, 0x0A, 0x0D].contains(piece[start]) {
      if piece[start] == 0x0A { lines += 1 }
      start += 1
    }
    hasBegun = start < piece.count
    bytes += start
    return UnsafeBufferPointer(rebasing: piece[start...])
  }
}

/// An XML handler that creates records.
package protocol XMLRecordHandler: XMLHandler {
  static var format: String { get }
  /// Output since it was last taken.
  var sink: RecordSink { get set }
  init()
}

/// Parser of records in an XML-based format. It can only read a file from its start.
package struct XMLRecords<Handler: XMLRecordHandler>: RecordParser {
  private let handler: Handler
  private let reader: XMLReader

  package init() {
    handler = Handler()
    reader = XMLReader(Handler.format, handler)
  }

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    try step(bytes, isLast: false, into: &sink)
  }

  package mutating func finish(into sink: inout RecordSink) throws(FormatError) {
    try step(UnsafeBufferPointer(start: nil, count: 0), isLast: true, into: &sink)
  }

  private func step(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, into sink: inout RecordSink
  ) throws(FormatError) {
    swap(&sink, &handler.sink)
    defer { swap(&sink, &handler.sink) }
    try reader.feed(bytes, isLast: isLast)
  }

  package var state: (any ParsingState)? { nil }
}

/// Collects the text of the open element.
package struct XMLText {
  private var bytes: [UInt8] = []
  package private(set) var isOpen = false
  private let maximum: Int

  package init(maximum: Int = 4096) { self.maximum = maximum }

  package mutating func open() {
    bytes.removeAll(keepingCapacity: true)
    isOpen = true
  }

  package mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    if isOpen, bytes.count < maximum { bytes.append(contentsOf: text.prefix(maximum - bytes.count)) }
  }

  package mutating func close() { isOpen = false }

  package var number: Double? { bytes.withUnsafeBufferPointer { DecimalParser.double($0) } }
  package var time: Int64? {
    let text = words.trimmed
    // A year or a month alone (gYear and gYearMonth of XML Schema) means its beginning, and not a number of seconds.
    let isYear = text.count == 4 && text.allSatisfy { $0.isASCII && $0.isNumber }
    let isMonth = text.count == 7 && text.dropFirst(4).first == "-"
    let whole = isYear ? text + "-01-01T00:00:00Z" : isMonth ? text + "-01T00:00:00Z" : text
    return whole.withUTF8Bytes { TimestampParser.milliseconds($0) }
  }
  package var words: String { String(decoding: bytes, as: UTF8.self).trimmed }
  package var isEmpty: Bool { !bytes.contains { $0 > 0x20 } }

  /// Calls a closure for each tuple of numbers. Tuples are separated by white space, and numbers by commas.
  package func forEachTuple(_ body: ([Double?]) -> Void) {
    for tuple in bytes.split(whereSeparator: { $0 <= 0x20 }) {
      body(
        tuple.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { part in
          part.withUnsafeBufferPointer { DecimalParser.double($0) }
        })
    }
  }
}
