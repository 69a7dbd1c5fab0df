public import Foundation

/// Apple's location manager, over a ``LocationDaemon``.
///
/// Its delegate is called on the queue that it was made with; without one in the run loop of the thread that made it if that
/// thread runs one, and otherwise on the main queue, which is what the run loop of the main thread is on Apple's systems.
///
/// `@unchecked Sendable`: its one constant is Sendable; subclasses answer for what they add.
open class CLLocationManager: NSObject, _CVarArgObject, @unchecked Sendable {
  let session: ClientConnection

  /// A manager on the process's own daemon, or on that of ``LocationDaemon/serve(isolation:_:)``; its delegate is called
  /// in the run loop of this thread if it runs one, and otherwise on the main queue.
  public override init() {
    session = ClientConnection(daemon: .current, site: .current)
    super.init()
    connect()
  }

  /// A manager on a given daemon, whose delegate is called on a given serial queue. Linux only.
  public init(daemon: LocationDaemon, queue: DispatchQueue) {
    session = ClientConnection(daemon: daemon, site: .queue(queue))
    super.init()
    connect()
  }

  private init(daemon: LocationDaemon, site: CallSite) {
    session = ClientConnection(daemon: daemon, site: site)
    super.init()
    connect()
  }

  /// A manager on the daemon of another one, whose delegate is called on the same queue.
  package convenience init(beside other: CLLocationManager) {
    self.init(daemon: other.session.daemon, site: other.session.site)
  }

  deinit { session.disconnect() }

  // MARK: Configuration

  /// The delegate. Held weakly, as on Apple's systems.
  open var delegate: (any CLLocationManagerDelegate)? {
    get { session[\.delegate] }
    set { if session.setDelegate(newValue) { reportLateStatus() } }
  }

  /// How exact positions should be: a wish. Metres, or one of the two best (−1, −2).
  open var desiredAccuracy: CLLocationAccuracy {
    get { session[\.desiredAccuracy] }
    set { session.set(\.desiredAccuracy, newValue) { .desiredAccuracyChanged($0, newValue) } }
  }

  /// Metres from the last delivered position that the next one must be away; ``kCLDistanceFilterNone``: any.
  open var distanceFilter: CLLocationDistance {
    get { session[\.distanceFilter] }
    set { session.set(\.distanceFilter, newValue) { .distanceFilterChanged($0, newValue) } }
  }

  open var activityType: CLActivityType {
    get { session[\.activityType] }
    set { session.set(\.activityType, newValue) { .activityTypeChanged($0, newValue) } }
  }

  /// Whether the system may pause updates of a device that stands still for ten minutes.
  open var pausesLocationUpdatesAutomatically: Bool {
    get { session[\.pausesLocationUpdatesAutomatically] }
    set { session.set(\.pausesLocationUpdatesAutomatically, newValue) { .pausingChanged($0, newValue) } }
  }

  open var allowsBackgroundLocationUpdates: Bool {
    get { session[\.allowsBackgroundLocationUpdates] }
    set { session.set(\.allowsBackgroundLocationUpdates, newValue) { .backgroundUpdatesChanged($0, newValue) } }
  }

  open var showsBackgroundLocationIndicator: Bool {
    get { session[\.showsBackgroundLocationIndicator] }
    set { session.set(\.showsBackgroundLocationIndicator, newValue) { .indicatorChanged($0, newValue) } }
  }

  // MARK: State

  /// Last known position.
  open var location: CLLocation? { session.daemon.last.map { CLLocation($0, source: session.daemon.sourceInformation) } }
  /// While the delegate is notified of a change, the status of that change.
  open var authorizationStatus: CLAuthorizationStatus { session[\.reported] ?? session.daemon.authorization }
  open var accuracyAuthorization: CLAccuracyAuthorization { session.daemon.accuracyAuthorization }
  /// False: there are no widgets.
  open var isAuthorizedForWidgetUpdates: Bool { false }

  /// Deprecated on Apple's systems since iOS 14.
  open class func authorizationStatus() -> CLAuthorizationStatus { LocationDaemon.current.authorization }
  /// False on a simulated phone whose person has switched location off for every app.
  open class func locationServicesEnabled() -> Bool { LocationDaemon.current.isSwitchedOn }

  // MARK: Permission

  open func requestWhenInUseAuthorization() { session.send { .requestedAuthorization($0, always: false) } }
  open func requestAlwaysAuthorization() { session.send { .requestedAuthorization($0, always: true) } }

  /// Requests exact positions for a while, where the person grants only rough ones.
  /// - Parameters:
  ///   - purposeKey: names the reason in the app's Info.plist.
  ///   - completion: called on the manager's queue: without an error when positions are exact, with
  ///     `CLError.denied` when there are none, and with `CLError.promptDeclined` when they stay rough.
  open func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String, completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    session.requestFullAccuracy(purpose: purposeKey, completion ?? { _ in })
  }

  /// Requests exact positions for a while, where the person grants only rough ones.
  /// - Parameter purposeKey: names the reason in the app's Info.plist.
  /// - Throws: `CLError.denied` when there are no positions, and `CLError.promptDeclined` when they stay rough.
  open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  // MARK: Positions

  open func startUpdatingLocation() { session.send { .startedUpdating($0) } }
  open func stopUpdatingLocation() { session.send { .stoppedUpdating($0) } }
  /// One position, or one error within about ten seconds.
  open func requestLocation() { session.send { .requestedLocation($0) } }

  open class func significantLocationChangeMonitoringAvailable() -> Bool { true }
  /// Positions after moves of 500 m and more, at most once in five minutes.
  open func startMonitoringSignificantLocationChanges() { session.send { .significantChanges($0, true) } }
  open func stopMonitoringSignificantLocationChanges() { session.send { .significantChanges($0, false) } }
  /// Arrivals and departures.
  open func startMonitoringVisits() { session.send { .visits($0, true) } }
  open func stopMonitoringVisits() { session.send { .visits($0, false) } }

  /// Without effect and false, as on Apple's systems since iOS 13, like the two below it.
  open class func deferredLocationUpdatesAvailable() -> Bool { false }
  open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {}
  open func disallowDeferredLocationUpdates() {}

  /// Calls `completion` at once with an error: no service pushes to this machine.
  /// - Parameter completion: gets no token and ``CLLocationPushServiceError/Code/unsupportedPlatform``.
  open func startMonitoringLocationPushes(completion: (@Sendable (Data?, (any Error)?) -> Void)? = nil) {
    guard let completion else { return }
    session.onQueue { completion(nil, CLLocationPushServiceError(.unsupportedPlatform)) }
  }

  open func stopMonitoringLocationPushes() {}

  // MARK: Headings

  /// Whether there is a compass: on a simulated phone, and in a recorded file with headings.
  open class func headingAvailable() -> Bool { LocationDaemon.current.hasCompass }
  /// The newest heading that was reported.
  open var heading: CLHeading? { session[\.heading] }

  /// Degrees that a heading must change to be reported; ``kCLHeadingFilterNone``: none.
  open var headingFilter: CLLocationDegrees {
    get { session[\.headingFilter] }
    set { session.set(\.headingFilter, newValue) { .headingFilterChanged($0, newValue) } }
  }

  open var headingOrientation: CLDeviceOrientation {
    get { session[\.headingOrientation] }
    set { session[\.headingOrientation] = newValue }
  }

  /// Reports which way the device points, whenever it has turned by ``headingFilter``. Without a compass the delegate receives an
  /// error.
  open func startUpdatingHeading() {
    if session.daemon.hasCompass { session.send { .headings($0, true) } } else { failHeading() }
  }

  open func stopUpdatingHeading() { session.send { .headings($0, false) } }
  open func dismissHeadingCalibrationDisplay() {}

  // MARK: Regions

  /// True for circles, and for beacons if they can be detected.
  open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    regionClass == CLCircularRegion.self || (regionClass == CLBeaconRegion.self && LocationDaemon.current.hearsBeacons)
  }

  /// Metres of the largest region.
  open var maximumRegionMonitoringDistance: CLLocationDistance { Regions.largest }

  /// What is watched for the app, by any of its managers, in this launch or an earlier one. At most twenty.
  open var monitoredRegions: Set<CLRegion> { Set(session.daemon.regions.map(\.object)) }

  /// Entry and exit of a circle, or of the surroundings of beacons. A region with the same identifier is replaced. What cannot
  /// be watched is reported to the delegate: circles that are none, beacons without a source, and the twenty-first region.
  open func startMonitoring(for region: CLRegion) { watch(region) }

  open func stopMonitoring(for region: CLRegion) {
    let identifier = region.identifier
    session.send { .stopWatching($0, identifier: identifier) }
  }

  /// Reports where the device is with regard to a region, whether or not it is watched, as far as the last known position says.
  open func requestState(for region: CLRegion) { askState(of: region) }

  // MARK: Beacons

  /// Whether beacons can be detected: on a simulated phone, and on a machine with a source of them.
  open class func isRangingAvailable() -> Bool { LocationDaemon.current.hearsBeacons }

  /// What this manager ranges.
  open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> { session[\.ranged].constraints }
  /// The same, of what was requested with regions. Deprecated on Apple's systems since iOS 13.
  open var rangedRegions: Set<CLRegion> { Set(session[\.ranged].regions) }

  /// Notifies the delegate once a second which of these beacons are near, nearest first, while the app runs. Without a source
  /// of beacons the delegate receives an error.
  open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) { range(constraint) }
  open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) { stopRanging(constraint) }

  /// The same, reported with the region. Deprecated on Apple's systems since iOS 13.
  open func startRangingBeacons(in region: CLBeaconRegion) { range(region) }
  /// Deprecated on Apple's systems since iOS 13.
  open func stopRangingBeacons(in region: CLBeaconRegion) { stopRanging(region) }
}
