#if os(Linux)
  internal import CoreLocation
  package import Foundation
  internal import Godwit
  internal import GodwitCommandLine
  internal import GodwitEngine
  internal import GodwitModel

  /// The tracker of `godwit demo`. It tracks a recorded walk and sends it to the demo's server.
  package struct DemoWalk {
    private let track: String
    private let data: String
    private let url: URL
    private let token: String
    private let speed: ReplaySpeed

    /// - Parameters:
    ///   - track: File with the walk.
    ///   - data: Folder of the journal.
    ///   - url: Address of the server's endpoint, with its token.
    package init(track: String, data: String, url: URL, token: String, speed: ReplaySpeed) {
      (self.track, self.data, self.url, self.token, self.speed) = (track, data, url, token, speed)
    }

    /// Runs until the walk is complete and all of its records have arrived.
    package func run() async throws {
      var settings = Settings()
      settings.deviceID = "walker"
      settings.sendInterval = 1
      let journal = data + "/walker.journal"
      let session = try TrackingSession(
        source: track, speed: speed, journalPath: journal,
        endpoints: [Endpoint(id: EndpointID("demo"), url: url, token: token)], settings: settings)
      let reporter = StatusReporter(json: false)
      try await session.run(untilSent: true) { reporter.report($0) }
      reporter.finish(await session.tracker.status, nil)
      // Ctrl-C was pressed before the end of the walk.
      if Task.isCancelled { return }
      Output.log(
        session.replayReport?.fixes == 0
          ? "The walk was complete already; the map shows it. `godwit demo --fresh` replays it again."
          : "The walk is complete. The map stays until Ctrl-C.")
    }
  }
#endif
