public import GodwitModel
internal import GodwitText
internal import GodwitTracks
internal import GodwitWire

/// Writes records in a file format, one after the other, so that a file may be larger than the memory.
///
/// Data that a format cannot express is omitted: see ``Format/carries(_:)`` for records, and Documentation/Formats.md for
/// their members. Append records in the order of their times.
public struct RecordWriter {
  /// The formats that are written.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    case gpx, kml, geojson, csv, nmea, plt, tcx, owntracks, overland

    /// The format in which the file is read.
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

    /// The extension of the file name, without the full stop.
    public var fileExtension: String {
      switch self {
      case .gpx, .kml, .geojson, .csv, .nmea, .plt, .tcx: rawValue
      case .owntracks: "rec"
      case .overland: "json"
      }
    }

    /// The media type of the file in HTTP.
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

    /// Whether the format can express a record: all formats can express fixes, and some can express other kinds.
    public func carries(_ record: Record) -> Bool {
      switch (self, record.kind) {
      case (_, .fix), (.geojson, _), (.overland, _): true
      case (.kml, .visit(let visit)): visit.arrival != nil || visit.departure != nil
      case (.owntracks, .region): OwnTracks.carries(record)
      default: false
      }
    }
  }

  /// The format.
  public let format: Format
  private let device: String
  private var gpx = GPXWriter()
  private var geojson = GeoJSONWriter()
  private var kml = KMLTrackWriter()
  private var tcx = TCXWriter()
  private var hasRecords = false
  private var last: Int64?
  private var segment = 0

  /// The time between two points that starts a new segment of a track: 15 minutes, in milliseconds.
  private static let gap: Int64 = 900_000

  /// - Parameters:
  ///   - format: the format.
  ///   - device: the device of the records.
  public init(_ format: Format, device: String) {
    self.format = format
    self.device = device
  }

  /// Appends the beginning of the file. - Parameter bytes: the buffer to which the text is appended.
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

  /// Appends a record. - Parameters:
  ///   - record: the record. Nothing is written for a record that the format cannot express.
  ///   - bytes: the buffer to which the text is appended.
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

  /// Appends the end of the file. - Parameter bytes: the buffer to which the text is appended.
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
