internal import Foundation
internal import GodwitEngine
internal import GodwitLocks
internal import GodwitModel

/// A sensor whose events are held in memory until a tracker connects.
final class HeldSensor: Sensor {
  private struct State {
    var events: [Event] = []
    var tell: (@Sendable (Event) -> Void)?
  }

  private let sensor: any Sensor
  private let state = Mutex(State())

  /// Maximum held events; the oldest are dropped beyond it.
  static let maximumEvents = 10_000

  init(_ sensor: any Sensor) { self.sensor = sensor }

  /// Starts to hold events: significant changes and visits.
  /// - Parameter settings: of the tracker that will connect.
  func hold(_ settings: LocationSettings) {
    var wanted = settings
    wanted.trackingMode = .significant
    wanted.tracksVisits = true
    sensor.connect { [weak self] event in self?.receive(event) }
    // It requests no permission: whether tracking is on is not known yet.
    sensor.hold(SessionRequest(authorization: nil))
    sensor.configure(LocationRequest(wanted))
  }

  private func receive(_ event: Event) {
    state.withLock { state in
      if let tell = state.tell { return tell(event) }
      if state.events.count >= Self.maximumEvents { state.events.removeFirst() }
      state.events.append(event)
    }
  }

  /// Under the lock, so that a new event never precedes the held ones.
  func connect(_ tell: @escaping @Sendable (Event) -> Void) {
    state.withLock { state in
      for event in state.events { tell(event) }
      state.events = []
      state.tell = tell
    }
  }

  func configure(_ request: LocationRequest?) { sensor.configure(request) }
  func hold(_ sessions: SessionRequest?) { sensor.hold(sessions) }
  func requestAuthorization(_ wanted: WantedAuthorization) { sensor.requestAuthorization(wanted) }
  func requestLocation() { sensor.requestLocation() }
  func watchExit(of place: Coordinate, radius: Meters) { sensor.watchExit(of: place, radius: radius) }
  func stopWatchingExit() { sensor.stopWatchingExit() }
  func askMotionHistory(from: Date, to: Date) { sensor.askMotionHistory(from: from, to: to) }
  var cachedFix: Fix? { sensor.cachedFix }
  func steps(from: Date, to: Date) async -> Int? { await sensor.steps(from: from, to: to) }
  var usesMotion: Bool { sensor.usesMotion }
  var motionProblem: String? { sensor.motionProblem }
  var updatesInBackground: Bool { sensor.updatesInBackground }
  func keepScreenOn(_ isOn: Bool) { sensor.keepScreenOn(isOn) }
  var regions: (any RegionSensor)? { sensor.regions }
}
