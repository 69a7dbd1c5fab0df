internal import Foundation
internal import GodwitEngine
internal import GodwitLocks
internal import GodwitModel

/// A sensor whose events are held in memory until a tracker connects.
final class HeldSensor: SensorWrapper {
  private struct State {
    var events: [Event] = []
    var tell: (@Sendable (Event) -> Void)?
  }

  let sensor: any Sensor
  private let state = Mutex(State())

  /// Maximum held events. Beyond it the oldest event is dropped.
  static let maximumEvents = 10_000

  init(_ sensor: any Sensor) { self.sensor = sensor }

  /// Starts to hold events: significant changes and visits.
  /// - Parameter settings: the settings of the tracker that will connect.
  func hold(_ settings: LocationSettings) {
    sensor.connect { [weak self] event in self?.receive(event) }
    sensor.watchUntilUnlock(settings)
  }

  private func receive(_ event: Event) {
    state.withLock { state in
      if let tell = state.tell { return tell(event) }
      if state.events.count >= Self.maximumEvents { state.events.removeFirst() }
      state.events.append(event)
    }
  }

  /// Reports the held events, and then each new event. The held events are reported under the lock, so that a new event never
  /// precedes them.
  func connect(_ tell: @escaping @Sendable (Event) -> Void) {
    state.withLock { state in
      for event in state.events { tell(event) }
      state.events = []
      state.tell = tell
    }
  }
}
