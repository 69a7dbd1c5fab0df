internal import GodwitCommandLine

/// `godwit-tracker doctor`
struct TrackerDoctorCommand: Command {
  static let name = "doctor"
  static let abstract = "Check what is installed, reachable and writable, and suggest fixes."
  static let discussion = """
    The line of a part begins with its state. "ok": the part works. "look": the part is optional and does not work, or it works and
    needs attention. "FAILED": a required part does not work. The exit status is 1 if a part has the state "FAILED".
    """
  static let examples = [
    (line: "godwit doctor", purpose: "All checks with the default paths and addresses"),
    (line: "godwit doctor --ios-source MyApp --fix MyApp-linux", purpose: "Sources of an iOS app: what Linux treats differently"),
  ]

  static let configured = [ConfiguredOptions.only(["journal"], of: Track.name)]

  @Option(
    "gpsd", "HOST:PORT", default: TrackerDoctor.standardReceiver, shown: TrackerDoctor.standardReceiver, "Address of gpsd")
  var gpsd: String
  @OptionalOption(
    "journal", "FILE",
    "A tracker's journal: unsent and rejected records, and the access to its files (default: the standard one)")
  var journal: String?
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
    let doctor = TrackerDoctor(gpsd: gpsd, journal: journal)
    let folder = DataFolder.of(file: journal ?? DataFolder.journal)
    try CheckResult.show([TrackerDoctor.folder(folder)] + (await doctor.parts()) + doctor.files(), json: json)
  }
}
