internal import Foundation
internal import GodwitFormats
internal import GodwitModel
internal import GodwitServer

/// `godwit import`
struct Import: StoreCommand {
  static let name = "import"
  static let abstract = "Bring recorded tracks into the store."
  static let discussion = """
    Reads GPX 1.0 and 1.1, NMEA 0183, GeoLife PLT and Overland batches; which of them is found out by looking.
    Importing a file twice changes nothing: points that are there already are counted and left alone.
    """
  static let examples = [
    (line: "godwit import walk.gpx ride.gpx --device phone", purpose: "Two tracks of one device")
  ]

  @Operands("FILE…", 1...100_000, "The files")
  var files: [String]
  @Option("device", "NAME", "Whose they are; the device is made if there is none of that name")
  var device: String
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  @OptionalOption("store", "URL", StoreVariable.help)
  var store: StoreLocation?
  @Flag("json", "Print the result as JSON")
  var json: Bool

  func run() async throws {
    guard Device.isValid(name: device) else {
      throw UsageError("godwit import: \"\(device)\" is no name for a device.")
    }
    let store = try openStore()
    defer { store.close() }
    let device = try store.device(named: device) ?? store.makeDevice(named: device, at: Date())
    var failures: [String] = []
    for file in files {
      do {
        let result = try await importFile(file, into: store, device: device)
        say(file, result)
      } catch {
        failures.append("\(error)")
        Output.note("\(error)")
      }
    }
    if !failures.isEmpty { throw Failure("\(failures.count) of \(files.count) files could not be read to their end.") }
  }

  private struct Result {
    var stored = Stored()
    var withoutTime = 0
    var skipped = 0
    var firstSkipped: [String] = []
  }

  private func importFile(_ path: String, into store: any TrackStore, device: Device) async throws -> Result {
    var result = Result()
    func submit(_ records: [Record], _ refused: [Refused] = []) async throws {
      let stored = try await store.store(records, of: device, refusing: refused, at: Date())
      result.stored.saved += stored.saved
      result.stored.duplicates += stored.duplicates
      Output.progress("\(path): \(result.stored.saved + result.stored.duplicates) points")
    }
    defer { Output.endProgress() }
    if let batch = try overland(path) {
      result.skipped = batch.refused.count
      result.firstSkipped = batch.refused.prefix(10).map { "\($0.place): \($0.reason)" }
      try await submit(
        batch.records, batch.refused.map { Refused(place: $0.place.description, reason: $0.reason, raw: $0.raw) })
      if let broken = batch.broken { throw Failure("\(path): \(broken)") }
      return result
    }
    let file = try TrackFile(path: path)
    while true {
      let points: [TrackPoint]?
      do { points = try file.next() } catch { throw Failure("\(path): \(error). What came before it is stored.") }
      guard let points else { break }
      try await submit(points.compactMap { $0.fix.map { Record(kind: .fix($0)) } })
    }
    result.withoutTime = file.withoutTime
    (result.skipped, result.firstSkipped) = (file.skipped.count, file.skipped.first.map { "\($0.place): \($0.reason)" })
    return result
  }

  /// The file as a batch of Overland's; `nil` when it is no JSON.
  private func overland(_ path: String) throws -> Overland.Request? {
    guard let handle = FileHandle(forReadingAtPath: path),
      let first = try handle.read(upToCount: 512)?.first(where: { $0 > 0x20 }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    do { return try Overland.read([UInt8](data)) } catch { throw Failure("\(path): \(error)") }
  }

  private func say(_ path: String, _ result: Result) {
    if json {
      let object: [String: Any] = [
        "file": path, "saved": result.stored.saved, "duplicates": result.stored.duplicates,
        "without_time": result.withoutTime, "skipped": result.skipped,
      ]
      let text =
        (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
      Output.result(Array(text) + [0x0A])
      return
    }
    var text = "\(path): \(result.stored.saved) new points"
    if result.stored.duplicates > 0 { text += ", \(result.stored.duplicates) that were there already" }
    if result.withoutTime > 0 { text += ", \(result.withoutTime) without a time passed over" }
    if result.skipped > 0 { text += ", \(result.skipped) parts passed over" }
    Output.result(text + ".\n")
    for skipped in result.firstSkipped { Output.note("  \(skipped)") }
  }
}
