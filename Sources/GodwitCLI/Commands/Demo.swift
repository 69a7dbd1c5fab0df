internal import Foundation
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitResources
internal import GodwitSecrets
internal import GodwitServer
internal import GodwitServerCommands
internal import GodwitStore
internal import GodwitTrackerCommands

/// `godwit demo`
struct Demo: Command {
  static let name = "demo"
  static let abstract = "Show a recorded walk being tracked, sent, stored and drawn on a map."
  static let discussion = """
    Starts a server and a tracker in one program. The tracker replays a recorded walk through Core Location's API, its journal and
    HTTP, as on a phone. The map shows each position as it arrives. A second run continues where the first one ended, without
    duplicates. Ctrl-C ends it.
    """
  static let examples = [
    (line: "godwit demo", purpose: "The map at http://127.0.0.1:8080/"),
    (line: "godwit demo --source ride.gpx --speed 60", purpose: "Another track, 60 times faster"),
    (line: "godwit demo --fresh", purpose: "The walk from its beginning"),
  ]

  @Option("listen", "ADDRESS:PORT", default: .server, shown: "127.0.0.1:8080", "Address to listen on")
  var listen: ListenAddress
  @Option(
    "data", "DIR", default: standardFolder, shown: "$GODWIT_DATA-demo, $XDG_DATA_HOME/godwit-demo or ~/.local/share/godwit-demo",
    "Folder of the demo's data")
  var data: String
  @OptionalOption("source", "FILE", "Track to replay instead of the recorded walk")
  var source: String?
  @Option("speed", "N|max", default: .factor(240), shown: "240", "Factor of the speed")
  var speed: ReplaySpeed
  @Flag("fresh", "Delete the data of earlier demos first")
  var fresh: Bool
  @Flag("no-open", "Do not open the browser")
  var noOpen: Bool

  static var standardFolder: String { DataFolder.standard + "-demo" }
  private static let device = "walker"

  func run() async throws {
    #if os(Linux)
      if fresh { try discard() }
      let (server, token) = try prepare()
      let track = try trackFile()
      let (data, speed, noOpen, host) = (data, speed, noOpen, listen.host)
      let isIPv6 = host.contains(":")
      try await Signals.cancelling {
        try await withThrowingTaskGroup(of: Void.self) { group in
          let (ports, portFound) = AsyncStream<UInt16>.makeStream(bufferingPolicy: .bufferingNewest(1))
          group.addTask { try await server.run { portFound.yield($0) } }
          group.addTask {
            guard let port = await ports.first(where: { _ in true }) else { return }
            let page = server.pageAddress(port: port)
            Output.log("The map: \(page)  (Ctrl-C ends the demo)")
            LoginLink.announce(LoginLink.command(data: data)) { try server.loginAddress(port: port) }
            // A link of its own: the one that was printed stays good.
            if !noOpen, Browser.isAvailable, let link = try? server.loginAddress(port: port) { Browser.open(link) }
            let reachable = host == "0.0.0.0" || host == "::" ? "127.0.0.1" : isIPv6 ? "[\(host)]" : host
            guard let url = URL(string: "http://\(reachable):\(port)/api/overland") else { return }
            try await DemoWalk(track: track, data: data, url: url, token: token.secret, speed: speed).run()
            if !Task.isCancelled { Output.log("Now your own phone: \(page)welcome") }
          }
          // The first to fail ends the other; a walk that is over leaves the server running.
          while try await group.next() != nil {}
        }
      }
      Output.log("Everything is stored in \(data). `godwit demo` continues with it; `godwit demo --fresh` starts over.")
    #else
      throw Failure("godwit demo runs on Linux: it replays a walk through this package's own Core Location.")
    #endif
  }

  /// - Throws: ``Failure`` where the folder has more than the walk.
  private func discard() throws {
    if FileManager.default.fileExists(atPath: data + "/godwit.sqlite") {
      let store = try SQLiteTrackStore(folder: data)
      defer { store.close() }
      let others = try store.devices().map(\.device.name).filter { $0 != Self.device }
      guard others.isEmpty else {
        throw Failure(
          "\(data) has data of other devices than the demo's: \(others.joined(separator: ", ")). Nothing was deleted. Use another folder with --data, or delete these devices first."
        )
      }
    }
    for name in [
      "godwit.sqlite", "godwit.sqlite-wal", "godwit.sqlite-shm", "walker.journal", "walker.journal-wal",
      "walker.journal-shm",
    ] {
      let file = data + "/" + name
      if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
    }
  }

  /// A server with the demo's device, and a token for this run.
  private func prepare() throws -> (Server, AccessToken) {
    let token = AccessToken()
    let store = try SQLiteTrackStore(folder: data)
    _ = try store.revokeTokens(ofDeviceNamed: Self.device, at: Date())
    _ = try store.addDevice(named: Self.device, tokenHash: token.hash, at: Date())
    store.close()
    var configuration = Server.Configuration(listen: listen, dataFolder: data)
    configuration.isDemo = true
    configuration.notices = { Output.log($0) }
    return (try Server(configuration: configuration), token)
  }

  /// The walk as a file, out of the executable.
  private func trackFile() throws -> String {
    if let source {
      guard FileManager.default.fileExists(atPath: source) else { throw Failure("\(source): there is no such file.") }
      return source
    }
    let path = data + "/korita-zbevnica.gpx"
    try Data(Resources.tracker["GodwitCLI/Demo/korita-zbevnica.gpx"]).write(to: URL(fileURLWithPath: path))
    return path
  }
}
