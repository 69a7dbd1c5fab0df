internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitFormats
internal import GodwitModel

#if os(Linux)
  internal import CoreLocation
#endif

/// `godwit track`
struct Track: Command {
  static let name = "track"
  static let abstract = "Track this machine: from a receiver or a file, through a journal, to a server."
  static let discussion = """
    Every fix is committed to the journal before anything else happens to it, and leaves it when the server has
    acknowledged it. Stop and start the tracker as you like: it goes on where it was. Ctrl-C ends it; what is not
    sent stays in the journal.
    """
  static let examples = [
    (
      line: "godwit track --source gpsd://127.0.0.1:2947 --endpoint https://example.org/api/overland --token TOKEN",
      purpose: "A receiver on this machine"
    ),
    (
      line:
        "godwit track --source walk.gpx --speed max --endpoint http://127.0.0.1:8080/api/overland --token TOKEN --until-sent",
      purpose: "A recorded track, as fast as it goes"
    ),
  ]

  @Option("source", "gpsd://HOST:PORT|FILE", "A receiver behind gpsd, or a track: GPX, NMEA 0183, GeoLife PLT")
  var source: String
  @Option("endpoint", "URL", "Where records go: an address that takes Overland's format")
  var endpoint: EndpointAddress
  @Option("format", "overland", default: "overland", shown: "overland", "The endpoint's language")
  var format: String
  @OptionalOption("token", "TOKEN", "The device's access token, sent as Bearer; also read from $GODWIT_TOKEN")
  var token: String?
  @OptionalOption("device-id", "ID", "Your name for the device, written into every record")
  var deviceID: String?
  @Option(
    "journal", "FILE", default: standardJournal, shown: DataFolder.shown + "/tracker.journal", "Where records wait")
  var journal: String
  @OptionalOption(
    "settings", "FILE", "Settings as JSON: {\"send_interval\": \"10s\", \"main\": {\"min_distance\": \"10m\"}}")
  var settingsFile: String?
  @Option(
    "speed", "N|max", default: .factor(1), shown: "1",
    "Replay a file so many times faster; max: as fast as it can be kept")
  var speed: ReplaySpeed
  @Option(
    "machine", "auto|on|off", default: .auto, shown: "auto",
    "Record this machine's battery, wifi and model, follow its network, show notices; auto: with a receiver, not with a file")
  var machine: MachineChoice
  @Flag("until-sent", "End when a file has been replayed and everything is acknowledged")
  var untilSent: Bool
  @Flag("json", "Print the status as JSON lines instead of sentences")
  var json: Bool

  static var standardJournal: String { DataFolder.standard + "/tracker.journal" }

  func run() async throws {
    guard format == "overland" else {
      throw UsageError(
        "godwit track: --format \(format) is unknown; this version writes overland. See godwit track --help.")
    }
    var settings = try settingsFile.map { try SettingsFile.read($0) } ?? Settings()
    if settingsFile == nil {
      // A machine on mains and a network of its own: a phone's five minutes would only delay the map.
      settings.sendInterval = 10
    }
    if let deviceID { settings.deviceID = deviceID }
    #if os(Linux)
      try await track(settings)
    #else
      throw Failure("godwit track reads gpsd and files on Linux. On Apple's systems use the SDK: import Godwit.")
    #endif
  }

  #if os(Linux)
    private func track(_ settings: Settings) async throws {
      let session = try TrackingSession(
        source: source, speed: speed, journalPath: journal,
        endpoint: Endpoint(
          id: EndpointID(endpoint.url.absoluteString), url: endpoint.url,
          token: token ?? ProcessInfo.processInfo.environment["GODWIT_TOKEN"],
          format: OverlandFormat(acceptsAny2xx: settings.acceptsAny2xx)),
        settings: settings, device: machine.session(source: source))
      let reporter = StatusReporter(json: json)
      let untilSent = untilSent
      try await Signals.cancelling {
        try await session.run(untilSent: untilSent) { reporter.report($0) }
      }
      reporter.finish(await session.tracker.status, session.replayReport)
      if let problem = session.replayReport?.problem { throw Failure(problem) }
    }
  #endif
}

/// An address that records can be sent to.
struct EndpointAddress: ArgumentValue {
  let url: URL

  init(argument: String) throws(UsageError) {
    guard let url = URL(string: argument), let scheme = url.scheme, ["http", "https"].contains(scheme),
      url.host?.isEmpty == false
    else { throw UsageError("\"\(argument)\" is no address; write http://HOST:PORT/api/overland or https://…") }
    self.url = url
  }
}

/// How fast a file is replayed.
enum ReplaySpeed: ArgumentValue {
  case factor(Double)
  case max

  init(argument: String) throws(UsageError) {
    if argument == "max" {
      self = .max
    } else if let factor = Double(argument), factor > 0, factor.isFinite {
      self = .factor(factor)
    } else {
      throw UsageError("\"\(argument)\" is no speed; write a number above 0, or max")
    }
  }
}
