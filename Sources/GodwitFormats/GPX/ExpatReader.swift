internal import CExpat
internal import Foundation

/// GPX through expat: for encodings other than UTF-8 and documents with entities of their own.
///
/// A class, because expat keeps a pointer to it; it lives and is used inside one `GPXParser`.
final class ExpatReader {
  private let parser: XML_Parser?
  private var builder = GPXBuilder()

  init() {
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
    XML_SetUnknownEncodingHandler(parser, ExpatReader.unknownEncoding, nil)
  }

  deinit { XML_ParserFree(parser) }

  func feed(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, to builder: inout GPXBuilder
  ) throws(FormatError) {
    guard let parser else {
      throw FormatError(format: "GPX", place: FormatError.Place(byte: 0), reason: "there is no memory to read it")
    }
    swap(&self.builder, &builder)
    defer { swap(&self.builder, &builder) }
    let status =
      bytes.withMemoryRebound(to: CChar.self) { XML_Parse(parser, $0.baseAddress, Int32($0.count), isLast ? 1 : 0) }
    if status == XML_STATUS_ERROR {
      let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
      throw FormatError(
        format: "GPX",
        place: FormatError.Place(
          byte: max(0, Int(XML_GetCurrentByteIndex(parser))), line: Int(XML_GetCurrentLineNumber(parser))),
        reason: reason)
    }
  }

  private func start(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    let element = name.withMemoryRebound(to: UInt8.self, capacity: strlen(name)) {
      GPXElement(UnsafeBufferPointer(start: $0, count: strlen(name)))
    }
    builder.start(
      element, latitude: Self.value("lat", attributes), longitude: Self.value("lon", attributes),
      byte: Int(XML_GetCurrentByteIndex(parser)), line: Int(XML_GetCurrentLineNumber(parser)))
  }

  private func end() {
    builder.end(byte: Int(XML_GetCurrentByteIndex(parser)), line: Int(XML_GetCurrentLineNumber(parser)))
  }

  private static func value(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Double? {
    guard let attributes else { return nil }
    var index = 0
    while let key = attributes[index], let value = attributes[index + 1] {
      if strcmp(key, name) == 0 { return DecimalParser.double(String(cString: value)) }
      index += 2
    }
    return nil
  }

  /// Encodings of one byte a character that expat does not know: Foundation tells what each byte means.
  static let unknownEncoding: XML_UnknownEncodingHandler = { _, name, info in
    guard let name, let info else { return 0 }
    guard let encoding = XMLEncoding.named(String(cString: name)) else { return 0 }
    withUnsafeMutablePointer(to: &info.pointee.map) { map in
      map.withMemoryRebound(to: Int32.self, capacity: 256) { map in
        for byte in 0..<256 {
          let scalar = String(data: Data([UInt8(byte)]), encoding: encoding)?.unicodeScalars.first
          map[byte] = scalar.map { Int32($0.value) } ?? -1
        }
      }
    }
    info.pointee.data = nil
    info.pointee.convert = nil
    info.pointee.release = nil
    return 1
  }
}

/// Names of encodings as XML declares them.
enum XMLEncoding {
  /// The encodings of one byte a character beyond those that expat has built in.
  static func named(_ name: String) -> String.Encoding? {
    switch name.lowercased() {
    case "iso-8859-2", "latin2": .isoLatin2
    case "windows-1250", "cp1250": .windowsCP1250
    case "windows-1251", "cp1251": .windowsCP1251
    case "windows-1252", "cp1252": .windowsCP1252
    case "windows-1253", "cp1253": .windowsCP1253
    case "windows-1254", "cp1254": .windowsCP1254
    case "macintosh", "macroman": .macOSRoman
    // For places and times, which are ASCII, every other encoding of this family means the same.
    case let other where other.hasPrefix("iso-8859-") || other.hasPrefix("windows-") || other.hasPrefix("koi8"):
      .isoLatin1
    default: nil
    }
  }
}
