internal import Dispatch
internal import Foundation
internal import GodwitCommandLine
internal import GodwitDeletion
internal import GodwitHistory
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitText
internal import GodwitTracks
internal import GodwitTransfer

/// `godwit import`
struct Import: StoreCommand {
  static let name = "import"
  static let abstract = "Import recorded tracks into the store."
  static let discussion = """
    Reads GPX, KML, GeoJSON, CSV, TCX, FIT, IGC, NMEA 0183, GeoLife PLT, Google Timeline (all versions), and exports of OwnTracks,
    Overland, Dawarich, Traccar, Polarsteps, Strava and Garmin; also in archives (zip, tar, 7-Zip) and compressed (gzip,
    Zstandard, xz, bzip2). The format is detected.
    A folder stands for all files in it, and - for standard input.
    Importing a file twice changes nothing: existing points are counted and skipped. The same command continues an
    interrupted import.
    """
  static let examples = [
    (line: "godwit import walk.gpx ride.gpx --device phone", purpose: "Two tracks of one device"),
    (line: "godwit import takeout.zip --device phone --dry-run", purpose: "Read a file without storing it"),
    (line: "godwit import cars.csv --map 17=van --map 18=bus", purpose: "A file with several devices"),
    (line: "godwit import undo imp_3", purpose: "Take back what an import added"),
  ]

  static let subcommands: [any Command.Type] = [ImportUndo.self]
  static let runsItself = true

  @Operands("FILE…", 1...100_000, "Files, folders, or - for standard input")
  var files: [String]
  @OptionalOption("device", "NAME", "Device of the records; created if it does not exist")
  var device: String?
  @ManyOptions("map", "NAME=DEVICE", "Device for the records of NAME in the file; may be repeated")
  var pairs: [DevicePair]
  @OptionalOption("report", "FILE", "Write skipped records to this file, one JSON object per line")
  var report: String?
  @OptionalOption(
    "date-order", "dmy|mdy",
    "Whether 01/02/2024 in a CSV file begins with the day or the month, if the file is ambiguous")
  var dateOrder: DateOrder?
  @Flag("dry-run", "Count without storing")
  var isDry: Bool
  let storeOptions = StoreOptions()
  @Flag("json", "Print the results as JSON, one object per file")
  var json: Bool

  func run() async throws {
    var mapping: [String: String] = [:]
    for pair in pairs { mapping[pair.name] = pair.device }
    let options = ImportOptions(device: device, mapping: mapping, dateOrder: dateOrder)
    guard isDry || !options.devices.isEmpty else {
      throw UsageError("The device is missing: give --device NAME, or --map NAME=DEVICE, or --dry-run to read without storing.")
    }
    for name in options.devices where !Device.isValid(name: name) {
      throw UsageError(DeviceCommand.invalid(name: name))
    }
    let skips = try report.map { try SkipFile($0) }
    let found = try ImportedFiles(files)
    // The page cache is small, because an import writes only one or a few devices at a time.
    let store = isDry ? nil : try storeLocation.open(pageCache: 4 << 10)
    defer { store?.close() }
    let session = ImportSession(store: store, options: options, json: json, skips: skips)
    let interrupt =
      isDry ? nil : Signals.exitOnInterrupt(printing: "Interrupted. Stored records stay; run the same command again to continue.")
    defer { interrupt?.cancel() }
    var failures = 0
    for file in found.files {
      // Each file is read on its own thread, because decoding and waiting for the disk would block one of the few threads of tasks.
      if await !session.importFile(file) { failures += 1 }
    }
    if session.unusable > 0, failures == 0 {
      throw Failure(
        session.unusable == 1
          ? "A file had no usable records; see above." : "No usable records in \(session.unusable) files; see above.")
    }
    if failures > 0 {
      throw Failure(
        "\(failures) of \(found.files.count.counted("file")) could not be read completely. "
          + "The usable part of \(failures == 1 ? "it" : "them") is \(isDry ? "counted" : "stored").")
    }
  }
}

extension DateOrder: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let order = Self(rawValue: argument) else {
      throw UsageError("\"\(argument)\" is unknown; expected dmy (day first) or mdy (month first)")
    }
    self = order
  }
}

/// The argument `NAME=DEVICE`.
struct DevicePair: ArgumentValue {
  let name: String
  let device: String

  init(argument: String) throws(UsageError) {
    guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex, argument.index(after: sign) < argument.endIndex
    else {
      throw UsageError("\"\(argument)\" is not NAME=DEVICE: a name of the file, and the device for it")
    }
    name = String(argument[..<sign])
    device = String(argument[argument.index(after: sign)...])
  }
}

/// `godwit import undo`
struct ImportUndo: DeletingCommand {
  static let name = "undo"
  static let abstract = "Take back what an import added, as `godwit delete import` does."
  static let examples = [(line: "godwit import undo imp_3 --dry-run", purpose: "Count without deleting")]

  @Operands("ID", 1...1, "The import's id; `godwit delete import` lists imports")
  var ids: [String]
  var options = ChangeOptions()
  @Flag("permanent", "Delete for good at once, without the trash")
  var isPermanent: Bool

  func run() async throws { try delete(.importJob(ids[0]), "the import \(ids[0])") }
}
