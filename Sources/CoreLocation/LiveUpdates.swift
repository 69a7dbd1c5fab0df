internal import Foundation
internal import GodwitModel
internal import Synchronization

/// What an iteration over ``CLLocationUpdate/liveUpdates(_:)`` is to the daemon: a client like a manager, but one whose
/// updates go on by themselves after a pause.
final class LiveUpdates: Sendable {
  private struct State {
    var client: LocationServices.ClientID?
    /// Who notices that it moves again. From the beginning: a receiver that sleeps in a pause notices nothing.
    var watch: Int?
    /// Where the device has stood still since; `nil`: it moves.
    var pause: Coordinate?
    /// Position from the end of the pause, which the daemon tells first when updates begin again.
    var fromPause: Fix?
  }

  private let state = Mutex(State())
  private let daemon: LocationDaemon
  private let continuation: AsyncStream<CLLocationUpdate>.Continuation
  private let queue = DispatchQueue(label: "live updates")

  init(daemon: LocationDaemon, continuation: AsyncStream<CLLocationUpdate>.Continuation) {
    self.daemon = daemon
    self.continuation = continuation
  }

  deinit { end() }

  func begin(_ configuration: CLLocationUpdate.LiveConfiguration) {
    // Weakly: a task that is cancelled, or an iterator that is dropped, ends it.
    continuation.onTermination = { [weak self] _ in self?.end() }
    let client = daemon.connect(
      LocationDaemon.Listener(queue: queue) { [weak self] output in self?.receive(output) })
    state.withLock { $0.client = client }
    switch configuration {
    case .automotiveNavigation, .otherNavigation:
      daemon.handle(.desiredAccuracyChanged(client, kCLLocationAccuracyBestForNavigation))
    case .default, .fitness, .airborne: break
    }
    daemon.handle(.requestedAuthorization(client, always: false))
    daemon.handle(.startedUpdating(client))
    let watch = daemon.watchPositions { [weak self] fixes in self?.look(fixes) }
    let isOver = state.withLock { state in
      guard state.client != nil else { return true }
      state.watch = watch
      return false
    }
    if isOver { daemon.stopWatchingMotion(watch) }
  }

  private func end() {
    let (client, watch) = state.withLock { state in
      defer { (state.client, state.watch, state.pause) = (nil, nil, nil) }
      return (state.client, state.watch)
    }
    if let watch { daemon.stopWatchingMotion(watch) }
    if let client { daemon.disconnect(client) }
    continuation.finish()
  }

  private func receive(_ output: LocationServices.Output) {
    switch output {
    case .deliver(_, let fixes):
      let fromPause = state.withLock { state in
        defer { state.fromPause = nil }
        return state.fromPause
      }
      for fix in fixes where fix != fromPause { tell(fix) }
    case .fail(_, let error):
      // What the person decided is told by `authorization`.
      if error.code != .denied { tell(nil) { $0.locationUnavailable = true } }
    case .authorization(_, let status):
      switch status {
      case .notDetermined: tell(nil) { $0.authorizationRequestInProgress = true }
      case .restricted: tell(nil) { $0.authorizationRestricted = true }
      case .denied: tell(nil) { $0.authorizationDenied = true }
      case .authorizedAlways, .authorizedWhenInUse: break
      }
    case .paused: pause()
    default: break  // It watches nothing else.
    }
  }

  private func pause() {
    guard let last = daemon.last else { return }
    tell(last) { $0.stationary = true }
    state.withLock { $0.pause = last.coordinate }
  }

  /// Whether the device moves again.
  private func look(_ fixes: [Fix]) {
    let last = daemon.last
    let resumed: LocationServices.ClientID? = state.withLock { state in
      guard let client = state.client, let pause = state.pause,
        fixes.contains(where: { GreatCircle.distance(pause, $0.coordinate) > AutomaticPause.stillness })
      else { return nil }
      (state.pause, state.fromPause) = (nil, last)
      return client
    }
    if let resumed { daemon.handle(.startedUpdating(resumed)) }
  }

  private func tell(_ fix: Fix?, _ change: (inout CLLocationUpdate) -> Void = { _ in }) {
    var update = CLLocationUpdate()
    update.location = fix.map { CLLocation($0, source: daemon.sourceInformation) }
    update.accuracyLimited = daemon.accuracyAuthorization == .reducedAccuracy
    change(&update)
    continuation.yield(update)
  }
}
