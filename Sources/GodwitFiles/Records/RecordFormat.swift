internal import GodwitTracks

/// The formats in which files of records are read. The format of a file is detected by its content, never by its name.
public enum RecordFormat: String, Sendable, Hashable, Codable, CaseIterable {
  /// GPX 1.0 and 1.1.
  case gpx
  /// NMEA 0183, the output of GNSS receivers.
  case nmea
  /// GeoLife's PLT.
  case plt
  /// Batches of the Overland apps.
  case overland
  /// `Records.json` of Google's Takeout.
  case googleRecords
  /// The monthly files of Google's semantic location history.
  case googleSemantic
  /// The timeline that phones export since 2024, and the list of edits of the older export.
  case googleTimeline
  /// GeoJSON, including exports of Godwit.
  case geoJSON
  /// An array of messages of OwnTracks.
  case ownTracks
  /// A `.rec` file of OwnTracks' recorder, or a message on each line.
  case ownTracksLines
  /// Tables as text, with headings.
  case csv
  /// A document of Dawarich's archive.
  case dawarich
  /// A point or visit of Dawarich's archive on each line.
  case dawarichLines
  /// Positions of Traccar.
  case traccar
  /// KML, with or without Google's extension for tracks.
  case kml
  /// TCX of Garmin's Training Center.
  case tcx
  /// Garmin's binary format FIT.
  case fit
  /// IGC, the flight records of gliders.
  case igc
  /// Points of other programs, such as Polarsteps, as JSON objects.
  case points
  /// Zip archives with files in the other formats, including KMZ.
  case zip
  /// A file in one of the other formats, compressed with gzip.
  case gzip

  /// The common name of the format: "GPX", "Google Records", …
  public var name: String {
    switch self {
    case .gpx: "GPX"
    case .nmea: "NMEA 0183"
    case .plt: "GeoLife PLT"
    case .overland: "Overland"
    case .googleRecords: "Google Records"
    case .googleSemantic: "Google semantic history"
    case .googleTimeline: "Google Timeline"
    case .geoJSON: "GeoJSON"
    case .ownTracks: "OwnTracks"
    case .ownTracksLines: "OwnTracks .rec"
    case .csv: "CSV"
    case .dawarich: "Dawarich"
    case .dawarichLines: "Dawarich lines"
    case .traccar: "Traccar"
    case .kml: "KML"
    case .tcx: "TCX"
    case .fit: "FIT"
    case .igc: "IGC"
    case .points: "JSON points"
    case .zip: "zip"
    case .gzip: "gzip"
    }
  }

  /// Maximum number of bytes that are examined to detect the format.
  public static let guessSize = 256 << 10

  /// Detects the format of a file that begins with these bytes; `nil` if it is unknown.
  /// - Parameter head: the first ``guessSize`` bytes, or the complete file.
  public static func guess(_ head: [UInt8]) -> RecordFormat? {
    if ZipRecords.recognizes(head) { return .zip }
    if head.starts(with: [0x1F, 0x8B, 0x08]) { return .gzip }
    if FITRecords.recognizes(head) { return .fit }
    let text = FileHead(head)
    // Only XML declares its encoding.
    if text.isUTF16 { return xml(text.ascii) }
    switch text.first {
    case UInt8(ascii: "<"): return GPXParser.recognizes(head) ? .gpx : xml(text.ascii)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return JSONSniffer(head).format
    default: break
    }
    if PLTParser.recognizes(Array(head[text.start...])) { return .plt }
    if OwnTracksLines.recognizes(head[text.start...]) { return .ownTracksLines }
    if NMEAParser.recognizes(head) { return .nmea }
    if IGCLines.recognizes(head[text.start...]) { return .igc }
    if CSVRecords.recognizes(head[text.start...]) { return .csv }
    return nil
  }

  private static func xml(_ head: String) -> RecordFormat? {
    if head.contains("<gpx") || head.contains(":gpx") { return .gpx }
    if KMLTracks.recognizes(head) { return .kml }
    return TCXTracks.recognizes(head) ? .tcx : nil
  }

  /// Returns the reason for which a file that begins with these bytes cannot be read, as a sentence without its full stop.
  /// - Parameter listsFormats: whether to name all formats that are read.
  static func rejection(of head: [UInt8], listsFormats: Bool = true) -> String {
    let text = FileHead(head)
    if text.first == nil { return head.contains(0) ? "all its bytes are zero; the file is damaged" : "it is empty" }
    if let kind = FileKind.name(of: head) { return "it is \(kind)" }
    if text.isUTF16 { return "it is text in UTF-16; save it as UTF-8 and try again" }
    let known = listsFormats ? "; expected one of \(allCases.map(\.name).joined(separator: ", "))" : ""
    guard FileKind.isText(head.prefix(64)) else {
      let bytes = head.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(separator: " ")
      return "it is not text, and its kind is unknown (its first bytes are \(bytes))\(known)"
    }
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      let members = JSONSniffer(head).described
      return "it is JSON in an unknown format\(members)\(known)"
    }
    if let reason = CSVLayout.rejection(of: head[text.start...]) { return reason }
    let begin = String(decoding: head[text.start...].prefix(40), as: UTF8.self)
    return "it begins with \(begin.debugDescription), which is not the beginning of a known format\(known)"
  }
}

extension RecordFormat {
  var isXML: Bool { self == .gpx || self == .kml || self == .tcx }

  /// Makes the parser of the format.
  /// - Parameters:
  ///   - state: the state at which the parser continues. With `nil` or the state of another parser it begins at the start.
  ///   - packing: the archives that contain the file.
  func parser(from state: (any ParsingState)?, _ packing: Packing) -> any RecordParser {
    let lines = state as? LineState
    let json = state as? JSONStream.State
    return switch self {
    case .gpx: TrackRecords((state as? GPXParser.State).map { GPXParser(from: $0) } ?? GPXParser())
    case .nmea: TrackRecords(NMEAParser(from: state as? NMEAParser.State ?? NMEAParser.State()))
    case .plt: TrackRecords(PLTParser(from: lines ?? LineState()))
    case .overland: JSONRecords(OverlandElements(), from: json)
    case .googleRecords: JSONRecords(GoogleRecords(), from: json)
    case .googleSemantic: JSONRecords(GoogleSemantic(), from: json)
    case .googleTimeline: JSONRecords(GoogleTimeline(), from: json)
    case .geoJSON: JSONRecords(GeoJSONFeatures(), from: json)
    case .ownTracks: JSONRecords(OwnTracksMessages(), from: json)
    case .ownTracksLines: LineRecords(OwnTracksLines(), from: lines)
    case .csv: LineRecords(CSVRecords(packing.options), from: lines)
    case .dawarich: JSONRecords(DawarichRecords(), from: json)
    case .dawarichLines: LineRecords(JSONLines(DawarichRecords()), from: lines)
    case .traccar: JSONRecords(TraccarPositions(), from: json)
    case .kml: XMLRecords<KMLTracks>()
    case .tcx: XMLRecords<TCXTracks>()
    case .fit: FITRecords(from: state as? FITRecords.State)
    case .igc: LineRecords(IGCLines(), from: lines)
    case .points: JSONRecords(PointRecords(), from: json)
    case .zip: ZipRecords(packing)
    case .gzip: GzipRecords(packing)
    }
  }
}
