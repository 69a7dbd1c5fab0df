internal import Foundation
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel
internal import GodwitRegionStorage

/// The regions of a tracker. It opens their file, monitors them while the settings require it, and passes the tracker's fixes to them.
///
/// An event is first written to the regions' file, with the state of the evaluation. It is then appended to the journal in a
/// transaction that also stores its number. After a kill between the two writes, the event is appended at the next launch.
/// An event whose number is stored is never appended again.
struct RegionWatching {
  let regions: RegionManager?
  let sync: SyncCoordinator?
  private let wanted: RegionConfiguration?
  private let environment: TrackerEnvironment
  /// The region sensor of a replayed file; `nil`: no file is replayed.
  private let replayed: ReplayedRegions?
  /// Whether the regions are monitored; `nil`: not yet decided.
  private var isOn: Bool?
  /// The schedule of the syncs.
  private var syncing: Task<Void, Never>?
  /// The number of the last event that was passed to the journal.
  private var collected: Int64

  /// The key in the journal whose value is the id of the regions' file and the number of the last collected event.
  private static let note = "region_events"

  init(_ configuration: Tracker.Configuration, _ sensor: any Sensor, _ journal: Journal) throws {
    environment = configuration.environment
    wanted = configuration.regions
    replayed = wanted?.isReplayed == true ? ReplayedRegions() : nil
    (regions, sync) = try Self.open(configuration, sensor, replayed)
    collected = try Self.collected(journal, regions)
  }

  private static func open(
    _ configuration: Tracker.Configuration, _ sensor: any Sensor, _ replayed: ReplayedRegions?
  ) throws -> (RegionManager?, SyncCoordinator?) {
    guard let wanted = configuration.regions else { return (nil, nil) }
    guard wanted.isForwarded || wanted.isReplayed || sensor.regions != nil else { throw RegionConfiguration.missingSensor }
    let environment = configuration.environment
    let regions = try RegionManager(
      path: wanted.path ?? configuration.journalPath + ".regions", limits: wanted.limits,
      environment: replayed?.environment(in: environment) ?? environment)
    guard var server = wanted.server else { return (regions, nil) }
    server.environment = environment
    let sync = SyncCoordinator(
      configuration: server, participants: [RegionSync(manager: regions, choice: wanted.choice)],
      memory: syncMemory(in: regions.storage))
    return (regions, sync)
  }

  /// Stores the times of syncs in the regions' file. A failed write only causes another sync at the next launch.
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

  private static func collected(_ journal: Journal, _ regions: RegionManager?) throws -> Int64 {
    guard let regions else { return 0 }
    let parts = try journal.remembered(note)?.split(separator: " ") ?? []
    // Numbers of an earlier file do not apply to this one.
    guard parts.count == 2, parts[0] == regions.storage.id, let number = Int64(parts[1]) else { return 0 }
    return number
  }

  // MARK: While the tracker runs

  /// Reports events, problems and forwarded positions to the tracker. It also starts monitoring if the settings require it,
  /// because the mailbox may already have fixes.
  mutating func connect(to mailbox: Mailbox, isTracking: Bool, _ sensor: any Sensor) {
    regions?.collect { [mailbox] in mailbox.postRegionEvents() }
    regions?.whenProblemChanges { [mailbox] in mailbox.wake() }
    regions?.whenLocationIsUpdated { [mailbox] fix in mailbox.post(.fixes([fix])) }
    update(isTracking: isTracking, sensor)
  }

  /// Starts or stops monitoring and syncing as the settings require.
  mutating func update(isTracking: Bool, _ sensor: any Sensor) {
    guard let regions, let wanted else { return }
    let isOn = wanted.isIndependent || isTracking
    guard isOn != self.isOn else { return }
    let isFirst = self.isOn == nil
    self.isOn = isOn
    regions.isPaused = !isOn
    // The sensor is set also while regions are paused, so that monitoring of an earlier process is stopped.
    if isFirst, !wanted.isForwarded, !wanted.isReplayed, let sensor = sensor.regions { regions.use(sensor) }
    stopSyncing()
    guard isOn, let sync else { return }
    syncing = environment.task { try? await sync.run() }
  }

  mutating func stopSyncing() {
    syncing?.cancel()
    syncing = nil
  }

  func notify(_ fixes: [Fix]) {
    guard isOn == true, let regions else { return }
    for fix in fixes {
      if let replayed { replayed.notify(fix, to: regions) } else { regions.send(.fix(fix)) }
    }
  }

  // MARK: Events for the journal

  /// Returns the events after the last one that was collected.
  func events() throws -> [(number: Int64, event: RegionEvent)] {
    try regions?.storage.events(after: collected).map { ($0.number, $0.event) } ?? []
  }

  /// Marks an event as collected.
  /// - Returns: the value that the journal stores in the same transaction.
  mutating func collect(_ number: Int64) -> [String: String?] {
    collected = number
    return regions.map { [Self.note: "\($0.storage.id) \(number)"] } ?? [:]
  }

  /// Deletes collected events from the regions' file.
  func discardCollected() throws { try regions?.storage.discardEvents(through: collected) }
}
