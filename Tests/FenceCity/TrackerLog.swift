internal import CoreLocation
internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitPhone
internal import GodwitSimulator
internal import Synchronization

/// A log of the tracker on a phone in a city, over all runs of the app. It also crashes the app at random points that the
/// system does not expect: between two commits, between a commit and its report, between two requests to the system.
///
/// `@unchecked Sendable`: the token of the observer is used only on the thread of the phone.
final class TrackerLog: @unchecked Sendable {
  private struct State {
    var random: RandomSource
    var crashing: Double
    var launch: AppContext?
    /// The running app has crashed: its further actions have no effect.
    var isOver = false
    var crashes = 0
    var launches = 0
    var unreachable: [(from: Date, until: Date?)] = []
    /// The time since which a launched app waits for the first unlock.
    var waiting: Date?
    var held: [(from: Date, until: Date)] = []
    var reported: [FenceDisk.Reported] = []
    var received: [RegionEvent] = []
    var inside: Set<String>?
    var repetitions = 0
    var maximumMonitored = 0
    var hasUnmanaged = true
    var rejections: [String] = []
    var tracker: Tracker?
    var reader: Task<Void, Never>?
  }

  private let state: Mutex<State>
  private var observer: (any NSObjectProtocol)?

  /// - Parameters:
  ///   - crashing: the probability that the app crashes after a step, 0…1.
  ///   - seed: the seed of the random crashes.
  init(crashing: Double, seed: UInt64) {
    state = Mutex(State(random: RandomSource(seed: seed, stream: "tracker crashes"), crashing: crashing))
  }

  var crashes: Int { state.withLock { $0.crashes } }
  var launches: Int { state.withLock { $0.launches } }
  var unreachable: [(from: Date, until: Date?)] { state.withLock { $0.unreachable } }
  /// The periods in which a launched app waited for the first unlock, until the tracker started.
  var held: [(from: Date, until: Date)] { state.withLock { $0.held } }
  /// The region events that were recorded in the journal, with the times of the recording.
  var reported: [FenceDisk.Reported] { state.withLock { $0.reported } }
  /// The region events that the code of the app received.
  var received: [RegionEvent] { state.withLock { $0.received } }
  /// The recorded events that the code of the app did not receive although the app did not crash when they were detected.
  var undelivered: [RegionEvent] {
    let (received, unreachable) = (Set(received), unreachable)
    return reported.filter { one in
      !received.contains(one.event)
        && !unreachable.contains {
          abs(one.at.timeIntervalSince($0.from)) < 1 || $0.until.map { abs(one.at.timeIntervalSince($0)) < 1 } ?? false
        }
    }.map(\.event)
  }
  /// The number of times that an observer received the same geofences twice in succession.
  var repetitions: Int { state.withLock { $0.repetitions } }
  var maximumMonitored: Int { state.withLock { $0.maximumMonitored } }
  var keptUnmanaged: Bool { state.withLock { $0.hasUnmanaged } }
  var rejections: [String] { state.withLock { $0.rejections } }
  var tracker: Tracker? { state.withLock { $0.tracker } }

  /// Stops the random crashes.
  func stopCrashing() { state.withLock { $0.crashing = 0 } }

  /// Releases the objects of the last run of the app.
  func finish() {
    state.withLock { state in
      state.reader?.cancel()
      (state.tracker, state.reader, state.launch) = (nil, nil, nil)
    }
    observer = nil
  }

  // MARK: Runs of the app

  func launched(_ launch: AppContext) {
    let now = launch.environment.now()
    state.withLock { state in
      state.launch = launch
      state.isOver = false
      state.launches += 1
      // Before the first unlock the app cannot read its files.
      if let last = state.unreachable.indices.last, state.unreachable[last].until == nil, launch.isUnlocked {
        state.unreachable[last].until = now
      }
      if !launch.isUnlocked, state.unreachable.last.map({ $0.until != nil }) ?? true { state.unreachable.append((now, nil)) }
      state.waiting = launch.isUnlocked ? nil : now
    }
  }

  /// Starts the code of the app, which reads the events and observes the geofences.
  func launched(_ tracker: Tracker) {
    guard let regions = tracker.regions, let launch = state.withLock({ $0.launch }) else { return }
    let now = launch.environment.now()
    let events = regions.regionEvents
    observer = regions.geofenceObservers.add { [weak self] geofences in self?.observe(geofences) }
    let reader = Task(executorPreference: launch.environment.executor) { [weak self] in
      for await event in events { self?.record(event) }
    }
    state.withLock { state in
      if let last = state.unreachable.indices.last, state.unreachable[last].until == nil { state.unreachable[last].until = now }
      if let from = state.waiting { state.held.append((from, now)) }
      state.waiting = nil
      state.reader?.cancel()
      (state.tracker, state.reader) = (tracker, reader)
      state.inside = nil
    }
  }

  private func record(_ event: RegionEvent) { state.withLock { state in if !state.isOver { state.received.append(event) } } }

  private func observe(_ geofences: Set<Region>) {
    let ids = Set(geofences.map(\.id))
    state.withLock { state in
      guard !state.isOver else { return }
      if state.inside == ids { state.repetitions += 1 }
      state.inside = ids
    }
    // At this point, the event is in the file of the regions but not in the journal.
    crashAtRandom()
  }

  func recorded(_ records: [Record]) {
    let events = records.compactMap { record -> RegionEvent? in
      if case .region(let event) = record.kind { event } else { nil }
    }
    guard !events.isEmpty, let launch = state.withLock({ $0.launch }) else { return }
    let now = launch.environment.now()
    state.withLock { state in for event in events { state.reported.append(FenceDisk.Reported(event: event, at: now)) } }
    // At this point, the event is in the journal and still in the file of the regions.
    crashAtRandom()
  }

  /// Crashes the app with the configured probability.
  /// - Returns: whether the app continues.
  @discardableResult
  func crashAtRandom() -> Bool {
    let launch = state.withLock { state -> AppContext? in
      guard !state.isOver, let launch = state.launch, state.random.happens(state.crashing) else { return nil }
      state.isOver = true
      state.crashes += 1
      if state.unreachable.last.map({ $0.until != nil }) ?? true { state.unreachable.append((launch.environment.now(), nil)) }
      return launch
    }
    launch?.crash()
    return state.withLock { !$0.isOver }
  }

  // MARK: The system

  func record(monitored: Int, hasUnmanaged: Bool) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.maximumMonitored = max(state.maximumMonitored, monitored)
      state.hasUnmanaged = state.hasUnmanaged && hasUnmanaged
    }
  }

  func record(rejection: String) { state.withLock { $0.rejections.append(rejection) } }
}

/// Logs the calls between the tracker and its sensor, and crashes the app at random between two requests to the system.
final class WatchedSensor: SensorWrapper {
  let sensor: any Sensor
  let regions: (any RegionSensor)?

  init(_ inner: LocationSensor, _ log: TrackerLog) {
    sensor = inner
    regions = inner.regions.map { WatchedRegions($0, log) }
  }

  func connect(_ tell: @escaping @Sendable (Event) -> Void) { sensor.connect(tell) }
}

/// `@unchecked Sendable`: used only on the thread of the phone.
private final class WatchedRegions: RegionSensor, @unchecked Sendable {
  private let inner: any RegionSensor
  private let log: TrackerLog
  private let manager = CLLocationManager()
  private var hasUnmanaged: Bool

  init(_ inner: any RegionSensor, _ log: TrackerLog) {
    self.inner = inner
    self.log = log
    hasUnmanaged = manager.monitoredRegions.contains { $0.identifier == FenceApp.unmanaged }
  }

  var largestRadius: Double? { inner.largestRadius }

  func connect(_ tell: @escaping @Sendable (RegionInput) -> Void) {
    inner.connect { [log] input in
      if case .monitoringFailed(let identifier) = input { log.record(rejection: identifier) }
      tell(input)
    }
  }

  func perform(_ effect: RegionEffect) {
    guard log.crashAtRandom() else { return }
    inner.perform(effect)
    // Another part of the app monitors its own region as soon as it has permission.
    if !hasUnmanaged, manager.authorizationStatus == .authorizedAlways {
      let place = CLLocationCoordinate2D(latitude: FenceCity.middle.latitude, longitude: FenceCity.middle.longitude)
      manager.startMonitoring(for: CLCircularRegion(center: place, radius: 200, identifier: FenceApp.unmanaged))
      hasUnmanaged = true
    }
    let all = manager.monitoredRegions
    log.record(monitored: all.count, hasUnmanaged: !hasUnmanaged || all.contains { $0.identifier == FenceApp.unmanaged })
  }
}
