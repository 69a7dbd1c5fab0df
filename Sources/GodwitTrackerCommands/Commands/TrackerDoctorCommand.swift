internal import GodwitCommandLine

/// `godwit-tracker doctor`
struct TrackerDoctorCommand: Command {
  static let name = "doctor"
  static let abstract = "Check what is installed, reachable and writable, and suggest fixes."
  static let examples = [(line: "godwit doctor", purpose: "Everything with the standard places")]

  @Option(
    "gpsd", "HOST:PORT", default: TrackerDoctor.standardReceiver, shown: TrackerDoctor.standardReceiver, "Where gpsd is")
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
    try Finding.show([TrackerDoctor.folder(folder)] + (await doctor.parts()) + doctor.files(), json: json)
  }
}
