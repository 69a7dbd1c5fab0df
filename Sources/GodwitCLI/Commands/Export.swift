internal import Foundation
internal import GodwitFormats
internal import GodwitModel
internal import GodwitServer

/// `godwit export`
struct Export: StoreCommand {
  static let name = "export"
  static let abstract = "Write what the store has of a device to standard output."
  static let discussion = """
    gpx: one <trkpt> a line; a pause of a quarter of an hour begins a new segment. geojson: one feature a line, with
    everything that is known of it. overland: the body of a request, to be sent or imported again.
    """
  static let examples = [
    (line: "godwit export --device phone --format gpx > phone.gpx", purpose: "Everything as GPX"),
    (line: "godwit export --device phone --from 2026-11-01 --to 2026-12-01 --format geojson", purpose: "One month"),
  ]

  enum Format: String, ArgumentValue, CaseIterable {
    case gpx, geojson, csv, overland

    init(argument: String) throws(UsageError) {
      guard let format = Format(rawValue: argument) else {
        throw UsageError(
          "\"\(argument)\" is unknown; expected \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      self = format
    }
  }

  @Option("device", "NAME", "Whose points")
  var device: String
  @Option("format", "gpx|geojson|csv|overland", default: .gpx, shown: "gpx", "The language")
  var format: Format
  @OptionalOption("from", "TIME", "The first moment: 2026-11-20 or 2026-11-20T08:30:00Z")
  var from: Date?
  @OptionalOption("to", "TIME", "The moment before which it ends")
  var to: Date?
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  @OptionalOption("store", "URL", StoreVariable.help)
  var store: StoreLocation?

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    guard let device = try store.device(named: device) else {
      throw Failure("There is no device \"\(device)\". `godwit device list` shows those that are.")
    }
    var writer = ExportWriter(format: format, device: device.name)
    var query = PointQuery(device: device.id, from: from, to: to, limit: 10_000)
    var bytes: [UInt8] = []
    writer.header(into: &bytes)
    var count = 0
    while true {
      let points = try store.points(query)
      for point in points { writer.append(point, into: &bytes) }
      count += points.count
      Output.result(bytes)
      bytes = []
      guard points.count == query.limit, let last = points.last else { break }
      query.after = last.cursor
    }
    // Visits, trips and actions have no place in a track.
    if format == .overland || format == .geojson {
      for record in try store.events(device: device.id, from: from, to: to) { writer.append(record, into: &bytes) }
    }
    writer.footer(into: &bytes)
    Output.result(bytes)
    if Output.isTerminal { Output.note("\(count) points.") }
  }
}

/// Writes one of the languages of `export`.
struct ExportWriter {
  let format: Export.Format
  let device: String
  private var gpx = GPXWriter()
  private var geojson = GeoJSONWriter()
  private var hasRecords = false
  private var last: Date?
  private var segment = 0

  init(format: Export.Format, device: String) {
    self.format = format
    self.device = device
  }

  func header(into bytes: inout [UInt8]) {
    switch format {
    case .gpx: gpx.header(name: device, into: &bytes)
    case .geojson: geojson.header(into: &bytes)
    case .csv: bytes += Array(CSVLine.heading.utf8)
    case .overland: bytes += Array("{\"locations\":[\n".utf8)
    }
  }

  mutating func append(_ point: StoredPoint, into bytes: inout [UInt8]) {
    switch format {
    case .gpx:
      let fix = point.fix
      // A quarter of an hour: what the server's map calls a gap.
      if let last, fix.time.timeIntervalSince(last) > 900 { segment += 1 }
      last = fix.time
      gpx.append(
        TrackPoint(
          coordinate: fix.coordinate, time: fix.time, altitude: fix.altitude, speed: fix.speed, course: fix.course,
          segment: segment), into: &bytes)
    case .csv: CSVLine.append(point.record, point.fix, to: &bytes)
    case .geojson, .overland: append(point.record, into: &bytes)
    }
  }

  mutating func append(_ record: Record, into bytes: inout [UInt8]) {
    if format == .geojson { return geojson.append(record, device: device, into: &bytes) }
    if hasRecords { bytes += Array(",\n".utf8) }
    hasRecords = true
    Overland.writeFeature(record, into: &bytes)
  }

  func footer(into bytes: inout [UInt8]) {
    switch format {
    case .gpx: gpx.footer(into: &bytes)
    case .geojson: geojson.footer(into: &bytes)
    case .csv: break
    case .overland: bytes += Array("\n]}\n".utf8)
    }
  }
}

/// A fix as a line of CSV (RFC 4180).
enum CSVLine {
  static let heading =
    "timestamp,latitude,longitude,altitude,horizontal_accuracy,vertical_accuracy,speed,course,battery_level,wifi\r\n"

  static func append(_ record: Record, _ fix: Fix, to bytes: inout [UInt8]) {
    func number(_ value: Double?, _ decimals: Int) -> String {
      guard let value else { return "" }
      var text: [UInt8] = []
      JSONWriter.number(value, decimals: decimals, to: &text)
      return String(decoding: text, as: UTF8.self)
    }
    let wifi = record.context.wifi.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" } ?? ""
    let fields = [
      RFC3339.string(fix.time), number(fix.coordinate.latitude, 9), number(fix.coordinate.longitude, 9),
      number(fix.altitude, 2), number(fix.horizontalAccuracy, 2), number(fix.verticalAccuracy, 2),
      number(fix.speed, 2), number(fix.course, 2), number(record.context.batteryLevel, 4), wifi,
    ]
    bytes += Array((fields.joined(separator: ",") + "\r\n").utf8)
  }
}
