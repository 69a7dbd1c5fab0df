internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitLocks
internal import GodwitModel

/// The one sensor of a launch, for the trackers that are opened one after the other.
///
/// It is connected at the launch itself. While no tracker is connected (before the first unlock, and while a changed list of
/// servers is opened) it holds what comes, and lets no tracker that ends turn the location services off: in the background the
/// system would suspend the app.
final class SharedSensor: SensorWrapper {
  private struct State {
    var tell: (@Sendable (Event) -> Void)?
    var held: [Event] = []
    var authorization = Authorization.notDetermined
    var isConnectedToSystem = false
  }

  let sensor: any Sensor
  private let state = Mutex(State())

  /// Maximum held events; the oldest are dropped beyond it.
  static let maximumEvents = 10_000

  init(_ sensor: any Sensor) { self.sensor = sensor }

  /// The permission as the system reported it last.
  var authorization: Authorization { state.withLock { $0.authorization } }

  /// Receives events from now on.
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
      // The newest permission is reported to the next tracker in any case.
      if case .authorizationChanged = event { return }
      if state.held.count >= Self.maximumEvents { state.held.removeFirst() }
      state.held.append(event)
    }
  }

  /// Requests significant changes and visits, for a launch before the first unlock.
  func watchUntilUnlock() { sensor.watchUntilUnlock() }

  /// Stops what ``watchUntilUnlock()`` requested, and drops what came: tracking was off.
  func dropHeld() {
    state.withLock { $0.held = [] }
    sensor.configure(nil)
    sensor.hold(nil)
  }

  /// The connected tracker is about to be replaced by another one.
  func detach() { state.withLock { $0.tell = nil } }

  /// Under the lock, so that a new event never precedes the held ones.
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
