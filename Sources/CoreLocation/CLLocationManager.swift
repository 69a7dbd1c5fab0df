public import Foundation

/// Apple's location manager, implemented with a ``LocationDaemon``.
///
/// The delegate is called on the queue that was passed to the initializer. Without a queue it is called in the run loop of the
/// thread that created the manager, if that thread runs one, and otherwise on the main queue.
///
/// `@unchecked Sendable`: its only property is a Sendable constant. A subclass is responsible for its own state.
open class CLLocationManager: NSObject, _CVarArgObject, @unchecked Sendable {
  let session: ClientConnection

  /// Creates a manager that uses ``LocationDaemon/current``. Its delegate is called in the run loop of this thread if the
  /// thread runs one, and otherwise on the main queue.
  public override init() {
    session = ClientConnection(daemon: .current, site: .current)
    super.init()
    connect()
  }

  /// Creates a manager that uses a given daemon, and whose delegate is called on a given serial queue. Linux only.
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

  /// Creates a manager that uses the daemon of another manager, and whose delegate is called on the same queue.
  package convenience init(beside other: CLLocationManager) {
    self.init(daemon: other.session.daemon, site: other.session.site)
  }

  deinit { session.disconnect() }

  // MARK: Configuration

  /// The delegate. It is referenced weakly, as on Apple's systems.
  open var delegate: (any CLLocationManagerDelegate)? {
    get { session[\.delegate] }
    set { if session.setDelegate(newValue) { reportLateStatus() } }
  }

  /// The requested accuracy in metres, or ``kCLLocationAccuracyBest`` (−1) or ``kCLLocationAccuracyBestForNavigation`` (−2).
  /// The actual accuracy can differ.
  open var desiredAccuracy: CLLocationAccuracy {
    get { session[\.desiredAccuracy] }
    set { session.set(\.desiredAccuracy, newValue) { .desiredAccuracyChanged($0, newValue) } }
  }

  /// The minimum distance in metres between two delivered positions; ``kCLDistanceFilterNone``: no minimum.
  open var distanceFilter: CLLocationDistance {
    get { session[\.distanceFilter] }
    set { session.set(\.distanceFilter, newValue) { .distanceFilterChanged($0, newValue) } }
  }

  open var activityType: CLActivityType {
    get { session[\.activityType] }
    set { session.set(\.activityType, newValue) { .activityTypeChanged($0, newValue) } }
  }

  /// Whether the system may pause the updates of a stationary device, by default after ten minutes.
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

  /// The last known position; `nil`: none, or no permission.
  open var location: CLLocation? { session.daemon.last.map { CLLocation($0, source: session.daemon.sourceInformation) } }
  /// The permission. During a call of the delegate for a change, it is the status of that change.
  open var authorizationStatus: CLAuthorizationStatus { session[\.reported] ?? session.daemon.authorization }
  open var accuracyAuthorization: CLAccuracyAuthorization { session.daemon.accuracyAuthorization }
  /// Always false: there are no widgets.
  open var isAuthorizedForWidgetUpdates: Bool { false }

  /// Deprecated on Apple's systems since iOS 14.
  open class func authorizationStatus() -> CLAuthorizationStatus { LocationDaemon.current.authorization }
  /// False on a simulated phone on which the user turned location services off for all apps.
  open class func locationServicesEnabled() -> Bool { LocationDaemon.current.isSwitchedOn }

  // MARK: Permission

  open func requestWhenInUseAuthorization() { session.send { .requestedAuthorization($0, always: false) } }
  open func requestAlwaysAuthorization() { session.send { .requestedAuthorization($0, always: true) } }

  /// Requests exact positions temporarily, if the user grants only approximate ones.
  /// - Parameters:
  ///   - purposeKey: the key of the purpose in the app's Info.plist.
  ///   - completion: called on the manager's queue: without an error if positions are exact, with `CLError.denied` if the app
  ///     has no permission, and with `CLError.promptDeclined` if positions stay approximate.
  open func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String, completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    session.requestFullAccuracy(purpose: purposeKey, completion ?? { _ in })
  }

  /// Requests exact positions temporarily, if the user grants only approximate ones.
  /// - Parameter purposeKey: the key of the purpose in the app's Info.plist.
  /// - Throws: `CLError.denied` if the app has no permission, and `CLError.promptDeclined` if positions stay approximate.
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
  /// Requests one position. The result is one position, or one error after about ten seconds.
  open func requestLocation() { session.send { .requestedLocation($0) } }

  open class func significantLocationChangeMonitoringAvailable() -> Bool { true }
  /// Reports a position after each move of 500 m or more, at most once in five minutes.
  open func startMonitoringSignificantLocationChanges() { session.send { .significantChanges($0, true) } }
  open func stopMonitoringSignificantLocationChanges() { session.send { .significantChanges($0, false) } }
  /// Reports arrivals and departures.
  open func startMonitoringVisits() { session.send { .visits($0, true) } }
  open func stopMonitoringVisits() { session.send { .visits($0, false) } }

  /// Always false: deferred updates do not exist, as on Apple's systems since iOS 13. The two methods below have no effect.
  open class func deferredLocationUpdatesAvailable() -> Bool { false }
  open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {}
  open func disallowDeferredLocationUpdates() {}

  /// Calls `completion` with an error, because location pushes are not supported.
  /// - Parameter completion: receives no token, and ``CLLocationPushServiceError/Code/unsupportedPlatform``.
  open func startMonitoringLocationPushes(completion: (@Sendable (Data?, (any Error)?) -> Void)? = nil) {
    guard let completion else { return }
    session.onQueue { completion(nil, CLLocationPushServiceError(.unsupportedPlatform)) }
  }

  open func stopMonitoringLocationPushes() {}

  // MARK: Headings

  /// Whether there is a compass. It is true on a simulated phone, and for a recorded file with headings.
  open class func headingAvailable() -> Bool { LocationDaemon.current.hasCompass }
  /// The newest reported heading; `nil`: none.
  open var heading: CLHeading? { session[\.heading] }

  /// The minimum change in degrees between two reported headings; ``kCLHeadingFilterNone``: no minimum.
  open var headingFilter: CLLocationDegrees {
    get { session[\.headingFilter] }
    set { session.set(\.headingFilter, newValue) { .headingFilterChanged($0, newValue) } }
  }

  open var headingOrientation: CLDeviceOrientation {
    get { session[\.headingOrientation] }
    set { session[\.headingOrientation] = newValue }
  }

  /// Reports the heading of the device at each change of at least ``headingFilter``. Without a compass the delegate receives
  /// an error.
  open func startUpdatingHeading() {
    if session.daemon.hasCompass { session.send { .headings($0, true) } } else { failHeading() }
  }

  open func stopUpdatingHeading() { session.send { .headings($0, false) } }
  open func dismissHeadingCalibrationDisplay() {}

  // MARK: Regions

  /// Whether a kind of region can be monitored: true for circles, and for beacons if they can be detected.
  open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    regionClass == CLCircularRegion.self || (regionClass == CLBeaconRegion.self && LocationDaemon.current.canDetectBeacons)
  }

  /// The maximum radius of a region in metres.
  open var maximumRegionMonitoringDistance: CLLocationDistance { Regions.largest }

  /// The monitored regions of the app, of all its managers, from this launch or an earlier one. There are at most twenty.
  open var monitoredRegions: Set<CLRegion> { Set(session.daemon.regions.map(\.object)) }

  /// Reports entries and exits of a circle or a beacon region. A region with the same identifier is replaced. The delegate
  /// receives an error for an invalid circle, for beacons that cannot be detected, and for the twenty-first region.
  open func startMonitoring(for region: CLRegion) { watch(region) }

  open func stopMonitoring(for region: CLRegion) {
    let identifier = region.identifier
    session.send { .stopWatching($0, identifier: identifier) }
  }

  /// Reports whether the device is inside a region, by the last known position. The region need not be monitored.
  open func requestState(for region: CLRegion) { askState(of: region) }

  // MARK: Beacons

  /// Whether beacons can be detected. It is true on a simulated phone, and on a machine with a Bluetooth radio.
  open class func isRangingAvailable() -> Bool { LocationDaemon.current.canDetectBeacons }

  /// The constraints of the beacons that this manager ranges.
  open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> { session[\.ranged].constraints }
  /// The regions that this manager ranges with the older API. Deprecated on Apple's systems since iOS 13.
  open var rangedRegions: Set<CLRegion> { Set(session[\.ranged].regions) }

  /// Reports the beacons that are near once a second, nearest first, while the app runs. If beacons cannot be detected, the
  /// delegate receives an error.
  open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) { range(constraint) }
  open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) { stopRanging(constraint) }

  /// Ranges the beacons of a region; they are reported with the region. Deprecated on Apple's systems since iOS 13.
  open func startRangingBeacons(in region: CLBeaconRegion) { range(region) }
  /// Deprecated on Apple's systems since iOS 13.
  open func stopRangingBeacons(in region: CLBeaconRegion) { stopRanging(region) }
}
