internal import Foundation
public import GodwitEngine
public import GodwitModel
internal import GodwitWire
internal import Synchronization

/// The regions of a device: the copy on disk, which of them the device is in, and what happens at their edges.
///
/// Hands off, a ``Tracker`` drives it: `tracker.regions`. Or an app that owns its location manager forwards the delegate's calls
/// to it; see Documentation/Regions.md. Everything may be called from any thread.
///
/// What the watch remembers lies on disk, in the same transaction as the events that came of it. An event therefore is told
/// once, also when the program is killed in between: before the commit neither is there, and the system tells the crossing
/// again or the state that is asked for at the next launch shows it; after it both are.
public final class RegionManager: Sendable {
  private struct State {
    var watch: RegionWatch
    var catalogue: RegionCatalogue
    var sensor: (any RegionSensor)?
    var timer: Task<Void, Never>?
    /// What the system allows.
    var canMonitor = true
    var isPaused = false
    /// Events that could not be written: the disk is full, say.
    var unwritten: [RegionEvent] = []
    var troubles = RegionProblems()
    var told = Told()
    /// What is done after the lock is given back, in its order, by one thread at a time.
    var work: [Work] = []
    var isWorking = false
  }

  /// What was told last.
  private struct Told {
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
  /// Told when events wait for the journal.
  private let collector = Mutex<(@Sendable () -> Void)?>(nil)
  /// Told when ``problem`` is another one.
  private let complaints = Mutex<(@Sendable () -> Void)?>(nil)
  /// Told of positions that the app forwards.
  private let updates = Mutex<(@Sendable (Fix) -> Void)?>(nil)

  /// Told of the geofences that the device is in, whenever they are others. On the thread that brought the news.
  public let geofenceObservers = ObserverSet<Set<Region>>()
  /// Told of the beacons that are near, whenever they are others. On the thread that brought the news.
  public let beaconObservers = ObserverSet<Set<Region>>()

  /// Events that a slow reader of ``regionEvents`` may leave lying; older ones are dropped.
  static let maximumUnread = 1000

  /// Opens the copy, or makes an empty one.
  /// - Parameters:
  ///   - path: of its file, in a folder that the system does not empty.
  ///   - limits: how much of the system's monitoring it may use.
  ///   - environment: clock, chance and network.
  /// - Throws: when the file cannot be opened or made; the error says what to do.
  public init(
    path: String, limits: RegionLimits = RegionLimits(), environment: TrackerEnvironment = .live()
  ) throws {
    self.environment = environment
    let opened = try RegionStorage.open(path: path, newID: UInt64(environment.random() * 0x1p53))
    storage = opened.storage
    let catalogue = opened.catalogue
    // What cannot be read any more is not there: the watch begins anew.
    var watch = try storage.memory().flatMap { try? JSONDecoder().decode(RegionWatch.self, from: Data($0.utf8)) }
    if watch == nil { watch = RegionWatch() }
    watch?.limits = limits
    state = Mutex(State(watch: watch ?? RegionWatch(), catalogue: catalogue))
    state.withLock { state in
      state.told.geofences = Set(state.watch.geofences(in: state.catalogue))
      state.told.beacons = Set(state.watch.beacons(in: state.catalogue).map(\.region))
      state.troubles.damaged = storage.damaged
    }
  }

  deinit { state.withLock { $0.timer }?.cancel() }

  // MARK: What there is

  /// All regions of the copy, by id. They are made when they are asked for, and of a hundred thousand take 15 MB: who wants to
  /// know how many there are asks for ``count``.
  public var regions: [Region] { Array(state.withLock { $0.catalogue }.regions) }
  /// How many regions the copy has.
  public var count: Int { state.withLock { $0.catalogue }.regions.count }
  /// The UUIDs of its beacons, in order.
  public var beaconUUIDs: [ProximityUUID] { state.withLock { $0.catalogue }.beaconUUIDs }
  /// The region of an id.
  public subscript(id: String) -> Region? { state.withLock { $0.catalogue }[id] }
  /// What tells whether the server has the same; `nil`: nothing was ever synced.
  public var digest: String? { state.withLock { $0.catalogue.digest.isEmpty ? nil : $0.catalogue.digest } }
  /// Why regions do not work as they should, in sentences: something cannot be kept on disk, the system lets nobody monitor, the
  /// copy was damaged, the last sync failed. `nil`: nothing is wrong.
  public var problem: String? { state.withLock { $0.troubles.text(copied: $0.catalogue.regions.count) } }

  /// The geofences that the device is in.
  public var currentGeofences: Set<Region> { Set(geofencesByDistance) }
  /// The same, nearest edge first.
  public var geofencesByDistance: [Region] {
    let (watch, catalogue) = state.withLock { ($0.watch, $0.catalogue) }
    return watch.geofences(in: catalogue)
  }
  /// The beacons that are near.
  public var currentBeacons: Set<Region> { Set(beaconsByProximity.map(\.region)) }
  /// The same, nearest first, with what was heard of them last.
  public var beaconsByProximity: [CurrentBeacon] {
    let (watch, catalogue) = state.withLock { ($0.watch, $0.catalogue) }
    return watch.beacons(in: catalogue)
  }

  /// The newest position that it knows of.
  var newestFix: Fix? { state.withLock { $0.watch.newestFix } }

  // MARK: Reading along

  /// The geofences that the device is in, now and whenever they are others. A slow reader gets the newest only.
  public var geofences: AsyncStream<Set<Region>> { geofenceStreams.stream(first: currentGeofences, .bufferingNewest(1)) }
  /// The beacons that are near, now and whenever they are others. A slow reader gets the newest only.
  public var beacons: AsyncStream<Set<Region>> { beaconStreams.stream(first: currentBeacons, .bufferingNewest(1)) }
  /// What happens from now on: entries, exits, stays, each once.
  public var regionEvents: AsyncStream<RegionEvent> { events.stream(first: nil, .bufferingOldest(Self.maximumUnread)) }

  // MARK: News

  /// Who brings the news and does what is wanted from now on. What the system monitors already is taken over.
  public func use(_ sensor: some RegionSensor) {
    state.withLock { $0.sensor = sensor }
    tell(.zones(zones()))
    sensor.connect { [weak self] news in self?.tell(news) }
  }

  /// Who brings the news now.
  var sensor: (any RegionSensor)? { state.withLock { $0.sensor } }

  /// Tells something that the watch has to know. Before there is a sensor nothing is known.
  func tell(_ news: RegionInput) {
    let isFree = state.withLock { state in
      guard state.sensor != nil else { return false }
      handle(news, &state)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if isFree { work() }
  }

  /// Something is wrong, or is no longer.
  private func change(_ change: (inout RegionProblems) -> Void) {
    let isFree = state.withLock { state in
      Self.change(&state, change)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if isFree { work() }
  }

  private static func change(_ state: inout State, _ change: (inout RegionProblems) -> Void) {
    let before = state.troubles
    change(&state.troubles)
    if state.troubles != before { state.work.append(.problem) }
  }

  /// Nobody wants to know now: nothing is monitored, as without permission.
  var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set {
      let canMonitor = state.withLock { state in
        state.isPaused = newValue
        return state.canMonitor
      }
      tell(.permission(canMonitor: canMonitor))
    }
  }

  private func zones() -> RegionZones { RegionZones.system(state.withLock { $0.catalogue.timeZones }, from: environment.now()) }

  private func handle(_ news: RegionInput, _ state: inout State) {
    let now = environment.now()
    var news = news
    if case .permission(let canMonitor) = news {
      state.canMonitor = canMonitor
      news = .permission(canMonitor: canMonitor && !state.isPaused)
      let isForbidden = !canMonitor && !state.isPaused
      Self.change(&state) { $0.isForbidden = isForbidden }
    }
    let effects = state.watch.handle(news, at: now, in: state.catalogue)
    var events: [RegionEvent] = []
    for effect in effects { if case .tell(let event) = effect { events.append(event) } }
    // What gives no effect the watch can do without.
    if !effects.isEmpty || !state.unwritten.isEmpty { keep(events, &state) }
    for effect in effects {
      switch effect {
      case .setTimer(let time): setTimer(time, &state, at: now)
      case .tell: break
      case .insideChanged: compare(&state)
      case .startMonitoring, .stopMonitoring, .requestState, .startRanging, .stopRanging, .wantsFixes:
        if let sensor = state.sensor { state.work.append(.perform(effect, sensor)) }
      }
    }
  }

  /// Writes the memory and the events. What the disk does not take is tried again with the next news.
  private func keep(_ events: [RegionEvent], _ state: inout State) {
    do {
      let memory = String(decoding: try JSONEncoder().encode(state.watch), as: UTF8.self)
      let numbered = try storage.keep(memory: memory, events: state.unwritten + events)
      state.unwritten = []
      Self.change(&state) { $0.disk = nil }
      if !numbered.isEmpty { state.work.append(.events(numbered)) }
    } catch {
      Self.change(&state) { $0.disk = "\(error)" }
      state.unwritten = (state.unwritten + events).suffix(Int(RegionStorage.maximumEvents))
    }
  }

  private func setTimer(_ time: Date?, _ state: inout State, at now: Date) {
    state.timer?.cancel()
    state.timer = time.map { time in
      Task(executorPreference: environment.executor) { [weak self, sleep = environment.sleep] in
        guard (try? await sleep(max(0, time.timeIntervalSince(now)))) != nil else { return }
        self?.tell(.timer)
      }
    }
  }

  private func compare(_ state: inout State) {
    let geofences = Set(state.watch.geofences(in: state.catalogue))
    if geofences != state.told.geofences {
      state.told.geofences = geofences
      state.work.append(.geofences(geofences))
    }
    let beacons = Set(state.watch.beacons(in: state.catalogue).map(\.region))
    if beacons != state.told.beacons {
      state.told.beacons = beacons
      state.work.append(.beacons(beacons))
    }
  }

  /// Does what the lock held back, until there is nothing more.
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
      case .problem: complaints.withLock { $0 }?()
      }
    }
  }

  // MARK: Sync and journal

  /// Takes these instead of what there is: for a program that has its regions from elsewhere than a sync.
  /// - Parameter regions: all of them; of several with one id the last one counts.
  /// - Throws: when they cannot be written; then the old ones stay.
  public func replaceRegions(_ regions: [Region]) throws {
    var byID: [String: Region] = [:]
    for region in regions { byID[region.id] = region }
    var digest = RegionDigest()
    for region in byID.values { digest ^= RegionDigest(region) }
    let nodes = byID.values.map { RegionPage.Node.region($0, revision: 0) }
    let page = RegionStorage.Page(nodes: nodes, epoch: "", cursor: "", isBeginning: true, digest: digest)
    if try storage.stage(page) == .swapped { try reload() }
  }

  /// The copy on disk is another one: it is read, and what is monitored is chosen anew.
  func reload() throws {
    let catalogue = try storage.catalogue()
    state.withLock { $0.catalogue = catalogue }
    change { $0.damaged = nil }
    tell(.zones(zones()))
    tell(.catalogueChanged)
  }

  /// How the last sync ended.
  /// - Parameter problem: why it failed, as a sentence; `nil`: it did not.
  func synced(problem: String?) { change { $0.sync = problem } }

  /// Who is told when ``problem`` is another one.
  /// - Parameter tell: called on any thread.
  func whenProblemChanges(_ tell: @escaping @Sendable () -> Void) { complaints.withLock { $0 = tell } }

  /// Sets what receives the positions that the app forwards.
  /// - Parameter tell: called on any thread.
  func whenLocationIsUpdated(_ tell: @escaping @Sendable (Fix) -> Void) { updates.withLock { $0 = tell } }

  /// The app forwards a position.
  func updated(_ fix: Fix) {
    tell(.fix(fix))
    updates.withLock { $0 }?(fix)
  }

  /// From now on nothing is written any more. For a simulated program that has been killed.
  package func freeze() { storage.freeze() }

  /// Who carries the events into the journal.
  /// - Parameter collect: called whenever there are some, on any thread.
  func collect(_ collect: @escaping @Sendable () -> Void) { collector.withLock { $0 = collect } }
}
