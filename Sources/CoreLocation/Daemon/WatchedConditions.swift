internal import Foundation
internal import GodwitModel
internal import Synchronization

/// The client of the daemon for a ``CLMonitor``. It monitors circles and beacons under the name of the monitor.
final class WatchedConditions: Sendable {
  private struct State {
    var client: LocationServices.ClientID?
    var records: [String: CLMonitor.Record] = [:]
    /// The last reported state of each condition, whether or not the event was handled.
    var reported: [String: CLMonitor.Event.State] = [:]
    /// Conditions that are not monitored because the program has no permission.
    var rejected: Set<String> = []
    var useLimits = LocationServices.UseLimits()
    /// Events that wait for a subscriber.
    var waiting: [CLMonitor.Event] = []
    var listener: (number: Int, continuation: AsyncStream<CLMonitor.Event>.Continuation)?
    var next = 1
  }

  private static let maximumWaiting = 1000

  private let state = Mutex(State())
  private let daemon: LocationDaemon
  private let monitor: String
  private let queue = DispatchQueue(label: "monitor")

  init(daemon: LocationDaemon, monitor: String) {
    self.daemon = daemon
    self.monitor = monitor
  }

  deinit {
    let (client, listener) = state.withLock { ($0.client, $0.listener) }
    if let client { daemon.disconnect(client) }
    listener?.continuation.finish()
  }

  var records: [String: CLMonitor.Record] { state.withLock { $0.records } }

  /// Continues to monitor the conditions of an earlier monitor of the same name.
  func begin() {
    let kept = daemon.conditions(of: monitor)
    state.withLock { state in
      state.records = kept
      state.reported = kept.mapValues(\.lastEvent.state)
    }
    let listener = LocationDaemon.Listener(queue: queue) { [weak self] output in self?.receive(output) }
    let client = daemon.connect(listener, as: .monitor(monitor))
    state.withLock { $0.client = client }
    daemon.handle(.requestedAuthorization(client, always: false))
    for (identifier, record) in kept.sorted(by: { $0.key < $1.key }) {
      let name = Regions.Name(monitor: monitor, identifier: identifier)
      if daemon.read({ $0.regions.hasLapsed(name) }) {
        notify(identifier, .unmonitored)
      } else {
        watch(record.condition, identifier)
      }
    }
  }

  func add(_ condition: any CLCondition, _ identifier: String, assuming assumed: CLMonitor.Event.State) {
    let event = CLMonitor.Event(identifier, assumed, daemon.time)
    remove(identifier)
    change { state in
      state.records[identifier] = CLMonitor.Record(condition: condition, lastEvent: event)
      state.reported[identifier] = assumed
    }
    watch(condition, identifier)
  }

  func remove(_ identifier: String) {
    let client = change { state in
      state.records[identifier] = nil
      state.reported[identifier] = nil
      state.rejected.remove(identifier)
      return state.client
    }
    if let client { daemon.handle(.stopWatching(client, identifier: identifier)) }
  }

  /// Records an event as handled.
  func setLastEvent(_ event: CLMonitor.Event) { change { $0.records[event.identifier]?.lastEvent = event } }

  /// Returns a stream of the events. It replaces an earlier stream, which ends.
  func listen() -> AsyncStream<CLMonitor.Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: CLMonitor.Event.self, bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
    let (number, before) = state.withLock { state in
      defer { state.next += 1 }
      let before = state.listener
      state.listener = (state.next, continuation)
      for event in state.waiting { continuation.yield(event) }
      state.waiting = []
      return (state.next, before)
    }
    before?.continuation.finish()
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in
        if state.listener?.number == number { state.listener = nil }
      }
    }
    return stream
  }

  // MARK: Monitoring

  private func watch(_ condition: any CLCondition, _ identifier: String) {
    guard let shape = shape(of: condition) else { return notify(identifier, .unmonitored) { $0.conditionUnsupported = true } }
    guard let client = state.withLock({ $0.client }) else { return }
    daemon.handle(.watch(client, Regions.Region(identifier: identifier, shape: shape, monitor: monitor)))
  }

  /// Returns the shape of a condition; `nil`: it cannot be monitored on this machine.
  private func shape(of condition: any CLCondition) -> Regions.Shape? {
    switch condition {
    case let circle as CLMonitor.CircularGeographicCondition:
      guard circle.radius > 0, circle.radius <= Regions.largest,
        let center = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude)
      else { return nil }
      return .circle(center: center, radius: circle.radius)
    case let beacon as CLMonitor.BeaconIdentityCondition where daemon.canDetectBeacons: return .beacon(beacon.identity)
    default: return nil
    }
  }

  private func receive(_ output: LocationServices.Output) {
    switch output {
    case .state(_, let region, .inside): notify(region.identifier, .satisfied) { $0.refinement = ranged(region) }
    case .state(_, let region, .outside): notify(region.identifier, .unsatisfied)
    case .watchFailed(_, let region, let error):
      let identifier = region.identifier
      guard error.code == .regionMonitoringDenied else {
        return notify(identifier, .unmonitored) { $0.conditionLimitExceeded = true }
      }
      _ = state.withLock { $0.rejected.insert(identifier) }
      let status = daemon.authorization
      // If permission was granted meanwhile, its output follows, and the condition is monitored then.
      if !status.isGranted { reportRejection(identifier, status) }
    // The current permission is used, because it may have changed since the call was enqueued.
    case .authorization: decided(daemon.authorization)
    case .useLimits(_, let useLimits): state.withLock { $0.useLimits = useLimits }
    default: break  // A monitor receives nothing else.
    }
  }

  private func decided(_ status: CLAuthorizationStatus) {
    guard status.isGranted else {
      let all = records.keys.sorted()
      state.withLock { $0.rejected.formUnion(all) }
      for identifier in all { reportRejection(identifier, status) }
      return
    }
    let again = state.withLock { state in
      defer { state.rejected = [] }
      return state.rejected.compactMap { identifier in state.records[identifier].map { (identifier, $0.condition) } }
    }
    for (identifier, condition) in again.sorted(by: { $0.0 < $1.0 }) { watch(condition, identifier) }
  }

  private func reportRejection(_ identifier: String, _ status: CLAuthorizationStatus) {
    let isOn = daemon.isSwitchedOn
    notify(identifier, .unmonitored) { event in
      event.authorizationDenied = status == .denied
      event.authorizationDeniedGlobally = status == .denied && !isOn
      event.authorizationRestricted = status == .restricted
      event.authorizationRequestInProgress = status == .notDetermined
    }
  }

  /// Returns the beacon that satisfied a condition; `nil` for a circle.
  private func ranged(_ region: Regions.Region) -> CLMonitor.BeaconIdentityCondition? {
    guard case .beacon(let identity) = region.shape, let sighting = daemon.read({ $0.beacons.last(identity) }) else {
      return nil
    }
    return CLMonitor.BeaconIdentityCondition(uuid: sighting.uuid, major: sighting.major, minor: sighting.minor)
  }

  /// Reports an event if the state of the condition changed.
  private func notify(
    _ identifier: String, _ new: CLMonitor.Event.State, _ change: (inout CLMonitor.Event) -> Void = { _ in }
  ) {
    var event = CLMonitor.Event(identifier, new, daemon.time)
    event.accuracyLimited = daemon.accuracyAuthorization == .reducedAccuracy
    let useLimits = state.withLock { $0.useLimits }
    event.serviceSessionRequired = useLimits.needsSession
    event.insufficientlyInUse = useLimits.isInsufficientlyInUse
    change(&event)
    state.withLock { state in
      guard let reported = state.reported[identifier], reported != new else { return }
      state.reported[identifier] = new
      if let listener = state.listener {
        listener.continuation.yield(event)
      } else {
        state.waiting = state.waiting.suffix(Self.maximumWaiting - 1) + [event]
      }
    }
  }

  /// Changes the state, and stores the records for a later monitor of the same name.
  @discardableResult
  private func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = change(&state)
      daemon.store(state.records, of: monitor)
      return result
    }
  }
}

extension CLMonitor.BeaconIdentityCondition {
  var identity: Beacons.Identity { Beacons.Identity(uuid: uuid, major: major, minor: minor) }
}
