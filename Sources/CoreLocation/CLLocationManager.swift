public import Foundation
internal import GodwitModel
internal import Synchronization

/// Apple's location manager, over a ``LocationDaemon``.
///
/// Its delegate is called on the queue that it was made with; without one in the run loop of the thread that made it if that
/// thread runs one, and otherwise on the main queue, which is what the run loop of the main thread is on Apple's systems.
///
/// `@unchecked Sendable`: everything that changes is under the lock; the delegate is only read and written there.
public final class CLLocationManager: NSObject, @unchecked Sendable {
  private struct State {
    weak var delegate: (any CLLocationManagerDelegate)?
    var desiredAccuracy = kCLLocationAccuracyBest
    var distanceFilter = kCLDistanceFilterNone
    var activityType = CLActivityType.other
    var pausesLocationUpdatesAutomatically = true
    var allowsBackgroundLocationUpdates = false
    var showsBackgroundLocationIndicator = false
    var headingFilter: CLLocationDegrees = 1
    var headingOrientation = CLDeviceOrientation.portrait
    var ranged = RangedBeacons()
    /// Requests for exact positions without an answer, in order.
    var fullAccuracy: [@Sendable ((any Error)?) -> Void] = []
    var client: LocationServices.ClientID?
    var heading: CLHeading?
    /// The status that the delegate is being told; `nil`: it is told none at the moment.
    var reported: CLAuthorizationStatus?
    /// The first status has been told, to a delegate or to none.
    var hasReportedStatus = false
    /// The delegate came later, and has been told none.
    var awaitsStatus = false
  }

  private let state = NSLock()
  private var kept = State()
  let daemon: LocationDaemon
  private let site: CallSite

  /// A manager on the process's own daemon, or on that of ``LocationDaemon/serve(isolation:_:)``; its delegate is called
  /// in the run loop of this thread if it runs one, and otherwise on the main queue.
  public override convenience init() { self.init(daemon: .current, site: .current) }

  /// A manager on a given daemon, whose delegate is called on a given serial queue. Linux only.
  public convenience init(daemon: LocationDaemon, queue: DispatchQueue) { self.init(daemon: daemon, site: .queue(queue)) }

  init(daemon: LocationDaemon, site: CallSite) {
    self.daemon = daemon
    self.site = site
    super.init()
    let listener = LocationDaemon.Listener(site: site) { [weak self] output in self?.receive(output) }
    let client = daemon.connect(listener)
    state.withLock { kept.client = client }
  }

  /// A manager on the daemon of another one, whose delegate is called on the same queue.
  package convenience init(beside other: CLLocationManager) { self.init(daemon: other.daemon, site: other.site) }

  deinit {
    if let client = kept.client { daemon.disconnect(client) }
    for response in kept.fullAccuracy { response(CLError(.promptDeclined, reason: "The location manager was deallocated.")) }
  }

  // MARK: Configuration

  /// The delegate. Held weakly, as on Apple's systems.
  public var delegate: (any CLLocationManagerDelegate)? {
    get { state.withLock { kept.delegate } }
    set {
      let status = daemon.authorization
      let isLate = state.withLock {
        kept.awaitsStatus = kept.hasReportedStatus && newValue != nil && newValue !== kept.delegate
        kept.delegate = newValue
        return kept.awaitsStatus
      }
      // Unless a change of the status comes first.
      if isLate { onQueue { [weak self] in if self?.awaitsStatus == true { self?.report(status) } } }
    }
  }

  /// How exact positions should be: a wish. Metres, or one of the two best (−1, −2).
  public var desiredAccuracy: CLLocationAccuracy {
    get { state.withLock { kept.desiredAccuracy } }
    set {
      state.withLock { kept.desiredAccuracy = newValue }
      send { .desiredAccuracyChanged($0, newValue) }
    }
  }

  /// Metres from the last delivered position that the next one must be away; ``kCLDistanceFilterNone``: any.
  public var distanceFilter: CLLocationDistance {
    get { state.withLock { kept.distanceFilter } }
    set {
      state.withLock { kept.distanceFilter = newValue }
      send { .distanceFilterChanged($0, newValue) }
    }
  }

  public var activityType: CLActivityType {
    get { state.withLock { kept.activityType } }
    set {
      state.withLock { kept.activityType = newValue }
      send { .activityTypeChanged($0, newValue) }
    }
  }

  /// Whether the system may pause updates of a device that stands still for ten minutes.
  public var pausesLocationUpdatesAutomatically: Bool {
    get { state.withLock { kept.pausesLocationUpdatesAutomatically } }
    set {
      state.withLock { kept.pausesLocationUpdatesAutomatically = newValue }
      send { .pausingChanged($0, newValue) }
    }
  }

  public var allowsBackgroundLocationUpdates: Bool {
    get { state.withLock { kept.allowsBackgroundLocationUpdates } }
    set {
      state.withLock { kept.allowsBackgroundLocationUpdates = newValue }
      send { .backgroundUpdatesChanged($0, newValue) }
    }
  }

  public var showsBackgroundLocationIndicator: Bool {
    get { state.withLock { kept.showsBackgroundLocationIndicator } }
    set {
      state.withLock { kept.showsBackgroundLocationIndicator = newValue }
      send { .indicatorChanged($0, newValue) }
    }
  }

  /// Degrees that a heading must change to be reported; ``kCLHeadingFilterNone``: none.
  public var headingFilter: CLLocationDegrees {
    get { state.withLock { kept.headingFilter } }
    set {
      state.withLock { kept.headingFilter = newValue }
      send { .headingFilterChanged($0, newValue) }
    }
  }

  public var headingOrientation: CLDeviceOrientation {
    get { state.withLock { kept.headingOrientation } }
    set { state.withLock { kept.headingOrientation = newValue } }
  }

  // MARK: State

  /// Last known position.
  public var location: CLLocation? { daemon.last.map { CLLocation($0, source: daemon.sourceInformation) } }
  /// While the delegate is told a change, the status that it is told.
  public var authorizationStatus: CLAuthorizationStatus { state.withLock { kept.reported } ?? daemon.authorization }
  public var accuracyAuthorization: CLAccuracyAuthorization { daemon.accuracyAuthorization }

  /// Deprecated on Apple's systems since iOS 14.
  public class func authorizationStatus() -> CLAuthorizationStatus { LocationDaemon.current.authorization }
  /// False on a simulated phone whose person has switched location off for every app.
  public class func locationServicesEnabled() -> Bool { LocationDaemon.current.isSwitchedOn }

  // MARK: Asking

  public func requestWhenInUseAuthorization() { send { .requestedAuthorization($0, always: false) } }
  public func requestAlwaysAuthorization() { send { .requestedAuthorization($0, always: true) } }
  public func startUpdatingLocation() { send { .startedUpdating($0) } }
  public func stopUpdatingLocation() { send { .stoppedUpdating($0) } }
  /// One position, or one error within about ten seconds.
  public func requestLocation() { send { .requestedLocation($0) } }

  // MARK: Watching

  public class func significantLocationChangeMonitoringAvailable() -> Bool { true }
  /// Positions after moves of 500 m and more, at most once in five minutes.
  public func startMonitoringSignificantLocationChanges() { send { .significantChanges($0, true) } }
  public func stopMonitoringSignificantLocationChanges() { send { .significantChanges($0, false) } }
  /// Arrivals and departures.
  public func startMonitoringVisits() { send { .visits($0, true) } }
  public func stopMonitoringVisits() { send { .visits($0, false) } }

  // MARK: Exactness

  /// Asks for exact positions for a while, where the person gives only rough ones.
  /// - Parameters:
  ///   - purposeKey: names the reason in the app's Info.plist.
  ///   - completion: called on the manager's queue: without an error when positions are exact, with
  ///     `CLError.denied` when there are none, and with `CLError.promptDeclined` when they stay rough.
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String, completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    state.withLock { kept.fullAccuracy.append(completion ?? { _ in }) }
    send { .requestedFullAccuracy($0, purpose: purposeKey) }
  }

  /// Asks for exact positions for a while, where the person gives only rough ones.
  /// - Parameter purposeKey: names the reason in the app's Info.plist.
  /// - Throws: `CLError.denied` when there are no positions, and `CLError.promptDeclined` when they stay rough.
  public func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  // MARK: Calling

  /// Calls the delegate, if there is one then, on the manager's queue and after earlier events.
  func notifyDelegate(_ call: @escaping @Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
    onQueue { [weak self] in
      if let self, let delegate { call(self, delegate) }
    }
  }

  func onQueue(_ call: @escaping @Sendable () -> Void) { daemon.call(site, call) }

  var lastHeading: CLHeading? { state.withLock { kept.heading } }

  func withRanged<Result>(_ body: (inout RangedBeacons) -> Result) -> Result { state.withLock { body(&kept.ranged) } }

  func send(_ input: (LocationServices.ClientID) -> LocationServices.Input) {
    if let client = state.withLock({ kept.client }) { daemon.handle(input(client)) }
  }

  /// On the manager's queue.
  private func receive(_ output: LocationServices.Output) {
    if case .fullAccuracyAnswered(_, let error) = output { return respond(error) }
    if case .authorization(_, let status) = output { return report(status) }
    guard let delegate else { return }
    switch output {
    case .deliver(_, let fixes):
      let source = daemon.sourceInformation
      delegate.locationManager(self, didUpdateLocations: fixes.map { CLLocation($0, source: source) })
    case .fail(_, let error): delegate.locationManager(self, didFailWithError: error)
    case .heading(_, let reading):
      let heading = CLHeading(reading)
      state.withLock { kept.heading = heading }
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
    case .authorization, .fullAccuracyAnswered, .standing, .compass, .prompt, .promptToKeepAlways, .promptForFullAccuracy,
      .launchApp, .wakeApp,
      .mayBeSuspended, .radio, .beaconRadio, .wake:
      break  // Answered above, for a stream, or for the daemon, which keeps it.
    }
  }

  /// Each status is told as it was, even where another one waits to be told.
  private func report(_ status: CLAuthorizationStatus) {
    let delegate = state.withLock {
      (kept.hasReportedStatus, kept.awaitsStatus, kept.reported) = (true, false, status)
      return kept.delegate
    }
    defer { state.withLock { kept.reported = nil } }
    delegate?.locationManagerDidChangeAuthorization(self)
  }

  private var awaitsStatus: Bool { state.withLock { kept.awaitsStatus } }

  private func respond(_ error: CLError?) {
    let response = state.withLock { kept.fullAccuracy.isEmpty ? nil : kept.fullAccuracy.removeFirst() }
    response?(error)
  }
}

/// Receives the events of a ``CLLocationManager``. Every method is optional.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  /// New positions, oldest first, never none.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  /// Right after the manager was made, and at every change.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
  /// Deprecated on Apple's systems since iOS 14; called when the method above is not there.
  func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
  func locationManager(_ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
  /// The answer to ``CLLocationManager/requestState(for:)``; also at every crossing.
  func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon], satisfying beaconConstraint: CLBeaconIdentityConstraint)
  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error)
  /// Deprecated on Apple's systems since iOS 13.
  func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)
  /// Deprecated on Apple's systems since iOS 13.
  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error)
  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
  func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
  /// Deprecated on Apple's systems since iOS 13, and never called since.
  func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)
}

extension CLLocationManagerDelegate {
  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
  }
  public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}
  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
  public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
  public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
  public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
  public func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {}
}
