internal import CExpat
internal import Foundation
internal import GodwitText
internal import GodwitTracks

/// Passes the elements of a KML document to a builder. It uses expat, which handles encodings and entities.
///
/// A class, because expat keeps a pointer to it. An instance reads one document.
final class KMLReader {
  private let parser: XML_Parser?
  private let builder: KMLBuilder
  private var failure: FormatError?

  init(_ builder: KMLBuilder) {
    self.builder = builder
    parser = XML_ParserCreate(nil)
    guard let parser else { return }
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let context, let name else { return }
        let reader = Unmanaged<KMLReader>.fromOpaque(context).takeUnretainedValue()
        reader.step { place throws(FormatError) in
          try reader.builder.start(XMLReader.local(name), XMLReader.named(attributes), at: place)
        }
      },
      { context, name in
        guard let context, let name else { return }
        let reader = Unmanaged<KMLReader>.fromOpaque(context).takeUnretainedValue()
        reader.step { place throws(FormatError) in try reader.builder.end(XMLReader.local(name), at: place) }
      })
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let context, let text else { return }
      let reader = Unmanaged<KMLReader>.fromOpaque(context).takeUnretainedValue()
      text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        reader.builder.append(UnsafeBufferPointer(start: $0, count: Int(count)))
      }
    }
    XML_SetUnknownEncodingHandler(parser, XMLEncoding.unknown, nil)
  }

  deinit { XML_ParserFree(parser) }

  /// Reads a document.
  /// - Throws: `FormatError` of the builder or of expat.
  func read(_ bytes: [UInt8]) throws(FormatError) {
    guard let parser else {
      throw FormatError(
        format: RegionKML.format, place: FormatError.Place(byte: 0),
        reason: "there is not enough memory "
          + "to read it")
    }
    // Skips white space before the XML declaration, which XML forbids.
    var lead = XMLLead()
    _ = bytes.withUnsafeBufferPointer { lead.trim($0) }
    // The document is parsed in pieces, because expat's sizes have 32 bits.
    var start = min(lead.bytes, max(0, bytes.count - 1))
    repeat {
      let end = min(start + 1 << 20, bytes.count)
      let status = bytes[start..<end].withUnsafeBytes { piece in
        XML_Parse(
          parser, piece.bindMemory(to: CChar.self).baseAddress, Int32(piece.count), end == bytes.count ? 1 : 0)
      }
      if let failure { throw failure }
      if status != XML_STATUS_OK {
        let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
        throw FormatError(format: RegionKML.format, place: place, reason: reason)
      }
      start = end
    } while start < bytes.count
    if !builder.hasRoot {
      throw FormatError(format: RegionKML.format, place: place, reason: "there is no kml element")
    }
  }

  private var place: FormatError.Place {
    FormatError.Place(byte: max(0, Int(XML_GetCurrentByteIndex(parser))), line: Int(XML_GetCurrentLineNumber(parser)))
  }

  /// Runs a step of the builder, and stops expat if the step throws.
  private func step(_ body: (FormatError.Place) throws(FormatError) -> Void) {
    guard failure == nil else { return }
    do throws(FormatError) { try body(place) } catch {
      failure = error
      XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
  }
}
