internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStatus

/// A tracker's control panel in the browser: what the tracker does, and the settings that it does it by.
///
/// Everything that the panel changes goes through the tracker's own commands, so that it is journalled, remembered
/// and seen in the event log like anything else.
final class PanelServer: Sendable {
  /// Something that a request waits for.
  struct Job: Sendable {
    var perform: @Sendable () async -> Void
  }

  let tracker: Tracker
  let access: PanelAccess
  /// The event streams of open pages.
  let events = EventChannel()
  private let listen: ListenAddress
  private let work: AsyncStream<Job>
  private let worker: AsyncStream<Job>.Continuation

  /// Requests that may wait at once; more are refused.
  private static let maximumWaiting = 64
  /// Bytes of a body: all settings are a few thousand.
  private static let largestBody = 256 << 10
  /// Seconds between two signs of life to the page, which misses them after three times as long.
  static let beat = 4.0
  /// Minimum seconds between two updates of the page.
  private static let pause = 0.2
  /// Seconds that a command may take to reach the journal before the page is answered anyway.
  private static let timeout = 2.0

  /// - Parameters:
  ///   - tracker: which this is the panel of.
  ///   - listen: where the panel is.
  ///   - token: the administrator's choice of one; `nil`: one is made.
  ///   - journal: of the tracker; beside it the panel keeps its token and sessions.
  /// - Throws: a sentence when the token will not do or cannot be kept.
  init(tracker: Tracker, listen: ListenAddress, token: String?, journal: String) throws {
    self.tracker = tracker
    self.listen = listen
    access = try PanelAccess(token: token, journal: journal)
    (work, worker) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
  }

  /// Serves until the task is cancelled.
  /// - Parameter listening: called once, with the port, when requests are taken.
  /// - Throws: when the address cannot be listened on; the message says why.
  func run(listening: @Sendable (UInt16) -> Void) async throws {
    var configuration = HTTPServer.Configuration(address: listen)
    configuration.threads = 1
    configuration.maximumBody = Self.largestBody
    configuration.maximumConnections = 256
    configuration.option = "--panel"
    let http = HTTPServer(configuration: configuration, handler: PanelRoutes(self).handler)
    try access.prepare()
    let port = try http.start()
    let withdraw = access.announce(address(port: port))
    defer { withdraw() }
    listening(port)
    await withDiscardingTaskGroup { group in
      group.addTask { await self.publishChanges() }
      group.addTask { await self.publishLifecycle() }
      // Ends when it is cancelled, with everything that was taken on before.
      for await job in self.work { group.addTask { await job.perform() } }
      group.cancelAll()
    }
    http.beginStopping()
    events.close()
    await http.stop(within: 5)
  }

  /// Takes on what a request waits for. - Returns: whether it could be.
  func enqueue(_ job: Job) -> Bool {
    if case .enqueued = worker.yield(job) { true } else { false }
  }

  /// Waits until what was reported to the tracker has been done and written down.
  /// - Returns: whether it was within two seconds; a journal that cannot be written takes longer.
  func caughtUp() async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await self.tracker.caughtUp()
        return true
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(Self.timeout))
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  // MARK: Live

  private func publishChanges() async {
    var last: Settings?
    for await _ in tracker.statuses {
      let settings = await tracker.settings
      if let last, last != settings { publish("settings", Array("{}".utf8)) }
      last = settings
      await publishStatus()
      // A replay makes more changes than anybody can look at.
      guard (try? await Task.sleep(for: .seconds(Self.pause))) != nil else { return }
    }
  }

  private func publishLifecycle() async {
    while (try? await Task.sleep(for: .seconds(Self.beat))) != nil { await publishStatus() }
  }

  private func publishStatus() async {
    guard events.hasSubscribers else { return }
    publish("status", PanelJSON.bytes(await StatusReport(of: tracker)))
  }

  private func publish(_ event: String, _ data: [UInt8]) {
    events.publish(Array("event: \(event)\ndata: ".utf8) + data + Array("\n\n".utf8))
  }

  // MARK: Where it is

  /// Prints where it is; on a terminal with a link that opens it once, and with a code for a phone's camera.
  func announce(port: UInt16) {
    let address = address(port: port)
    Output.log("The panel: \(address)")
    LoginLink.announce(access.command) { try access.link(to: address) }
  }

  /// The address of the page.
  func address(port: UInt16) -> String {
    // "Every address" is no address to open.
    let host = listen.isAny ? (LocalNetwork.addresses.first ?? ProcessInfo.processInfo.hostName) : listen.host
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
  }
}
