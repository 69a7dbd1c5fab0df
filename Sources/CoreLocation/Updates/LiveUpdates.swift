internal import Foundation
internal import GodwitModel
internal import Synchronization

/// The client of the daemon for an iteration over ``CLLocationUpdate/liveUpdates(_:)``. Unlike those of a manager, its updates
/// resume automatically after a pause.
final class LiveUpdates: Sendable {
  private struct State {
    var client: LocationServices.ClientID?
    var useLimits = LocationServices.UseLimits()
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
    // Cancelling the task and releasing the iterator both end the updates.
    continuation.onTermination = { [weak self] _ in self?.end() }
    let listener = LocationDaemon.Listener(queue: queue) { [weak self] output in self?.receive(output) }
    let client = daemon.connect(listener, as: .liveUpdates)
    state.withLock { $0.client = client }
    switch configuration {
    case .automotiveNavigation, .otherNavigation:
      daemon.handle(.desiredAccuracyChanged(client, kCLLocationAccuracyBestForNavigation))
    case .default, .fitness, .airborne: break
    }
    daemon.handle(.requestedAuthorization(client, always: false))
    daemon.handle(.startedUpdating(client))
  }

  private func end() {
    let client = state.withLock { state in
      defer { state.client = nil }
      return state.client
    }
    if let client { daemon.disconnect(client) }
    continuation.finish()
  }

  private func receive(_ output: LocationServices.Output) {
    switch output {
    case .deliver(_, let fixes): for fix in fixes { notify(fix) }
    case .fail(_, let error):
      // A denied permission is reported by `authorization`.
      if error.code != .denied { notify(nil) { $0.locationUnavailable = true } }
    case .authorization(_, let status):
      let isOn = daemon.isSwitchedOn
      switch status {
      case .notDetermined: notify(nil) { $0.authorizationRequestInProgress = true }
      case .restricted: notify(nil) { $0.authorizationRestricted = true }
      case .denied:
        notify(nil) { update in
          update.authorizationDenied = true
          update.authorizationDeniedGlobally = !isOn
        }
      case .authorizedAlways, .authorizedWhenInUse: break
      }
    case .useLimits(_, let useLimits):
      let wasBad = state.withLock { state in
        defer { state.useLimits = useLimits }
        return state.useLimits != LocationServices.UseLimits()
      }
      if wasBad || useLimits != LocationServices.UseLimits() { notify(nil) }
    case .paused: notify(daemon.last) { $0.stationary = true }
    default: break  // A stream receives nothing else.
    }
  }

  private func notify(_ fix: Fix?, _ change: (inout CLLocationUpdate) -> Void = { _ in }) {
    let useLimits = state.withLock { $0.useLimits }
    var update = CLLocationUpdate()
    update.location = fix.map { CLLocation($0, source: daemon.sourceInformation) }
    update.accuracyLimited = daemon.accuracyAuthorization == .reducedAccuracy
    update.serviceSessionRequired = useLimits.needsSession
    update.insufficientlyInUse = useLimits.isInsufficientlyInUse
    change(&update)
    continuation.yield(update)
  }
}
