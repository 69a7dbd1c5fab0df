internal import CExpat
internal import Foundation
package import GodwitText

/// Reads GPX with expat: documents in encodings other than UTF-8, or with their own entities.
///
/// This is a class because expat stores a pointer to it. Each instance belongs to one `GPXParser`.
package final class ExpatReader {
  private let parser: XML_Parser?
  private var builder = GPXBuilder()
  private var lead = XMLLead()
  private var depth = 0
  private var isTooDeep = false

  package init() {
    parser = XML_ParserCreate(nil)
    guard let parser else { return }
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let context, let name else { return }
        Unmanaged<ExpatReader>.fromOpaque(context).takeUnretainedValue().start(name, attributes)
      },
      { context, _ in
        guard let context else { return }
        Unmanaged<ExpatReader>.fromOpaque(context).takeUnretainedValue().end()
      })
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let context, let text else { return }
      let reader = Unmanaged<ExpatReader>.fromOpaque(context).takeUnretainedValue()
      text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        reader.builder.append(UnsafeBufferPointer(start: $0, count: Int(count)))
      }
    }
    XML_SetUnknownEncodingHandler(parser, XMLEncoding.unknown, nil)
  }

  deinit { XML_ParserFree(parser) }

  package func feed(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, to builder: inout GPXBuilder
  ) throws(FormatError) {
    guard let parser else {
      throw FormatError(format: "GPX", place: FormatError.Place(byte: 0), reason: "there is not enough memory to read it")
    }
    swap(&self.builder, &builder)
    defer { swap(&self.builder, &builder) }
    let bytes = lead.trim(bytes)
    let status =
      bytes.withMemoryRebound(to: CChar.self) { XML_Parse(parser, $0.baseAddress, Int32($0.count), isLast ? 1 : 0) }
    if status == XML_STATUS_ERROR {
      let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
      throw FormatError(
        format: "GPX",
        place: FormatError.Place(byte: max(0, byte), line: line),
        reason: isTooDeep ? "elements nested more than \(XMLReader.deepest) deep" : reason)
    }
  }

  private func start(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    let element = name.withMemoryRebound(to: UInt8.self, capacity: strlen(name)) {
      GPXElement(UnsafeBufferPointer(start: $0, count: strlen(name)))
    }
    builder.start(
      element, latitude: Self.value("lat", attributes), longitude: Self.value("lon", attributes),
      byte: byte, line: line)
    depth += 1
    guard depth > XMLReader.deepest else { return }
    isTooDeep = true
    XML_StopParser(parser, XML_Bool(XML_FALSE))
  }

  private func end() {
    depth -= 1
    builder.end(byte: byte, line: line)
  }

  private var byte: Int { Int(XML_GetCurrentByteIndex(parser)) + lead.bytes }
  private var line: Int { Int(XML_GetCurrentLineNumber(parser)) + lead.lines }

  private static func value(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Double? {
    guard let attributes else { return nil }
    var index = 0
    while let key = attributes[index], let value = attributes[index + 1] {
      if strcmp(key, name) == 0 { return DecimalParser.double(String(cString: value)) }
      index += 2
    }
    return nil
  }
}
