internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitLocks
internal import GodwitModel

/// The only sensor of a launch, shared by the trackers that are opened one after the other.
///
/// It is connected at the launch. While no tracker is connected (before the first unlock, and while a changed list of servers is opened),
/// it holds events. A tracker that ends cannot turn the location services off, because the system would suspend an app in the background.
final class SharedSensor: SensorWrapper {
  private struct State {
    var tell: (@Sendable (Event) -> Void)?
    var held: [Event] = []
    var authorization = Authorization.notDetermined
    var isConnectedToSystem = false
  }

  let sensor: any Sensor
  private let state = Mutex(State())

  /// Maximum held events. Beyond it, the oldest are dropped.
  static let maximumEvents = 10_000

  init(_ sensor: any Sensor) { self.sensor = sensor }

  /// The permission that the system reported last.
  var authorization: Authorization { state.withLock { $0.authorization } }

  /// Connects to the system and receives events from now on.
  func begin() {
    let isFirst = state.withLock { state in
      defer { state.isConnectedToSystem = true }
      return !state.isConnectedToSystem
    }
    if isFirst { sensor.connect { [weak self] event in self?.receive(event) } }
  }

  private func receive(_ event: Event) {
    state.withLock { state in
      if case .authorizationChanged(let authorization) = event { state.authorization = authorization }
      if let tell = state.tell { return tell(event) }
      // `connect` always reports the newest permission to the next tracker.
      if case .authorizationChanged = event { return }
      if state.held.count >= Self.maximumEvents { state.held.removeFirst() }
      state.held.append(event)
    }
  }

  /// Requests significant changes and visits, for a launch before the first unlock.
  func watchUntilUnlock() { sensor.watchUntilUnlock() }

  /// Stops the services that ``watchUntilUnlock()`` requested and drops the held events, because tracking is off.
  func dropHeld() {
    state.withLock { $0.held = [] }
    sensor.configure(nil)
    sensor.hold(nil)
  }

  /// Disconnects the tracker, which is about to be replaced by another one.
  func detach() { state.withLock { $0.tell = nil } }

  /// Connects a tracker and sends it the held events. Under the lock, so that a new event never precedes the held ones.
  func connect(_ tell: @escaping @Sendable (Event) -> Void) {
    state.withLock { state in
      tell(.authorizationChanged(state.authorization))
      for event in state.held { tell(event) }
      state.held = []
      state.tell = tell
    }
  }

  func configure(_ request: LocationRequest?) {
    let isConnected = state.withLock { $0.tell != nil }
    if isConnected || request != nil { sensor.configure(request) }
  }

  func hold(_ sessions: SessionRequest?) {
    let isConnected = state.withLock { $0.tell != nil }
    if isConnected || sessions != nil { sensor.hold(sessions) }
  }
}
