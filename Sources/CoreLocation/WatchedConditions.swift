internal import Foundation
internal import GodwitModel
internal import Synchronization

/// What a ``CLMonitor`` is to the daemon: a client that has circles watched, and finds out by itself where the device is
/// at first.
final class WatchedConditions: Sendable {
  private struct State {
    var client: LocationServices.ClientID?
    var records: [String: CLMonitor.Record] = [:]
    /// What was told last of each, whether or not it has been handled.
    var told: [String: CLMonitor.Event.State] = [:]
    /// Conditions that are not watched because nobody may know the location.
    var refused: Set<String> = []
    /// The last known position of when a circle was handed to the daemon, until the daemon has taken it.
    var known: [String: Fix] = [:]
    /// Circles whose first position is still to come, and who looks for it.
    var unknown: Set<String> = []
    var look: Int?
    /// Events that nobody has listened to.
    var waiting: [CLMonitor.Event] = []
    var listener: (number: Int, continuation: AsyncStream<CLMonitor.Event>.Continuation)?
    var next = 1
  }

  private static let mostWaiting = 1000

  private let state = Mutex(State())
  private let daemon: LocationDaemon
  private let monitor: String
  private let queue = DispatchQueue(label: "monitor")

  init(daemon: LocationDaemon, monitor: String) {
    self.daemon = daemon
    self.monitor = monitor
  }

  deinit {
    let (client, look, listener) = state.withLock { ($0.client, $0.look, $0.listener) }
    if let look { daemon.stopWatchingMotion(look) }
    if let client { daemon.disconnect(client) }
    listener?.continuation.finish()
  }

  var records: [String: CLMonitor.Record] { state.withLock { $0.records } }

  /// Goes on with what a monitor of the same name had watched.
  func begin() {
    let client = daemon.connect(
      LocationDaemon.Listener(queue: queue) { [weak self] output in self?.receive(output) })
    let kept = daemon.conditions(of: monitor)
    state.withLock { state in
      state.client = client
      state.records = kept
      state.told = kept.mapValues(\.lastEvent.state)
    }
    daemon.handle(.requestedAuthorization(client, always: false))
    for (identifier, record) in kept.sorted(by: { $0.key < $1.key }) { watch(record.condition, identifier) }
  }

  func add(_ condition: any CLCondition, _ identifier: String, assuming assumed: CLMonitor.Event.State) {
    let event = CLMonitor.Event(identifier, assumed, daemon.time)
    change { state in
      state.records[identifier] = CLMonitor.Record(condition: condition, lastEvent: event)
      state.told[identifier] = assumed
    }
    watch(condition, identifier)
  }

  func remove(_ identifier: String) {
    let client = change { state in
      state.records[identifier] = nil
      state.told[identifier] = nil
      state.refused.remove(identifier)
      state.unknown.remove(identifier)
      state.known[identifier] = nil
      return state.client
    }
    if let client { daemon.handle(.stopWatching(client, identifier: identifier)) }
  }

  /// An event has been handled.
  func settle(_ event: CLMonitor.Event) { change { $0.records[event.identifier]?.lastEvent = event } }

  /// Whoever listens last gets the events.
  func listen() -> AsyncStream<CLMonitor.Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: CLMonitor.Event.self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
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

  // MARK: Watching

  private func watch(_ condition: any CLCondition, _ identifier: String) {
    guard let circle = condition as? CLMonitor.CircularGeographicCondition, circle.radius > 0,
      let center = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude)
    else { return tell(identifier, .unmonitored) { $0.conditionUnsupported = true } }
    let last = daemon.last
    let client = state.withLock { state in
      state.known[identifier] = last
      return state.client
    }
    guard let client else { return }
    let region = Regions.Region(identifier: identifier, shape: .circle(center: center, radius: circle.radius))
    daemon.handle(.watch(client, region))
    if last == nil, daemon.isAuthorized { awaitPosition(identifier) }
  }

  private func receive(_ output: LocationServices.Output) {
    switch output {
    case .watching(_, let identifier):
      if let last = state.withLock({ $0.known.removeValue(forKey: identifier) }) { evaluate([identifier], last) }
    case .entered(_, let identifier): tell(identifier, .satisfied)
    case .exited(_, let identifier): tell(identifier, .unsatisfied)
    case .watchFailed(_, let identifier, let error):
      state.withLock { state in
        state.known[identifier] = nil
        state.unknown.remove(identifier)
      }
      guard error.code == .regionMonitoringDenied else {
        return tell(identifier, .unmonitored) { $0.conditionLimitExceeded = true }
      }
      _ = state.withLock { $0.refused.insert(identifier) }
      tellRefusal(identifier, daemon.authorization)
    case .authorization(_, let status): decided(status)
    default: break  // It watches nothing else.
    }
  }

  private func decided(_ status: CLAuthorizationStatus) {
    guard status == .authorizedAlways || status == .authorizedWhenInUse else {
      let all = records.keys.sorted()
      state.withLock { $0.refused.formUnion(all) }
      for identifier in all { tellRefusal(identifier, status) }
      return
    }
    let again = state.withLock { state in
      defer { state.refused = [] }
      return state.refused.compactMap { identifier in state.records[identifier].map { (identifier, $0.condition) } }
    }
    for (identifier, condition) in again.sorted(by: { $0.0 < $1.0 }) { watch(condition, identifier) }
  }

  private func tellRefusal(_ identifier: String, _ status: CLAuthorizationStatus) {
    tell(identifier, .unmonitored) { event in
      event.authorizationDenied = status == .denied
      event.authorizationRestricted = status == .restricted
      event.authorizationRequestInProgress = status == .notDetermined
    }
  }

  private func awaitPosition(_ identifier: String) {
    let isLooking = state.withLock { state in
      state.unknown.insert(identifier)
      return state.look != nil
    }
    guard !isLooking else { return }
    let look = daemon.watchPositions { [weak self] fixes in
      guard let self, let first = fixes.first else { return }
      let (unknown, look) = state.withLock { state in
        defer { (state.unknown, state.look) = ([], nil) }
        return (state.unknown, state.look)
      }
      evaluate(unknown, first)
      if let look { daemon.stopWatchingMotion(look) }
    }
    state.withLock { $0.look = look }
  }

  /// Where the device is with regard to circles that it has not crossed yet.
  private func evaluate(_ identifiers: Set<String>, _ fix: Fix) {
    for identifier in identifiers.sorted() {
      guard let circle = records[identifier]?.condition as? CLMonitor.CircularGeographicCondition,
        let center = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude)
      else { continue }
      let isInside = GreatCircle.distance(center, fix.coordinate) <= circle.radius
      tell(identifier, isInside ? .satisfied : .unsatisfied, at: fix.time)
    }
  }

  /// Tells what is new.
  private func tell(
    _ identifier: String, _ new: CLMonitor.Event.State, at time: Date? = nil,
    _ change: (inout CLMonitor.Event) -> Void = { _ in }
  ) {
    var event = CLMonitor.Event(identifier, new, time ?? daemon.time)
    event.accuracyLimited = daemon.accuracyAuthorization == .reducedAccuracy
    change(&event)
    state.withLock { state in
      guard let told = state.told[identifier], told != new else { return }
      state.told[identifier] = new
      if let listener = state.listener {
        listener.continuation.yield(event)
      } else {
        state.waiting = state.waiting.suffix(Self.mostWaiting - 1) + [event]
      }
    }
  }

  /// Changes the records, and keeps them for a monitor to come.
  @discardableResult
  private func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = change(&state)
      daemon.keep(state.records, of: monitor)
      return result
    }
  }
}
