internal import Foundation
internal import GodwitCommandLine
internal import GodwitFiles
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitTransfer

/// `godwit export`
struct Export: StoreCommand {
  static let name = "export"
  static let abstract = "Write the records of a device to standard output."
  static let discussion = """
    geojson and overland have every member; csv, kml, owntracks, tcx, gpx, plt and nmea those that the format knows (Documentation/Formats.md). A gap of a quarter of an hour begins a new segment of a track.
    """
  static let examples = [
    (line: "godwit export --device phone --format gpx > phone.gpx", purpose: "Everything as GPX"),
    (line: "godwit export --device phone --from 2026-11-01 --to 2026-12-01 --format geojson", purpose: "One month"),
  ]

  @Option("device", "NAME", "Device of the points")
  var device: String
  @Option(
    "format", "gpx|kml|geojson|csv|nmea|plt|tcx|owntracks|overland", default: .gpx, shown: "gpx", "Format of the file")
  var format: RecordWriter.Format
  @OptionalOption("from", "TIME", "Start: 2026-11-20 or 2026-11-20T08:30:00Z")
  var from: Date?
  @OptionalOption("to", "TIME", "End (exclusive)")
  var to: Date?
  let storeOptions = StoreOptions()

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    guard let device = try store.device(named: device) else {
      throw Failure("No device is called \"\(device)\". `godwit device list` shows all devices.")
    }
    var export = try RecordExport(of: device, as: format, from: from, to: to, in: store)
    while Output.failure == nil, let bytes = try export.next() { Output.result(bytes) }
    guard Output.failure == nil, Output.isTerminal else { return }
    let left =
      export.leftOut > 0
      ? "; \(export.leftOut.counted("visit, trip or other record", "visits, trips and other records")) cannot be written as "
        + "\(format.rawValue)" : ""
    Output.log("\(export.count.counted("record"))\(left).")
  }
}

extension RecordWriter.Format: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let format = Self(rawValue: argument) else {
      throw UsageError("\"\(argument)\" is unknown; expected \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = format
  }
}
