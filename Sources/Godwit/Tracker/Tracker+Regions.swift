internal import Foundation
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel

/// The state of a tracker's regions while it runs.
struct RegionWatching {
  /// Whether they are monitored; `nil`: not yet decided.
  var isOn: Bool?
  /// The schedule of the syncs.
  var syncing: Task<Void, Never>?
  /// The number of the last event that was passed to the journal.
  var collected: Int64
  /// Set if the regions belong to a recorded file.
  var replayed: ReplayedRegions?
}

/// The tracker and its regions: it passes its fixes to them, and moves their events into the journal.
///
/// An event is first in the regions' file, with the state of the evaluation. It goes into the journal in the
/// transaction that also stores its number there. After a kill in between, the event is appended at the next launch;
/// once its number is stored it is never appended again.
extension Tracker {
  /// The journal's key of its last event: the file's id and the number.
  private static let note = "region_events"

  static func openRegions(
    _ configuration: Configuration, _ sensor: any Sensor, _ replayed: ReplayedRegions?
  ) throws -> (RegionManager?, SyncCoordinator?) {
    guard let wanted = configuration.regions else { return (nil, nil) }
    guard wanted.isForwarded || wanted.isReplayed || sensor.regions != nil else { throw RegionSensorMissing() }
    let environment = configuration.environment
    let regions = try RegionManager(
      path: wanted.path ?? configuration.journalPath + ".regions", limits: wanted.limits,
      environment: replayed?.environment(in: environment) ?? environment)
    guard var server = wanted.server else { return (regions, nil) }
    server.environment = environment
    let storage = regions.storage
    let memory = syncMemory(in: storage)
    let sync = SyncCoordinator(
      configuration: server, participants: [RegionSync(manager: regions, choice: wanted.choice)], memory: memory)
    return (regions, sync)
  }

  /// A failed write only causes another sync at the next launch.
  private static func syncMemory(in storage: RegionStorage) -> SyncMemory {
    @Sendable func time(_ key: String) -> Date? {
      guard let text = try? storage.remembered(key), let time = Double(text) else { return nil }
      return Date(timeIntervalSince1970: time)
    }
    return SyncMemory(
      read: { time("synced") },
      write: { time in
        try? storage.remember("synced", "\(time.timeIntervalSince1970)")
        try? storage.remember("syncing", nil)
      },
      begin: { time in try? storage.remember("syncing", "\(time.timeIntervalSince1970)") },
      unfinished: { time("syncing") })
  }

  static func collected(_ journal: Journal, _ regions: RegionManager?) throws -> Int64 {
    guard let regions else { return 0 }
    let parts = try journal.remembered(note)?.split(separator: " ") ?? []
    // Numbers of an earlier file do not apply to this one.
    guard parts.count == 2, parts[0] == regions.storage.id, let number = Int64(parts[1]) else { return 0 }
    return number
  }

  /// Monitors the regions as long as the settings require it.
  func watchRegions() {
    guard let regions, let wanted = configuration.regions else { return }
    let isOn = wanted.isIndependent || engine.isTracking
    guard isOn != regionWatching.isOn else { return }
    let isFirst = regionWatching.isOn == nil
    regionWatching.isOn = isOn
    regions.isPaused = !isOn
    // Monitoring from an earlier process is stopped as well.
    if isFirst, !wanted.isForwarded, !wanted.isReplayed, let sensor = sensor.regions { regions.use(sensor) }
    regionWatching.syncing?.cancel()
    regionWatching.syncing = nil
    guard isOn, let sync else { return }
    regionWatching.syncing = Task(executorPreference: configuration.environment.executor) { try? await sync.run() }
  }

  func notifyRegions(_ fixes: [Fix]) {
    guard regionWatching.isOn == true, let regions else { return }
    for fix in fixes {
      if let replayed = regionWatching.replayed { replayed.tell(fix, to: regions) } else { regions.tell(.fix(fix)) }
    }
  }

  /// Moves new region events into the journal.
  func collectRegionEvents(_ group: inout ThrowingDiscardingTaskGroup<any Error>) {
    guard let regions else { return }
    attempt {
      for waiting in try regions.storage.events(after: regionWatching.collected) {
        regionWatching.collected = waiting.number
        handle(.region(waiting.event), &group, keeping: [Self.note: "\(regions.storage.id) \(waiting.number)"])
      }
      // While the journal cannot be written, the number is not stored either.
      if !isHoldingBack { try regions.storage.discardEvents(through: regionWatching.collected) }
    }
  }

  /// Passes on a server's hint of a new digest of regions.
  nonisolated func hint(regions digest: String) {
    guard let regions, let sync, regions.digest != digest else { return }
    sync.hint()
  }
}
