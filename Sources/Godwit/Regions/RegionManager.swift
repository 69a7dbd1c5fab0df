package import Foundation
public import GodwitEngine
internal import GodwitLocks
public import GodwitModel
internal import GodwitRegionStorage
internal import GodwitWire

/// The regions of a device: the copy on disk, the regions that the device is in, and their events.
///
///     guard let regions = tracker.regions else { return }
///     for await event in regions.regionEvents where event.kind == .entered { greet(event.region.name) }
///
/// A ``Tracker`` drives it: `tracker.regions`. Alternatively an app that owns its location manager forwards the
/// delegate's calls to it; see Documentation/Regions.md. All methods may be called from any thread.
///
/// The state of the evaluation is written in the same transaction as its events, so each event is reported once, also
/// after a kill. After a kill before the commit neither is stored; the system then reports the crossing again, or the state
/// of the region is requested at the next launch. After the commit both are stored.
public final class RegionManager: Sendable {
  private struct State {
    var watch: RegionWatch
    var catalogue: RegionCatalogue
    var sensor: (any RegionSensor)?
    var timer: Task<Void, Never>?
    /// Whether the system allows monitoring.
    var canMonitor = true
    var isPaused = false
    /// Events that could not be written, for example because the disk is full.
    var unwritten: [RegionEvent] = []
    /// Repeats a failed write, because the next input may arrive hours later.
    var retry: Task<Void, Never>?
    var problems = RegionProblems()
    var reported = Reported()
    /// The time zone of the device that was reported last, and the time of that report; `nil`: none was reported.
    var zones: (device: TimeZone, reported: Date)?
    /// The uptime, seconds, at which the time zone of the device was read last.
    var timeZoneRead = -Double.infinity
    /// Work to perform after the lock is released, in order, by one thread at a time.
    var work: [Work] = []
    var isWorking = false
  }

  /// The values that were published last.
  private struct Reported {
    var geofences: Set<Region> = []
    var beacons: Set<Region> = []
  }

  private enum Work: Sendable {
    case perform(RegionEffect, any RegionSensor)
    case events([RegionStorage.NumberedEvent])
    case geofences(Set<Region>)
    case beacons(Set<Region>)
    case problem
  }

  let storage: RegionStorage
  let environment: TrackerEnvironment
  private let state: Mutex<State>
  private let events = Broadcast<RegionEvent>()
  private let geofenceStreams = Broadcast<Set<Region>>()
  private let beaconStreams = Broadcast<Set<Region>>()
  /// Called when events wait for the journal.
  private let collector = Mutex<(@Sendable () -> Void)?>(nil)
  /// Called when ``problem`` changes.
  private let problemHandler = Mutex<(@Sendable () -> Void)?>(nil)
  /// Called with positions that the app forwards.
  private let updates = Mutex<(@Sendable (Fix) -> Void)?>(nil)

  /// Observers of the geofences that the device is in. They are called at every change, on the thread of the event.
  public let geofenceObservers = RegionManager.ObserverSet<Set<Region>>()
  /// Observers of the beacons that are near. They are called at every change, on the thread of the event.
  public let beaconObservers = RegionManager.ObserverSet<Set<Region>>()

  /// Maximum unread events of a slow subscriber of ``regionEvents``; new events beyond it are dropped.
  static let maximumUnread = 1000
  /// Minimum seconds between two readings of the time zone of the device. A reading on Linux takes 0.1 ms.
  static let timeZoneInterval = 60.0
  #if !os(Linux)
    private let observations = Observations(.default)
  #endif

  /// Opens the copy, or creates an empty one.
  /// - Parameters:
  ///   - path: its path, in a folder that the system does not empty.
  ///   - limits: the maximum share of the system's monitoring.
  ///   - environment: clock, random source and network.
  /// - Throws: a ``GodwitError`` of the category `storage` if the file cannot be opened or created.
  public init(
    path: String, limits: RegionLimits = RegionLimits(), environment: TrackerEnvironment = .live()
  ) throws(GodwitError) {
    self.environment = environment
    let (opened, memory) = try GodwitError.wrapping(.fileUnavailable) {
      let opened = try RegionStorage.open(path: path, newID: UInt64(environment.random() * 0x1p53))
      return (opened, try opened.storage.memory())
    }
    storage = opened.storage
    let catalogue = opened.catalogue
    // An unreadable state counts as none: the evaluation starts from the beginning.
    var watch = memory.flatMap { try? JSONDecoder().decode(RegionWatch.self, from: Data($0.utf8)) }
    if watch == nil { watch = RegionWatch() }
    watch?.limits = limits
    state = Mutex(State(watch: watch ?? RegionWatch(), catalogue: catalogue))
    state.withLock { state in
      state.reported.geofences = Set(state.watch.geofences(in: state.catalogue))
      state.reported.beacons = Set(state.watch.beacons(in: state.catalogue).map(\.region))
      state.problems.damaged = storage.damaged
    }
    #if !os(Linux)
      observations.observeOnAnyThread(.NSSystemTimeZoneDidChange) { [weak self] in self?.timeZoneChanged() }
    #endif
  }

  deinit { for task in state.withLock({ [$0.timer, $0.retry] }) { task?.cancel() } }

  // MARK: Regions

  /// All regions of the copy, sorted by id. Each call creates the array, and 100,000 regions take 15 MB; use ``count`` for their number.
  public var regions: [Region] { Array(state.withLock { $0.catalogue }.regions) }
  /// The number of regions of the copy.
  public var count: Int { state.withLock { $0.catalogue }.regions.count }
  /// The UUIDs of the beacons, sorted.
  public var beaconUUIDs: [ProximityUUID] { state.withLock { $0.catalogue }.beaconUUIDs }
  /// Returns the region with an id.
  public subscript(id: String) -> Region? { state.withLock { $0.catalogue }[id] }
  /// The digest for comparison with the server; `nil`: never synced.
  public var digest: String? { state.withLock { $0.catalogue.digest.isEmpty ? nil : $0.catalogue.digest } }
  /// The current problems of regions, as sentences: the disk is full, the system forbids monitoring, the copy was
  /// damaged, the last sync failed. `nil`: none.
  public var problem: String? { state.withLock { $0.problems.text(copied: $0.catalogue.regions.count) } }

  /// The geofences that the device is in.
  public var currentGeofences: Set<Region> { Set(geofencesByDistance) }
  /// The geofences that the device is in, nearest edge first.
  public var geofencesByDistance: [Region] {
    let (watch, catalogue) = state.withLock { ($0.watch, $0.catalogue) }
    return watch.geofences(in: catalogue)
  }
  /// The beacons that are near.
  public var currentBeacons: Set<Region> { Set(beaconsByProximity.map(\.region)) }
  /// The beacons that are near, nearest first, with their last ranging.
  public var beaconsByProximity: [CurrentBeacon] {
    let (watch, catalogue) = state.withLock { ($0.watch, $0.catalogue) }
    return watch.beacons(in: catalogue)
  }

  /// The time of the last sync that succeeded; `nil`: there was none.
  package var lastSync: Date? {
    guard let text = try? storage.remembered("synced") else { return nil }
    return Double(text).map { Date(timeIntervalSince1970: $0) }
  }
  /// Returns the geofences of the copy that are nearest to a place, sorted by the distance to the edge; inside a geofence the
  /// distance is negative. A polygon is compared by the circle around it.
  /// - Parameters:
  ///   - count: the maximum number.
  ///   - place: the place.
  package func nearestGeofences(_ count: Int, to place: Coordinate) -> [Region] {
    state.withLock { $0.catalogue }.nearestGeofences(count, to: place)
  }

  /// The newest known position.
  var newestFix: Fix? { state.withLock { $0.watch.newestFix } }

  // MARK: Streams

  /// The geofences that the device is in, now and at every change. A slow subscriber gets only the newest value.
  public var geofences: AsyncStream<Set<Region>> { geofenceStreams.stream(first: currentGeofences, .bufferingNewest(1)) }
  /// The beacons that are near, now and at every change. A slow subscriber gets only the newest value.
  public var beacons: AsyncStream<Set<Region>> { beaconStreams.stream(first: currentBeacons, .bufferingNewest(1)) }
  /// All events from now on: entries, exits and dwells, each once. If a subscriber has 1000 unread events, new ones are dropped for it.
  public var regionEvents: AsyncStream<RegionEvent> { events.stream(first: nil, .bufferingOldest(Self.maximumUnread)) }

  // MARK: Inputs

  /// Sets the sensor that reports inputs and performs effects. The regions that the system already monitors stay monitored if
  /// the plan contains them.
  public func use(_ sensor: some RegionSensor) {
    state.withLock { $0.sensor = sensor }
    reportZones()
    sensor.connect { [weak self] input in self?.send(input) }
  }

  /// The current sensor; `nil`: none was set.
  var sensor: (any RegionSensor)? { state.withLock { $0.sensor } }

  /// Passes an input to the evaluation. Ignored before a sensor is set.
  func send(_ input: RegionInput) {
    updateTimeZone()
    evaluate(input)
  }

  private func evaluate(_ input: RegionInput) {
    let isFree = state.withLock { state in
      guard state.sensor != nil else { return false }
      handle(input, &state)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if isFree { work() }
  }

  /// Sets or clears a problem.
  private func change(_ change: (inout RegionProblems) -> Void) {
    let isFree = state.withLock { state in
      Self.change(&state, change)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if isFree { work() }
  }

  private static func change(_ state: inout State, _ change: (inout RegionProblems) -> Void) {
    let before = state.problems
    change(&state.problems)
    if state.problems != before { state.work.append(.problem) }
  }

  /// Whether regions are paused. While they are paused nothing is monitored, as without permission.
  var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set {
      let canMonitor = state.withLock { state in
        state.isPaused = newValue
        return state.canMonitor
      }
      send(.permission(canMonitor: canMonitor))
    }
  }

  /// Reports the offsets of the time zones if the time zone of the device changed, on which a schedule without a zone depends, and after a
  /// month or a change of the clock, because a report contains only the next changes of the offsets.
  private func updateTimeZone() {
    let uptime = environment.uptime()
    let last = state.withLock { state -> (device: TimeZone, reported: Date)? in
      guard let zones = state.zones, uptime - state.timeZoneRead >= Self.timeZoneInterval else { return nil }
      state.timeZoneRead = uptime
      return zones
    }
    guard let last else { return }
    let age = abs(environment.now().timeIntervalSince(last.reported))
    if age > 30 * DayLength.seconds || environment.timeZone() != last.device { reportZones() }
  }

  #if !os(Linux)
    private func timeZoneChanged() {
      if state.withLock({ $0.zones != nil }) { reportZones() }
    }
  #endif

  /// Reports the offsets of the time zones of the device and of the schedules.
  private func reportZones() {
    let (timeZone, uptime, now) = (environment.timeZone(), environment.uptime(), environment.now())
    let names = state.withLock { state in
      state.zones = (device: timeZone, reported: now)
      state.timeZoneRead = uptime
      return state.catalogue.timeZones
    }
    evaluate(.zones(RegionZones.system(names, device: timeZone, from: now)))
  }

  private func handle(_ input: RegionInput, _ state: inout State) {
    let now = environment.now()
    var input = input
    if case .permission(let canMonitor) = input {
      state.canMonitor = canMonitor
      input = .permission(canMonitor: canMonitor && !state.isPaused)
      let isForbidden = !canMonitor && !state.isPaused
      Self.change(&state) { $0.isForbidden = isForbidden }
    }
    let effects = state.watch.handle(input, at: now, in: state.catalogue)
    let events: [RegionEvent] = effects.compactMap { if case .report(let event) = $0 { event } else { nil } }
    // A state change without effects need not be written.
    if !effects.isEmpty || state.problems.disk != nil { store(events, &state) }
    for effect in effects {
      switch effect {
      case .setTimer(let time): setTimer(time, &state.timer)
      case .report: break
      case .insideChanged: compare(&state)
      case .startMonitoring, .stopMonitoring, .requestState, .startRanging, .stopRanging, .wantsFixes:
        if let sensor = state.sensor { state.work.append(.perform(effect, sensor)) }
      }
    }
  }

  /// Writes the state and the events. A failed write is repeated at the next input, or after ten seconds.
  private func store(_ events: [RegionEvent], _ state: inout State) {
    do {
      let memory = String(decoding: try JSONEncoder().encode(state.watch), as: UTF8.self)
      let numbered = try storage.store(memory: memory, events: state.unwritten + events)
      state.unwritten = []
      Self.change(&state) { $0.disk = nil }
      if !numbered.isEmpty { state.work.append(.events(numbered)) }
    } catch {
      Self.change(&state) { $0.disk = "\(error)" }
      state.unwritten = (state.unwritten + events).suffix(Int(RegionStorage.maximumEvents))
      setTimer(environment.now().addingTimeInterval(10), &state.retry)
    }
  }

  private func setTimer(_ time: Date?, _ timer: inout Task<Void, Never>?) {
    timer?.cancel()
    timer = time.map { time in
      environment.task { [weak self, environment] in
        // The clock may have advanced since the timer was set.
        guard (try? await environment.sleep(until: time)) != nil else { return }
        self?.send(.timer)
      }
    }
  }

  private func compare(_ state: inout State) {
    let geofences = Set(state.watch.geofences(in: state.catalogue))
    if geofences != state.reported.geofences {
      state.reported.geofences = geofences
      state.work.append(.geofences(geofences))
    }
    let beacons = Set(state.watch.beacons(in: state.catalogue).map(\.region))
    if beacons != state.reported.beacons {
      state.reported.beacons = beacons
      state.work.append(.beacons(beacons))
    }
  }

  /// Performs the deferred work until none is left.
  private func work() {
    func next() -> Work? {
      state.withLock { state in
        guard !state.work.isEmpty else {
          state.isWorking = false
          return nil
        }
        return state.work.removeFirst()
      }
    }
    while let work = next() {
      switch work {
      case .perform(let effect, let sensor): sensor.perform(effect)
      case .events(let numbered):
        for event in numbered { events.send(event.event) }
        collector.withLock { $0 }?()
      case .geofences(let geofences):
        geofenceObservers.notify(geofences)
        geofenceStreams.send(geofences)
      case .beacons(let beacons):
        beaconObservers.notify(beacons)
        beaconStreams.send(beacons)
      case .problem: problemHandler.withLock { $0 }?()
      }
    }
  }

  // MARK: Sync and journal

  /// Replaces all regions, for a program that does not sync them from a server.
  /// - Parameter regions: all regions; of several with the same id the last one is used.
  /// - Throws: a ``GodwitError`` of the category `storage` if the regions cannot be written. The old regions stay then.
  public func replaceRegions(_ regions: [Region]) throws(GodwitError) {
    try GodwitError.wrapping(.fileUnavailable) { try replace(regions) }
  }

  private func replace(_ regions: [Region]) throws {
    var byID: [String: Region] = [:]
    for region in regions { byID[region.id] = region }
    var digest = RegionDigest.empty
    for region in byID.values { digest.toggle(RegionDigest(of: region)) }
    let nodes = byID.values.map { RegionPage.Node.region($0, revision: 0) }
    let page = RegionStorage.Page(nodes: nodes, epoch: "", cursor: "", isBeginning: true, digest: digest)
    if try storage.stage(page) == .swapped { try reload() }
  }

  /// Reads the changed copy from the disk and selects the monitored regions again.
  func reload() throws {
    let catalogue = try storage.catalogue()
    state.withLock { $0.catalogue = catalogue }
    change { $0.damaged = nil }
    reportZones()
    send(.catalogueChanged)
  }

  /// Records the result of a sync.
  /// - Parameter problem: why it failed, as a sentence; `nil`: it succeeded.
  func synced(problem: String?) { change { $0.sync = problem } }

  /// Sets the handler of changes of ``problem``.
  /// - Parameter tell: called on any thread.
  func whenProblemChanges(_ tell: @escaping @Sendable () -> Void) { problemHandler.withLock { $0 = tell } }

  /// Sets the handler of positions that the app forwards.
  /// - Parameter tell: called on any thread.
  func whenLocationIsUpdated(_ tell: @escaping @Sendable (Fix) -> Void) { updates.withLock { $0 = tell } }

  /// Handles a position that the app forwards.
  func updated(_ fix: Fix) {
    send(.fix(fix))
    updates.withLock { $0 }?(fix)
  }

  /// Stops all writing. The simulator calls it for a program that has been killed.
  package func freeze() { storage.freeze() }

  /// Sets the handler that moves events into the journal.
  /// - Parameter collect: called whenever events wait, on any thread.
  func collect(_ collect: @escaping @Sendable () -> Void) { collector.withLock { $0 = collect } }
}
