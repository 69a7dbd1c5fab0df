/// The languages that whole files of records are read in. A file's language is found out by its content, never by its name.
public enum RecordFormat: String, Sendable, Hashable, Codable, CaseIterable {
  /// GPX 1.0 and 1.1.
  case gpx
  /// What receivers say: NMEA 0183.
  case nmea
  /// GeoLife's PLT.
  case plt
  /// Batches of the Overland apps.
  case overland
  /// `Records.json` of Google's Takeout.
  case googleRecords
  /// The months of Google's semantic location history.
  case googleSemantic
  /// The timeline that phones export since 2024, and the list of edits of the older export.
  case googleTimeline
  /// GeoJSON, our own included.
  case geoJSON
  /// An array of OwnTracks' messages.
  case ownTracks
  /// `.rec` of OwnTracks' recorder, or a message on each line.
  case ownTracksLines
  /// Tables with headings.
  case csv
  /// One document of Dawarich's archive.
  case dawarich
  /// A point or visit of Dawarich's archive on each line.
  case dawarichLines
  /// Traccar's positions.
  case traccar
  /// KML, with or without Google's extension for tracks.
  case kml
  /// Garmin's Training Center.
  case tcx
  /// Archives with files in the other languages, KMZ among them.
  case zip
  /// A file in one of the other languages, packed.
  case gzip

  /// As people know it: "GPX", "Google Records", …
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
    case .zip: "zip"
    case .gzip: "gzip"
    }
  }

  /// Most bytes that are looked at before it is decided.
  public static let guessSize = 256 << 10

  /// The language of a file that begins with these bytes; `nil`: none that is read.
  /// - Parameter head: the first ``guessSize`` bytes, or all there are.
  public static func guess(_ head: [UInt8]) -> RecordFormat? {
    if ZipRecords.recognizes(head) { return .zip }
    if head.starts(with: [0x1F, 0x8B, 0x08]) { return .gzip }
    let text = FileHead(head)
    // Only XML says in which encoding it is.
    if text.isUTF16 { return xml(text.ascii) }
    switch text.first {
    case UInt8(ascii: "<"): return GPXParser.recognizes(head) ? .gpx : xml(text.ascii)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return JSONSketch(head).format
    default: break
    }
    if PLTParser.recognizes(Array(head[text.start...])) { return .plt }
    if OwnTracksLines.recognizes(head[text.start...]) { return .ownTracksLines }
    if NMEAParser.recognizes(head) { return .nmea }
    if CSVRecords.recognizes(head[text.start...]) { return .csv }
    return nil
  }

  private static func xml(_ head: String) -> RecordFormat? {
    if head.contains("<gpx") || head.contains(":gpx") { return .gpx }
    if KMLTracks.recognizes(head) { return .kml }
    return TCXTracks.recognizes(head) ? .tcx : nil
  }

  /// Why nothing could be made of a file that begins with these bytes. A sentence without its full stop.
  static func refusal(of head: [UInt8]) -> String {
    let text = FileHead(head)
    if text.first == nil { return "it is empty" }
    if text.isUTF16 { return "it is text in UTF-16; save it as UTF-8 and try again" }
    let shown = String(decoding: head[text.start...].prefix(40), as: UTF8.self).debugDescription
    let known = allCases.map(\.name).joined(separator: ", ")
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      let members = JSONSketch(head).described
      return "it is JSON, but of no language that is known\(members); expected one of \(known)"
    }
    return "it begins with \(shown), which is none of \(known)"
  }
}

/// What the first bytes of a file say before anybody reads it.
struct FileHead {
  /// Bytes of a mark of the byte order before UTF-8.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Where the text begins, after the mark and white space.
  let start: Int
  /// The first byte that is no white space.
  let first: UInt8?
  let isUTF16: Bool
  private let head: [UInt8]

  /// The ASCII characters of the first bytes, in whichever encoding they are.
  var ascii: String { String(decoding: head.prefix(4096).filter { $0 > 0 && $0 < 0x80 }, as: UTF8.self) }

  init(_ head: [UInt8]) {
    self.head = head
    let begin = head.starts(with: Self.mark) ? 3 : 0
    start = head[begin...].firstIndex { $0 > 0x20 } ?? head.count
    first = start < head.count ? head[start] : nil
    // A mark, or ASCII with a zero beside each letter.
    isUTF16 =
      head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
      || (head.count >= 4 && (head[0] == 0) != (head[1] == 0) && (head[2] == 0) != (head[3] == 0))
  }
}

extension RecordFormat {
  var isXML: Bool { self == .gpx || self == .kml || self == .tcx }

  /// What reads it.
  /// - Parameter state: where it goes on.
  func parser(from state: ParserState?) -> any RecordParser {
    switch (self, state) {
    case (.gpx, .gpx(let state)): TrackRecords(GPXParser(from: state))
    case (.gpx, _): TrackRecords(GPXParser())
    case (.nmea, .nmea(let state)): TrackRecords(NMEAParser(from: state))
    case (.nmea, _): TrackRecords(NMEAParser())
    case (.plt, .lines(let state)): TrackRecords(PLTParser(from: state))
    case (.plt, _): TrackRecords(PLTParser())
    case (.overland, _): JSONRecords(OverlandElements(), from: state)
    case (.googleRecords, _): JSONRecords(GoogleRecords(), from: state)
    case (.googleSemantic, _): JSONRecords(GoogleSemantic(), from: state)
    case (.googleTimeline, _): JSONRecords(GoogleTimeline(), from: state)
    case (.geoJSON, _): JSONRecords(GeoJSONFeatures(), from: state)
    case (.ownTracks, _): JSONRecords(OwnTracksMessages(), from: state)
    case (.ownTracksLines, _): LineRecords(OwnTracksLines(), from: state)
    case (.csv, _): LineRecords(CSVRecords(), from: state)
    case (.dawarich, _): JSONRecords(DawarichRecords(), from: state)
    case (.dawarichLines, _): LineRecords(JSONLines(DawarichRecords()), from: state)
    case (.traccar, _): JSONRecords(TraccarPositions(), from: state)
    case (.kml, _): XMLRecords<KMLTracks>()
    case (.tcx, _): XMLRecords<TCXTracks>()
    case (.zip, _): ZipRecords()
    case (.gzip, _): GzipRecords()
    }
  }
}
