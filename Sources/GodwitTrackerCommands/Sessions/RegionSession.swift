#if os(Linux)
  internal import CoreLocation
  internal import Godwit
  internal import GodwitCommandLine
  internal import GodwitModel

  /// What a person receives a tracker's regions.
  struct RegionSession: Sendable {
    private let regions: RegionManager
    private let sync: SyncCoordinator?
    private let isFile: Bool
    private let events: AsyncStream<RegionEvent>

    /// - Parameters:
    ///   - regions: that are watched over.
    ///   - sync: where they come from; `nil`: from nowhere.
    ///   - isFile: whether the positions are those of a file, which heard no beacons.
    init(regions: RegionManager, sync: SyncCoordinator?, isFile: Bool) {
      (self.regions, self.sync, self.isFile) = (regions, sync, isFile)
      // From now on nothing is missed.
      events = regions.regionEvents
    }

    /// Copies the regions of the server. What is wrong the tracker's status says; after a failure the copy of the last time is
    /// used, and the tracker tries again.
    func copy() async {
      await synced()
      await notifySubscribers()
    }

    /// Returns when the regions are synced, or could not be, or when nobody waits for it any more.
    private func synced() async {
      guard let sync else { return }
      // One that goes on is not ended by who waits for it, and must not keep the program from its end.
      let (ends, teller) = AsyncStream.makeStream(of: Void.self)
      Task {
        _ = await sync.sync()
        teller.finish()
      }
      for await _ in ends {}
    }

    /// Beacons are of use only where they are heard.
    private func notifySubscribers() async {
      guard !regions.beaconUUIDs.isEmpty, !isFile else { return }
      let found = await BlueZSource.check()
      if !found.isThere { Self.log("The regions have beacons, which cannot be detected: \(found.text)") }
    }

    /// Says what happens, as it happens, until the task is cancelled.
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
