internal import GodwitCommandLine

/// `godwit-tracker doctor`
struct TrackerDoctorCommand: Command {
  static let name = "doctor"
  static let abstract = "Check what is installed, reachable and writable, and suggest fixes."
  static let examples = [(line: "godwit doctor", purpose: "All checks with the default paths and addresses")]

  @Option(
    "gpsd", "HOST:PORT", default: TrackerDoctor.standardReceiver, shown: TrackerDoctor.standardReceiver, "Address of gpsd")
  var gpsd: String
  @OptionalOption(
    "journal", "FILE",
    "A tracker's journal: unsent and rejected records, and the access to its files (default: the standard one)")
  var journal: String?
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let doctor = TrackerDoctor(gpsd: gpsd, journal: journal)
    let folder = DataFolder.of(file: journal ?? DataFolder.journal)
    try CheckResult.show([TrackerDoctor.folder(folder)] + (await doctor.parts()) + doctor.files(), json: json)
  }
}
