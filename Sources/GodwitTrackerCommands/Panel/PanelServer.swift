internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStatus

/// A tracker's control panel in the browser: it shows the tracker's status and changes its settings.
///
/// The panel makes all changes through the tracker's commands, so that they are stored in the journal and in the event log like
/// others.
final class PanelServer: Sendable {
  /// Work that a request waits for.
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

  /// Maximum number of waiting requests. Further requests are rejected.
  private static let maximumWaiting = 64
  /// Maximum size of a body in bytes. All settings together need a few thousand.
  private static let largestBody = 256 << 10
  /// Seconds between two status events. The page counts the connection as lost after three times as long.
  static let beat = 4.0
  /// Minimum seconds between two updates of the page.
  private static let pause = 0.2
  /// Maximum seconds that a response waits for a command to reach the journal.
  private static let timeout = 2.0

  /// - Parameters:
  ///   - tracker: The tracker of the panel.
  ///   - listen: Address of the panel.
  ///   - token: The administrator's token; `nil` to create one.
  ///   - journal: Journal of the tracker. The panel stores its token and sessions beside it.
  /// - Throws: An error if the token is invalid or cannot be stored.
  init(tracker: Tracker, listen: ListenAddress, token: String?, journal: String) throws {
    self.tracker = tracker
    self.listen = listen
    access = try PanelAccess(token: token, journal: journal)
    (work, worker) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
  }

  /// Serves until the task is cancelled.
  /// - Parameter listening: Called once with the port when the server accepts requests.
  /// - Throws: An error with the reason if the address cannot be bound.
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
      // Ends on cancellation, after all accepted jobs.
      for await job in self.work { group.addTask { await job.perform() } }
      group.cancelAll()
    }
    http.beginStopping()
    events.close()
    await http.stop(within: 5)
  }

  /// Adds work that a request waits for.
  /// - Returns: `false` if the queue is full or closed.
  func enqueue(_ job: Job) -> Bool {
    if case .enqueued = worker.yield(job) { true } else { false }
  }

  /// Waits until the tracker has processed all commands and stored them.
  /// - Returns: `false` after two seconds, for example if the journal cannot be written.
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
      // A replay causes more changes than a page can display.
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

  // MARK: Address

  /// Prints the panel's address. On a terminal also prints a one-time link and its QR code.
  func announce(port: UInt16) {
    let address = address(port: port)
    Output.log("The panel: \(address)")
    LoginLink.announce(access.command) { try access.link(to: address) }
  }

  /// Returns the address of the page.
  func address(port: UInt16) -> String {
    // An unspecified address such as 0.0.0.0 cannot be opened.
    let host = listen.isAny ? (LocalNetwork.addresses.first ?? ProcessInfo.processInfo.hostName) : listen.host
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
  }
}
