internal import Foundation
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitServer
internal import GodwitServerCommands
internal import GodwitStore
internal import GodwitTrackerCommands

/// `godwit doctor`
struct Doctor: StoreCommand {
  static let name = "doctor"
  static let abstract = "Check what is installed, reachable and writable, and suggest fixes."
  static let discussion = """
    The line of a part begins with its state. "ok": the part works. "look": the part is optional and does not work, or it works and
    needs attention. "FAILED": a required part does not work. The exit status is 1 if a part has the state "FAILED".
    """
  static let examples = [
    (line: "godwit doctor", purpose: "All checks with the default paths and addresses"),
    (line: "godwit doctor --server --data /var/lib/godwit", purpose: "A server, whether or not it runs; changes nothing"),
    (line: "godwit doctor --ios-source MyApp --fix MyApp-linux", purpose: "Sources of an iOS app: what Linux treats differently"),
  ]

  static let configured = [
    ConfiguredOptions.only(["data", "store", "listen"], of: "serve"),
    .renamed(["certificate": "tls-certificate", "key": "tls-key"], of: "serve", with: "server"),
    .only(["journal"], of: "track"),
  ]

  let storeOptions = StoreOptions()
  @Option(
    "gpsd", "HOST:PORT", default: TrackerDoctor.standardReceiver, shown: TrackerDoctor.standardReceiver, "Address of gpsd")
  var gpsd: String
  @OptionalOption(
    "journal", "FILE",
    "A tracker's journal: unsent and rejected records, and the access to its files (default: the standard one)")
  var journal: String?
  @Flag("server", "Check only what a server needs")
  var server: Bool
  @OptionalOption(
    "listen", "ADDRESS:PORT",
    "With --server: the address where it listens (default: listen of serve, else that of the running server, else 127.0.0.1:8080)"
  )
  var listen: ListenAddress?
  @OptionalOption("certificate", "FILE", "With --server: the server's certificate, in PEM (default: tls-certificate of serve)")
  var certificate: String?
  @OptionalOption("key", "FILE", "With --server: its key (default: tls-key of serve)")
  var key: String?
  @OptionalOption(
    "ios-source", "DIR", "Check the sources of an iOS app instead: what does not compile on Linux, or is left out there")
  var iosSource: String?
  @OptionalOption("fix", "COPY", "With --ios-source: copy the folder to COPY and make the mechanical changes there")
  var fix: String?
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    if fix != nil, iosSource == nil { throw UsageError("--fix requires --ios-source") }
    if let iosSource { return try IOSSourceReport(folder: iosSource, copy: fix, json: json).run() }
    if !server, certificate != nil || key != nil { throw UsageError("--certificate and --key require --server") }
    if server { return try await checkServer() }
    let tracker = TrackerDoctor(gpsd: gpsd, journal: journal)
    var results = [TrackerDoctor.folder(data), database(), mapLibrary()]
    results += await tracker.parts()
    results += tracker.files()
    try CheckResult.show(results, json: json)
  }

  private func checkServer() async throws {
    // With port 0 only the running server knows its port.
    let given = listen.flatMap { $0.port > 0 ? $0 : nil }
    let address = given ?? ServerDoctor.runningAddress(in: data) ?? listen ?? ListenAddress.server
    let doctor = ServerDoctor(data: data, store: storeLocation, listen: address, certificate: certificate, key: key)
    let results = await doctor.check(at: Date())
    try CheckResult.show(
      results.map {
        CheckResult(subject: $0.subject, isGood: $0.outcome == .good, isOptional: $0.outcome == .look, text: $0.text)
      }, json: json)
  }

  private func database() -> CheckResult {
    if storeLocation.isEmpty {
      let text = "there is no store in \(storeLocation); `godwit serve` creates it, and --data names another folder"
      return CheckResult(subject: "Database", isGood: false, isOptional: true, text: text)
    }
    do {
      let store = try openStore()
      defer { store.close() }
      let devices = try store.devices()
      let points = devices.reduce(0) { $0 + $1.points }
      let text = "\(devices.count.counted("device")), \(points.counted("point"))"
      return CheckResult(subject: "Database", isGood: true, text: text)
    } catch {
      return CheckResult(subject: "Database", isGood: false, text: "\(error)")
    }
  }

  private func mapLibrary() -> CheckResult {
    let found = MapLibrary().folder
    return CheckResult(
      subject: MapLibrary.subject, isGood: found != nil, isOptional: true, text: found ?? MapLibrary.advice)
  }
}
