public import Foundation
internal import GodwitModel
internal import Synchronization

/// Apple's location manager, over a ``LocationDaemon``.
///
/// Its delegate is called on the queue that it was made with; without one on the main queue, which is what the
/// run loop of the main thread is on Apple's systems.
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
    var regions: [String: CLRegion] = [:]
    var client: LocationServices.ClientID?
  }

  private let state = NSLock()
  private var kept = State()
  let daemon: LocationDaemon
  private let queue: DispatchQueue

  /// A manager on the process's own daemon, or on that of ``LocationDaemon/serve(isolation:_:)``; its delegate is called
  /// on the main queue.
  public override convenience init() { self.init(daemon: .current, queue: .main) }

  /// A manager on a given daemon, whose delegate is called on a given serial queue. Linux only.
  public init(daemon: LocationDaemon, queue: DispatchQueue) {
    self.daemon = daemon
    self.queue = queue
    super.init()
    let listener = LocationDaemon.Listener(queue: queue) { [weak self] output in self?.receive(output) }
    let client = daemon.connect(listener)
    state.withLock { kept.client = client }
  }

  deinit { if let client = kept.client { daemon.disconnect(client) } }

  // MARK: Configuration

  /// Who is told. Held weakly, as on Apple's systems.
  public var delegate: (any CLLocationManagerDelegate)? {
    get { state.withLock { kept.delegate } }
    set { state.withLock { kept.delegate = newValue } }
  }

  /// How exact positions should be: a wish. Metres, or one of the two best (−1, −2).
  public var desiredAccuracy: CLLocationAccuracy {
    get { state.withLock { kept.desiredAccuracy } }
    set {
      state.withLock { kept.desiredAccuracy = newValue }
      tell { .desiredAccuracyChanged($0, newValue) }
    }
  }

  /// Metres from the last delivered position that the next one must be away; ``kCLDistanceFilterNone``: any.
  public var distanceFilter: CLLocationDistance {
    get { state.withLock { kept.distanceFilter } }
    set {
      state.withLock { kept.distanceFilter = newValue }
      tell { .distanceFilterChanged($0, newValue) }
    }
  }

  public var activityType: CLActivityType {
    get { state.withLock { kept.activityType } }
    set {
      state.withLock { kept.activityType = newValue }
      tell { .activityTypeChanged($0, newValue) }
    }
  }

  /// Whether the system may pause updates of a device that stands still for ten minutes.
  public var pausesLocationUpdatesAutomatically: Bool {
    get { state.withLock { kept.pausesLocationUpdatesAutomatically } }
    set {
      state.withLock { kept.pausesLocationUpdatesAutomatically = newValue }
      tell { .pausingChanged($0, newValue) }
    }
  }

  public var allowsBackgroundLocationUpdates: Bool {
    get { state.withLock { kept.allowsBackgroundLocationUpdates } }
    set {
      state.withLock { kept.allowsBackgroundLocationUpdates = newValue }
      tell { .backgroundUpdatesChanged($0, newValue) }
    }
  }

  public var showsBackgroundLocationIndicator: Bool {
    get { state.withLock { kept.showsBackgroundLocationIndicator } }
    set {
      state.withLock { kept.showsBackgroundLocationIndicator = newValue }
      tell { .indicatorChanged($0, newValue) }
    }
  }

  /// Degrees that a heading must differ by to be told; ``kCLHeadingFilterNone``: none.
  public var headingFilter: CLLocationDegrees {
    get { state.withLock { kept.headingFilter } }
    set { state.withLock { kept.headingFilter = newValue } }
  }

  public var headingOrientation: CLDeviceOrientation {
    get { state.withLock { kept.headingOrientation } }
    set { state.withLock { kept.headingOrientation = newValue } }
  }

  // MARK: State

  /// Last known position.
  public var location: CLLocation? { daemon.last.map { CLLocation($0, source: daemon.sourceInformation) } }
  public var authorizationStatus: CLAuthorizationStatus { daemon.authorization }
  public var accuracyAuthorization: CLAccuracyAuthorization { daemon.accuracyAuthorization }

  /// Deprecated on Apple's systems since iOS 14.
  public class func authorizationStatus() -> CLAuthorizationStatus { LocationDaemon.current.authorization }
  public class func locationServicesEnabled() -> Bool { true }

  // MARK: Asking

  public func requestWhenInUseAuthorization() { tell { .requestedAuthorization($0, always: false) } }
  public func requestAlwaysAuthorization() { tell { .requestedAuthorization($0, always: true) } }
  public func startUpdatingLocation() { tell { .startedUpdating($0) } }
  public func stopUpdatingLocation() { tell { .stoppedUpdating($0) } }
  /// One position, or one error within about ten seconds.
  public func requestLocation() { tell { .requestedLocation($0) } }

  // MARK: Watching

  public class func significantLocationChangeMonitoringAvailable() -> Bool { true }
  /// True for circles; nothing here hears beacons.
  public class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { regionClass == CLCircularRegion.self }
  /// Positions after moves of 500 m and more, at most once in five minutes.
  public func startMonitoringSignificantLocationChanges() { tell { .significantChanges($0, true) } }
  public func stopMonitoringSignificantLocationChanges() { tell { .significantChanges($0, false) } }
  /// Arrivals and departures.
  public func startMonitoringVisits() { tell { .visits($0, true) } }
  public func stopMonitoringVisits() { tell { .visits($0, false) } }
  /// Metres of the largest region.
  public var maximumRegionMonitoringDistance: CLLocationDistance { 1_000_000 }
  /// The regions of this manager. At most twenty a program.
  public var monitoredRegions: Set<CLRegion> { state.withLock { Set(kept.regions.values) } }

  /// Entry and exit of a circle. A region with the same identifier is replaced. What cannot be watched is told to the
  /// delegate: beacons, and circles that are none.
  public func startMonitoring(for region: CLRegion) {
    guard let circle = region as? CLCircularRegion else {
      return failMonitoring(region, "This machine has nothing that hears beacons; watch a circle.")
    }
    guard let center = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude),
      circle.radius > 0, circle.radius <= maximumRegionMonitoringDistance
    else {
      return failMonitoring(
        region, "A circle needs a place on Earth and a radius of up to \(Int(maximumRegionMonitoringDistance)) metres.")
    }
    state.withLock { kept.regions[region.identifier] = region }
    let watched = Regions.Region(
      identifier: region.identifier, shape: .circle(center: center, radius: circle.radius),
      notifyOnEntry: region.notifyOnEntry, notifyOnExit: region.notifyOnExit)
    tell { .watch($0, watched) }
  }

  public func stopMonitoring(for region: CLRegion) {
    state.withLock { kept.regions[region.identifier] = nil }
    tell { .stopWatching($0, identifier: region.identifier) }
  }

  /// Tells where the device is with regard to a region, as far as the last known position says.
  public func requestState(for region: CLRegion) {
    tellDelegate { manager, delegate in
      delegate.locationManager(manager, didDetermineState: manager.state(of: region), for: region)
    }
  }

  private func state(of region: CLRegion) -> CLRegionState {
    guard let circle = region as? CLCircularRegion, daemon.isAuthorized, let location else { return .unknown }
    return circle.contains(location.coordinate) ? .inside : .outside
  }

  private func failMonitoring(_ region: CLRegion, _ reason: String) {
    tellDelegate { manager, delegate in
      let error = CLError(.regionMonitoringFailure, reason: reason)
      delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
    }
  }

  /// Calls the delegate, if there is one then, on the manager's queue and after what is told already.
  func tellDelegate(_ call: @escaping @Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
    onQueue { [weak self] in
      if let self, let delegate { call(self, delegate) }
    }
  }

  func onQueue(_ call: @escaping @Sendable () -> Void) { daemon.call(queue, call) }

  private func region(_ identifier: String) -> CLRegion? { state.withLock { kept.regions[identifier] } }

  private func tell(_ input: (LocationServices.ClientID) -> LocationServices.Input) {
    if let client = state.withLock({ kept.client }) { daemon.handle(input(client)) }
  }

  /// On the manager's queue.
  private func receive(_ output: LocationServices.Output) {
    guard let delegate else { return }
    switch output {
    case .deliver(_, let fixes):
      let source = daemon.sourceInformation
      delegate.locationManager(self, didUpdateLocations: fixes.map { CLLocation($0, source: source) })
    case .fail(_, let error): delegate.locationManager(self, didFailWithError: error)
    case .authorization: delegate.locationManagerDidChangeAuthorization(self)
    case .visited(_, let visit):
      delegate.locationManager(
        self,
        didVisit: CLVisit(
          arrivalDate: visit.arrival ?? .distantPast, departureDate: visit.departure ?? .distantFuture,
          coordinate: CLLocationCoordinate2D(
            latitude: visit.coordinate.latitude, longitude: visit.coordinate.longitude),
          horizontalAccuracy: visit.horizontalAccuracy ?? -1))
    case .entered(_, let identifier):
      if let region = region(identifier) {
        if region.notifyOnEntry { delegate.locationManager(self, didEnterRegion: region) }
        delegate.locationManager(self, didDetermineState: .inside, for: region)
      }
    case .exited(_, let identifier):
      if let region = region(identifier) {
        if region.notifyOnExit { delegate.locationManager(self, didExitRegion: region) }
        delegate.locationManager(self, didDetermineState: .outside, for: region)
      }
    case .watching(_, let identifier):
      if let region = region(identifier) { delegate.locationManager(self, didStartMonitoringFor: region) }
    case .watchFailed(_, let identifier, let error):
      let region = state.withLock { kept.regions.removeValue(forKey: identifier) }
      delegate.locationManager(self, monitoringDidFailFor: region, withError: error)
    case .paused: delegate.locationManagerDidPauseLocationUpdates(self)
    case .resumed: delegate.locationManagerDidResumeLocationUpdates(self)
    default: break  // What is left concerns the daemon, which keeps it, or has no call here.
    }
  }
}

/// Who is told by a ``CLLocationManager``. Every method is optional.
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
