internal import Foundation

// The handling of the daemon's outputs. The class itself has only the declarations of Apple's class.

extension CLLocationManager {
  func connect() { session.connect { [weak self] output in self?.receive(output) } }

  /// Calls the delegate on the manager's queue, after earlier events, if there is a delegate at that time.
  func notifyDelegate(_ call: @escaping @Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
    session.onQueue { [weak self] in
      if let self, let delegate = session[\.delegate] { call(self, delegate) }
    }
  }

  func failHeading() {
    notifyDelegate {
      let error = CLError(.headingFailure, reason: "This machine has no compass; check headingAvailable() first.")
      $1.locationManager($0, didFailWithError: error)
    }
  }

  /// Reports the status to a delegate that was set after the first status was reported, unless a change of the status is
  /// reported before.
  func reportLateStatus() {
    let status = session.daemon.authorization
    session.onQueue { [weak self] in
      guard let self, session[\.awaitsStatus] else { return }
      report(status)
    }
  }

  /// Reports a status to the delegate. During the call `authorizationStatus` returns this status, even if a newer one is
  /// queued.
  private func report(_ status: CLAuthorizationStatus) {
    let delegate = session.beginReport(status)
    defer { session[\.reported] = nil }
    delegate?.locationManagerDidChangeAuthorization(self)
  }

  /// Passes an output of the daemon to the delegate. It is called on the manager's queue.
  private func receive(_ output: LocationServices.Output) {
    if case .fullAccuracyAnswered(_, let error) = output { return session.respondFullAccuracy(error) }
    if case .authorization(_, let status) = output { return report(status) }
    guard let delegate = session[\.delegate] else { return }
    switch output {
    case .deliver(_, let fixes):
      let source = session.daemon.sourceInformation
      delegate.locationManager(self, didUpdateLocations: fixes.map { CLLocation($0, source: source) })
    case .fail(_, let error): delegate.locationManager(self, didFailWithError: error)
    case .heading(_, let reading):
      let heading = CLHeading(reading)
      session[\.heading] = heading
      delegate.locationManager(self, didUpdateHeading: heading)
    case .visited(_, let visit): delegate.locationManager(self, didVisit: CLVisit(visit))
    case .entered(_, let region): delegate.locationManager(self, didEnterRegion: region.object)
    case .exited(_, let region): delegate.locationManager(self, didExitRegion: region.object)
    case .state(_, let region, let state):
      let state = CLRegionState(rawValue: state.rawValue) ?? .unknown
      delegate.locationManager(self, didDetermineState: state, for: region.object)
    case .watching(_, let region): delegate.locationManager(self, didStartMonitoringFor: region.object)
    case .watchFailed(_, let region, let error):
      delegate.locationManager(self, monitoringDidFailFor: region.object, withError: error)
    case .ranged(_, let identity, let beacons): ranged(identity, beacons, delegate)
    case .rangingFailed(_, let identity, let error): rangingFailed(identity, error, delegate)
    case .paused: delegate.locationManagerDidPauseLocationUpdates(self)
    case .resumed: delegate.locationManagerDidResumeLocationUpdates(self)
    case .authorization, .fullAccuracyAnswered, .useLimits, .compass, .prompt, .promptToKeepAlways, .promptForFullAccuracy,
      .launchApp, .wakeApp, .mayBeSuspended, .radio, .beaconRadio, .wake:
      break  // Handled above, or meant for a stream, a session or the daemon.
    }
  }
}
