public import GodwitModel
internal import GodwitText
internal import GodwitTracks
internal import GodwitWire

/// Writes records in one of the languages of files, one after the other, so that a file may be longer than memory.
///
/// What a language has no place for is left out: ``Format/carries(_:)`` reports it of whole records, Documentation/Formats.md
/// of the rest. Records are to come in the order of their times.
public struct RecordWriter {
  /// The languages that are written.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    case gpx, kml, geojson, csv, nmea, plt, tcx, owntracks, overland

    /// The language as it is read.
    public var read: RecordFormat {
      switch self {
      case .gpx: .gpx
      case .kml: .kml
      case .geojson: .geoJSON
      case .csv: .csv
      case .nmea: .nmea
      case .plt: .plt
      case .tcx: .tcx
      case .owntracks: .ownTracksLines
      case .overland: .overland
      }
    }

    /// The ending of a file's name, without the full stop.
    public var fileExtension: String {
      switch self {
      case .gpx, .kml, .geojson, .csv, .nmea, .plt, .tcx: rawValue
      case .owntracks: "rec"
      case .overland: "json"
      }
    }

    /// The type that it is sent over HTTP as.
    public var mediaType: String {
      switch self {
      case .gpx: "application/gpx+xml"
      case .kml: "application/vnd.google-earth.kml+xml"
      case .geojson: "application/geo+json"
      case .csv: "text/csv; charset=utf-8"
      case .nmea, .plt, .owntracks: "text/plain; charset=utf-8"
      case .tcx: "application/vnd.garmin.tcx+xml"
      case .overland: "application/json"
      }
    }

    /// Whether there is a way to say a record at all: fixes always, and in some languages what happened beside them.
    public func carries(_ record: Record) -> Bool {
      switch (self, record.kind) {
      case (_, .fix), (.geojson, _), (.overland, _): true
      case (.kml, .visit(let visit)): visit.arrival != nil || visit.departure != nil
      case (.owntracks, .region): OwnTracks.carries(record)
      default: false
      }
    }
  }

  /// The language.
  public let format: Format
  private let device: String
  private var gpx = GPXWriter()
  private var geojson = GeoJSONWriter()
  private var kml = KMLTrackWriter()
  private var tcx = TCXWriter()
  private var hasRecords = false
  private var last: Int64?
  private var segment = 0

  /// Milliseconds between two points that belong to different pieces of a track: a quarter of an hour.
  private static let gap: Int64 = 900_000

  /// - Parameters:
  ///   - format: the language.
  ///   - device: the device of the records.
  public init(_ format: Format, device: String) {
    self.format = format
    self.device = device
  }

  /// The beginning of the file. - Parameter bytes: what it is appended to.
  public func header(into bytes: inout [UInt8]) {
    switch format {
    case .gpx: gpx.header(name: device, into: &bytes)
    case .kml: kml.header(name: device, into: &bytes)
    case .geojson: geojson.header(into: &bytes)
    case .csv: bytes += Array(CSVWriter.heading.utf8)
    case .nmea, .owntracks: break
    case .plt: bytes += Array(PLTWriter.heading.utf8)
    case .tcx: tcx.header(into: &bytes)
    case .overland: JSONWriter.raw("{\"locations\":[\n", to: &bytes)
    }
  }

  /// One record. - Parameters:
  ///   - record: what the language does not carry writes nothing.
  ///   - bytes: what it is appended to.
  public mutating func append(_ record: Record, into bytes: inout [UInt8]) {
    guard format.carries(record) else { return }
    switch format {
    case .geojson: return geojson.append(record, device: device, into: &bytes)
    case .overland:
      if hasRecords { JSONWriter.raw(",\n", to: &bytes) }
      hasRecords = true
      return Overland.writeFeature(record, into: &bytes)
    case .owntracks: return OwnTracksLineWriter.append(record, device: device, into: &bytes)
    case .kml: if case .visit(let visit) = record.kind { return kml.append(visit, extras: record.extras, into: &bytes) }
    default: break
    }
    guard case .fix(let fix) = record.kind else { return }
    let time = fix.time.millisecondsSince1970
    if let last, time - last > Self.gap { segment += 1 }
    last = time
    switch format {
    case .gpx:
      gpx.append(
        TrackPoint(
          coordinate: fix.coordinate, time: fix.time, altitude: fix.altitude, speed: fix.speed, course: fix.course,
          segment: segment), into: &bytes)
    case .kml: kml.append(fix, segment: segment, into: &bytes)
    case .csv: CSVWriter.append(record, fix, into: &bytes)
    case .nmea: bytes += Array(NMEAWriter.sentences(for: fix).utf8)
    case .plt: PLTWriter.append(fix, into: &bytes)
    case .tcx: tcx.append(fix, of: record, segment: segment, into: &bytes)
    case .geojson, .overland, .owntracks: break
    }
  }

  /// The end of the file. - Parameter bytes: what it is appended to.
  public mutating func footer(into bytes: inout [UInt8]) {
    switch format {
    case .gpx: gpx.footer(into: &bytes)
    case .kml: kml.footer(into: &bytes)
    case .geojson: geojson.footer(into: &bytes)
    case .csv, .nmea, .plt, .owntracks: break
    case .tcx: tcx.footer(into: &bytes)
    case .overland: JSONWriter.raw("\n]}\n", to: &bytes)
    }
  }
}
