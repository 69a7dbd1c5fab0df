package import GodwitText

/// Parser of GPX 1.0 and 1.1. It reads the points of tracks, and skips waypoints and routes.
///
/// Documents in UTF-8 or ASCII without a document type are read with ``XMLScanner``. All others (other encodings, own entities) are
/// read with expat. The choice is made on the first piece, before any point is returned.
package struct GPXParser: TrackParser {
  private enum Engine {
    case undecided
    case scanner(XMLScanner)
    case expat(ExpatReader)
  }
  private var engine = Engine.undecided
  private var builder: GPXBuilder

  /// A position between two points.
  package struct State: ParsingState {
    package var byte: Int
    package var line: Int
    /// The open elements, outermost first, and the hashes of their names.
    package var elements: [GPXElement]
    package var names: [UInt64]
    package var segment: Int
  }

  /// - Parameter readsWaypoints: Whether waypoints are read as points of a track.
  package init(readsWaypoints: Bool = false) { builder = GPXBuilder(readsWaypoints: readsWaypoints) }

  package init(from state: State) {
    builder = GPXBuilder(parents: state.elements, segment: state.segment)
    engine = .scanner(XMLScanner(byte: state.byte, line: state.line, open: state.names))
  }

  /// `nil` with expat, which cannot start in the middle of a document.
  package var state: (any ParsingState)? {
    guard case .scanner(let scanner) = engine else { return nil }
    let (point, depth) = (builder.pointStart, builder.parents.count)
    let isInPoint = builder.isInPoint && point.depth < depth
    return State(
      byte: isInPoint ? point.byte : scanner.consumed, line: isInPoint ? point.line : scanner.line,
      elements: Array(builder.parents.prefix(isInPoint ? point.depth : depth)),
      names: Array(scanner.open.prefix(isInPoint ? point.depth : depth)), segment: builder.segment)
  }

  /// Returns whether the first piece of a file contains a `gpx` element or is encoded in UTF-16.
  package static func recognizes(_ head: [UInt8]) -> Bool {
    let start = head.prefix(4096)
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0x3C, 0])
      || start.starts(with: [0, 0x3C])
    {
      return true
    }
    let text = String(decoding: start, as: UTF8.self)
    return text.contains("<gpx") || text.contains(":gpx")
  }

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into points: inout [TrackPoint]) throws(FormatError) {
    swap(&points, &builder.points)
    defer { swap(&points, &builder.points) }
    if case .undecided = engine {
      engine = Self.isPlain(bytes) ? .scanner(XMLScanner()) : .expat(ExpatReader())
    }
    switch engine {
    case .undecided: break
    case .scanner(var scanner):
      // Taken out of the enumeration during the call, so that its buffer has a single owner and is not copied.
      engine = .undecided
      defer { engine = .scanner(scanner) }
      try scanner.feed(bytes, to: &builder)
    case .expat(let reader): try reader.feed(bytes, isLast: false, to: &builder)
    }
  }

  package mutating func finish(into points: inout [TrackPoint]) throws(FormatError) {
    swap(&points, &builder.points)
    defer { swap(&points, &builder.points) }
    switch engine {
    case .undecided: throw FormatError(format: "GPX", place: FormatError.Place(byte: 0), reason: "the file is empty")
    case .scanner(let scanner): try scanner.finish()
    case .expat(let reader): try reader.feed(UnsafeBufferPointer(start: nil, count: 0), isLast: true, to: &builder)
    }
  }

  package var skipped: (count: Int, first: [TrackSkip]) { (builder.skips.count, builder.skips.first) }

  package mutating func takeSkips() -> [TrackSkip] { builder.skips.takeFresh() }

  package mutating func takeUnused() -> UnusedParts {
    defer { builder.unused = UnusedParts() }
    return builder.unused
  }

  /// Returns whether the scanner supports everything that the document can contain.
  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let head = bytes.prefix(1024)
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) || head.prefix(4).contains(0) {
      return false
    }
    let text = String(decoding: head, as: UTF8.self).lowercased()
    if text.contains("<!doctype") { return false }
    guard let declared = text.firstRange(of: "encoding") else { return true }
    let name = text[declared.upperBound...].drop { " =\t\r\n".contains($0) }
    guard let quote = name.first, quote == "\"" || quote == "'" else { return true }
    return ["utf-8", "us-ascii", "ascii", "utf8"].contains(String(name.dropFirst().prefix { $0 != quote }))
  }
}
