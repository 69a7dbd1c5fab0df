internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitDelivery
internal import GodwitEngine
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitText
internal import GodwitWire

#if os(Linux)
  internal import CoreLocation
#endif

/// `godwit track`
struct Track: Command {
  static let name = "track"
  static let abstract = "Track this machine: from a receiver or a file, through a journal, to a server."
  static let discussion = """
    Every fix is written to the journal first, and deleted from it when the server has acknowledged it. The tracker may be stopped and started at any time: it continues where it was, also in a file, whose fixes are recorded once. Ctrl-C ends it; unsent records stay in the journal.

    Each option may also be in a configuration file, or in a variable of the environment: GODWIT_DEVICE_ID for --device-id. The command line overrides the environment, and the environment overrides the file. `godwit config example` prints a file.
    """
  static let examples = [
    (
      line: "godwit track --source gpsd://127.0.0.1:2947 --endpoint https://example.org/api/overland --token TOKEN",
      purpose: "A receiver on this machine"
    ),
    (
      line: "godwit track --source gpsd://127.0.0.1:2947 --endpoint https://example.org/api/overland --panel 0.0.0.0:8081",
      purpose: "The same with a control panel that a phone can open; a link to it is printed"
    ),
    (
      line: "godwit track --source geoclue: --endpoint https://example.org/api/overland --token TOKEN",
      purpose: "A laptop without a receiver, by the wifi networks around it"
    ),
    (
      line:
        "godwit track --source walk.gpx --speed max --endpoint http://127.0.0.1:8080/api/overland --token TOKEN --until-sent",
      purpose: "Replay a recorded track as fast as possible"
    ),
    (
      line:
        "godwit track --source gpsd://127.0.0.1:2947 --endpoint https://example.org/api/overland --token TOKEN --regions --region-tag shops",
      purpose: "Also monitor the server's regions with the tag shops, and send their events"
    ),
  ]

  static let configured = [ConfiguredOptions.all(of: name)]

  @Option(
    "source", "gpsd://HOST:PORT[/DEVICE]|geoclue:|none:|FILE",
    "A receiver of gpsd, the desktop's GeoClue, no receiver, or a track file: GPX, NMEA 0183, GeoLife PLT")
  var source: String
  @OptionalOption(
    "endpoint", "URL",
    "Endpoint of the records; placeholders such as %LAT and %LON are replaced by the "
      + "newest position")
  var endpoint: EndpointAddress?
  @Option(
    "format", EndpointFormats.named.map(\.name).joined(separator: "|"), default: EndpointFormatArgument.overland,
    shown: "overland", "Format of --endpoint")
  var format: EndpointFormatArgument
  @OptionalOption(
    "tracker-file", "FILE",
    "Endpoints and settings as godwit setup writes them; without it and --endpoint: \(DataFolder.shown(file: "tracker.json"))")
  var trackerFile: String?
  @OptionalOption("token", "TOKEN", "The device's access token (default: $GODWIT_TOKEN); for OwnTracks NAME:PASSWORD")
  var token: String?
  @OptionalOption("device-id", "ID", "Your name for the device, written into every record")
  var deviceID: String?
  @Option(
    "journal", "FILE", default: DataFolder.journal, shown: DataFolder.shown(file: "tracker.journal"),
    "File of the records "
      + "that are not sent yet")
  var journal: String
  @OptionalOption(
    "settings", "FILE", "Settings as JSON: {\"send_interval\": \"10s\", \"main\": {\"min_distance\": \"10m\"}}")
  var settingsFile: String?
  @OptionalOption("preset", "high_resolution|battery_saving|adaptive", "Preset of settings; a file of settings overrides it")
  var preset: Preset?
  @OptionalOption("event-log", "FILE", "Write the event log for godwit replay-events, to report a fault")
  var eventLog: String?
  @Option(
    "sync", "SECONDS", default: 15, shown: "15",
    "Seconds that fixes may stay in memory before they are on disk; a power cut loses them; 0: none")
  var sync: Int
  @Option(
    "speed", "N|max", default: .factor(1), shown: "1",
    "Factor of the speed of replay; max: as fast as possible")
  var speed: ReplaySpeed
  @Flag("from-start", "Replay a file from its beginning, even if the journal has a part of it")
  var fromStart: Bool
  @OptionalOption("panel", "ADDRESS:PORT", "A control panel in the browser, such as 127.0.0.1:8081")
  var panel: ListenAddress?
  @OptionalOption(
    "panel-token", "TOKEN",
    "The panel's token, for programs (default: $GODWIT_PANEL_TOKEN, or a new one)")
  var panelToken: String?
  @Option(
    "machine", "auto|on|off", default: .auto, shown: "auto",
    "Record this machine's battery, wifi and model, follow its network, show notices; auto: with a receiver, not with a file")
  var machine: MachineChoice
  @Flag(
    "regions",
    "Monitor the regions of the server of the first Overland endpoint; beacons by Bluetooth")
  var regions: Bool
  @OptionalOption("regions-server", "URL", "Server of the regions; its token is that of an endpoint on it, otherwise --token")
  var regionsServer: RegionServer?
  @ManyOptions("region-tag", "TAG", "Only regions with one of these tags")
  var regionTags: [RegionTag]
  @ManyOptions("without-region-tag", "TAG", "No regions with one of these tags")
  var withoutRegionTags: [RegionTag]
  @Flag("until-sent", "End when a file has been replayed and everything is acknowledged")
  var untilSent: Bool
  @Flag("json", "Print the status as JSON lines instead of sentences")
  var json: Bool

  /// Permitted seconds of `--sync`.
  private static let syncTimes = 0...86_400

  func validate() throws {
    guard Self.syncTimes.contains(sync) else {
      throw UsageError("--sync \(sync): expected \(Self.syncTimes.lowerBound) to \(Self.syncTimes.upperBound) seconds")
    }
    // Before `godwit setup` there is no file. The options can be valid without it.
    guard endpoint != nil || trackerFile.map({ FileManager.default.fileExists(atPath: $0) }) == true else { return }
    _ = try plan()
  }

  func run() async throws {
    let plan = try plan()
    #if os(Linux)
      try await track(plan)
    #else
      throw Failure("godwit track reads gpsd, GeoClue and files on Linux. On Apple's systems use the SDK: import Godwit.")
    #endif
  }

  private struct Plan {
    var endpoints: [Endpoint]
    var settings: Settings
    var regions: RegionConfiguration?
  }

  /// Combines tracker file, preset and options.
  private func plan() throws -> Plan {
    var settings = Settings()
    // The machine has mains power and its own network. A phone's interval of five minutes would only delay the map.
    settings.sendInterval = 10
    if let preset { settings.apply(preset) }
    var endpoints: [Endpoint] = []
    var order: RegionOptions?
    let isStandard = trackerFile == nil && endpoint == nil && FileManager.default.fileExists(atPath: TrackerFile.standard)
    if let path = trackerFile ?? (isStandard ? TrackerFile.standard : nil) {
      let file = try TrackerFile(path: path, over: settings)
      (endpoints, settings, order) = (file.endpoints, file.settings, file.regions)
    }
    if let settingsFile { settings = try SettingsFile.read(settingsFile, over: settings) }
    if let deviceID { settings.deviceID = deviceID }
    if let endpoint {
      let name = EndpointReader.identifier(of: endpoint.address.text)
      guard !endpoints.contains(where: { $0.id.name == name }) else {
        throw UsageError(
          "--endpoint: the tracker file has an endpoint with the name \(name). Leave out the option, or change the name in the file."
        )
      }
      endpoints.append(
        Endpoint(
          id: EndpointID(name), address: endpoint.address,
          token: token.map { .fixed($0) } ?? .none, format: format.format))
    }
    guard !endpoints.isEmpty else {
      throw UsageError(
        "godwit track: nowhere to send to. Give --endpoint URL, or set this machine up with godwit setup LINK; "
          + "godwit device add NAME prints the link.")
    }
    return Plan(
      endpoints: endpoints, settings: settings,
      regions: try regions(order, token: token)?.configuration(beside: endpoints))
  }

  /// Returns the regions of the tracker file. Options of the command line take precedence.
  private func regions(_ file: RegionOptions?, token: String?) -> RegionOptions? {
    let isAsked = regions || regionsServer != nil || !regionTags.isEmpty || !withoutRegionTags.isEmpty
    guard isAsked || file != nil else { return nil }
    var order = file ?? RegionOptions()
    if let regionsServer { (order.server, order.token) = (regionsServer, .none) }
    if let token, regionsServer != nil { order.fallback = token }
    if !regionTags.isEmpty { order.tags = regionTags }
    if !withoutRegionTags.isEmpty { order.without = withoutRegionTags }
    return order
  }

  #if os(Linux)
    private func track(_ plan: Plan) async throws {
      let session = try TrackingSession(
        source: source, speed: speed, journalPath: journal, endpoints: plan.endpoints, settings: plan.settings,
        eventLog: try eventLog.map { try Tracker.EventLog(path: $0) }, syncInterval: Double(sync), isFromStart: fromStart,
        device: machine.session(source: source),
        regions: plan.regions)
      for problem in plan.endpoints.compactMap(\.exposureProblem) { Output.log("Warning: \(problem)") }
      let reporter = StatusReporter(json: json, regions: session.tracker.regions, journal: session.tracker.journal)
      let untilSent = untilSent
      let panel = try panel.map { address in
        try PanelServer(
          tracker: session.tracker, listen: address,
          token: panelToken, journal: journal)
      }
      let isCancelled: Bool = try await Signals.cancelling {
        do {
          // The reason of an unreadable file is printed last, as the error of the command.
          try await session.run(untilSent: untilSent, panel: panel) {
            reporter.report($0, besides: untilSent ? session.replayReport?.problem : nil)
          }
          return false
        } catch is CancellationError { return true }
      }
      let status = await session.tracker.status
      // Without --until-sent the session has already printed the report of the file.
      reporter.finish(status, untilSent ? session.replayReport : nil)
      if let lost = StatusReporter.unwritten(status) { throw Failure(lost) }
      if isCancelled { throw CancellationError() }
      if let problem = session.replayReport?.problem { throw Failure(problem) }
      if let reason = session.replayReport?.emptiness { throw Failure("\(source): \(reason)") }
    }
  #endif
}

/// Address of an endpoint. Placeholders such as `%LAT` are replaced by the newest position.
struct EndpointAddress: ArgumentValue {
  let address: URLTemplate

  init(argument: String) throws(UsageError) {
    do throws(FormatError) { address = try URLTemplate(argument) } catch {
      throw UsageError("\(error.reason); write http://HOST:PORT/api/overland, for example")
    }
  }
}

/// A format by its name.
struct EndpointFormatArgument: ArgumentValue {
  let format: any EndpointFormat
  static var overland: EndpointFormatArgument { EndpointFormatArgument(format: OverlandFormat()) }

  private init(format: any EndpointFormat) { self.format = format }

  init(argument: String) throws(UsageError) {
    do throws(UnknownEndpointFormat) { format = try EndpointFormats.format(named: argument) } catch {
      throw UsageError("\(error)")
    }
  }
}
