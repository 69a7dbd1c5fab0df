#if os(Linux)
  internal import CoreLocation
  internal import Godwit
  internal import GodwitCommandLine
  internal import GodwitModel

  /// Copies a tracker's regions from the server, and prints their events.
  struct RegionSession: Sendable {
    private let regions: RegionManager
    private let sync: SyncCoordinator?
    private let isFile: Bool
    private let events: AsyncStream<RegionEvent>

    /// - Parameters:
    ///   - regions: The monitored regions.
    ///   - sync: Copies the regions from the server; `nil` for no server.
    ///   - isFile: Whether the positions come from a file, which contains no beacons.
    init(regions: RegionManager, sync: SyncCoordinator?, isFile: Bool) {
      (self.regions, self.sync, self.isFile) = (regions, sync, isFile)
      // Subscribed here, so that no event is missed.
      events = regions.regionEvents
    }

    /// Copies the regions of the server. The tracker's status contains errors. After a failure the last copy is used, and the
    /// tracker retries.
    func copy() async {
      await synced()
      await notifySubscribers()
    }

    /// Returns when the sync has succeeded or failed, or when the current task is cancelled.
    private func synced() async {
      guard let sync else { return }
      // Cancelling the wait does not cancel the sync, and the sync must not delay the end of the program.
      let (ends, teller) = AsyncStream.makeStream(of: Void.self)
      Task {
        _ = await sync.sync()
        teller.finish()
      }
      for await _ in ends {}
    }

    /// Logs a problem if the regions have beacons that cannot be detected. With a file beacons are not needed.
    private func notifySubscribers() async {
      guard !regions.beaconUUIDs.isEmpty, !isFile else { return }
      let found = await BlueZSource.check()
      if !found.isAvailable { Self.log("The regions have beacons, which cannot be detected: \(found.text)") }
    }

    /// Prints region events as they occur, until the task is cancelled.
    func publishEvents() async {
      for await event in events { Self.log(Self.describe(event)) }
    }

    static func describe(_ event: RegionEvent) -> String {
      let name = event.region.name.isEmpty ? event.region.id : event.region.name
      let verb =
        switch event.kind {
        case .entered: "entered"
        case .exited: "left"
        case .dwelled: "stayed in"
        case .crossed: "crossed"
        }
      return "\(RFC3339.string(event.time, .seconds))  \(verb) \(name)"
    }

    private static func log(_ text: String) {
      Output.endProgress()
      Output.log(text)
    }
  }
#endif
