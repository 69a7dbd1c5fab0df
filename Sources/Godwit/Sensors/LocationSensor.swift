public import CoreLocation
public import Foundation
public import GodwitEngine
internal import GodwitLocks
public import GodwitModel

#if !os(macOS)
  public import CoreMotion
#endif

/// A sensor that uses Core Location. It converts delegate callbacks to events.
///
///     let sensor = LocationSensor(manager: CLLocationManager(), motion: CMMotionActivityManager())
///     let tracker = try Tracker(configuration: configuration, sensor: sensor)
///
/// Create the sensor on the main thread at the launch of the app, also if the tracker is opened later: Core Location delivers the
/// event for which the system launched the app only to a manager that exists then. The sensor becomes the manager's delegate.
/// It compiles against Apple's framework and against this package's module of the same name.
///
/// `@unchecked Sendable`: `tell` is written once, before the delegate is set, and Core Location's methods may be called
/// from any thread that retains the manager.
public final class LocationSensor: NSObject, Sensor, CLLocationManagerDelegate, @unchecked Sendable {
  private let manager: CLLocationManager
  private let motion: (any MotionChip)?
  private let allowsBackground: Bool
  public let regions: (any RegionSensor)?
  private let now: @Sendable () -> Date
  /// Whether motion is reported. Changed only by `configure`, which one tracker calls.
  private var tellsMotion = false
  private var isUpdating = false
  /// Whether a position was requested and has not arrived.
  private let isRequesting = Mutex(false)
  private var tell: @Sendable (Event) -> Void = { _ in }
  /// Changed only by `hold`, which one tracker calls.
  private var sessions: LocationSessions

  init(
    manager: CLLocationManager, allowsBackground: Bool, motion: (any MotionChip)?, regions: CLLocationManager?,
    fullAccuracyPurpose: String?, now: @escaping @Sendable () -> Date
  ) {
    sessions = LocationSessions(fullAccuracyPurpose: fullAccuracyPurpose)
    self.regions = regions.map { LocationRegionSensor(manager: $0, allowsBackground: allowsBackground) }
    self.now = now
    self.manager = manager
    self.allowsBackground = allowsBackground
    self.motion = motion
  }

  #if os(macOS)
    /// - Parameters:
    ///   - manager: created on the main thread.
    ///   - allowsBackground: whether updates continue in the background.
    ///   - regions: a separate manager that monitors regions, for a tracker whose configuration has some. It is created
    ///     like the other one; positions that it requests are not recorded.
    ///   - fullAccuracyPurpose: the key of the reason for exact positions in `NSLocationTemporaryUsageDescriptionDictionary`,
    ///     from iOS 18 on: a user who grants only approximate ones is asked while tracking is on. `nil`: the user is not asked.
    ///   - now: the clock.
    public convenience init(
      manager: CLLocationManager, allowsBackground: Bool = true, regions: CLLocationManager? = nil,
      fullAccuracyPurpose: String? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.init(
        manager: manager, allowsBackground: allowsBackground, motion: nil, regions: regions,
        fullAccuracyPurpose: fullAccuracyPurpose, now: now)
    }
  #else
    /// - Parameters:
    ///   - manager: created on the main thread, or on Linux with a daemon and a queue.
    ///   - allowsBackground: whether updates continue in the background. On Apple's systems the app must then have the
    ///     background mode "location"; otherwise the system ends it.
    ///   - motion: reports walking, cycling and so on while tracking is on, and counts the steps of trips; `nil`: neither activities nor
    ///     the pedometer are read. Apple's systems ask the user for permission. A Mac has no such parameter.
    ///   - regions: a separate manager that monitors regions, for a tracker whose configuration has some. It is created
    ///     like the other one; positions that it requests are not recorded.
    ///   - fullAccuracyPurpose: the key of the reason for exact positions in `NSLocationTemporaryUsageDescriptionDictionary`,
    ///     from iOS 18 on: a user who grants only approximate ones is asked while tracking is on. `nil`: the user is not asked.
    ///   - now: the clock.
    public convenience init(
      manager: CLLocationManager, allowsBackground: Bool = true, motion: CMMotionActivityManager? = nil,
      regions: CLLocationManager? = nil, fullAccuracyPurpose: String? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.init(
        manager: manager, allowsBackground: allowsBackground, motion: motion.map { CoreMotionChip($0) }, regions: regions,
        fullAccuracyPurpose: fullAccuracyPurpose, now: now)
    }
  #endif

  public func connect(_ tell: @escaping @Sendable (Event) -> Void) {
    self.tell = tell
    manager.delegate = self
    tell(.authorizationChanged(Self.authorization(manager.authorizationStatus)))
  }

  public func configure(_ request: LocationRequest?) {
    // Continuous updates start first and stop last: other requests may start the receiver too, and positions that
    // arrive before would be lost.
    if let request, request.mode.isContinuous { startUpdating(request) }
    if request?.mode == .significant || request?.mode == .both {
      manager.startMonitoringSignificantLocationChanges()
    } else {
      manager.stopMonitoringSignificantLocationChanges()
    }
    if request?.tracksVisits == true { manager.startMonitoringVisits() } else { manager.stopMonitoringVisits() }
    configureMotion(isOn: request != nil)
    if request?.mode.isContinuous != true { stopUpdating() }
  }

  /// Stops continuous updates. The stop also cancels a request for one position, which is therefore repeated.
  private func stopUpdating() {
    guard isUpdating else { return }
    isUpdating = false
    manager.stopUpdatingLocation()
    if isRequesting.withLock({ $0 }) { manager.requestLocation() }
  }

  private func startUpdating(_ request: LocationRequest) {
    manager.allowsBackgroundLocationUpdates = allowsBackground
    manager.desiredAccuracy = Self.accuracy(request.desiredAccuracy)
    // Since iOS 16.4 Core Location suspends background apps that filter by distance. Therefore the engine filters, unless its
    // policy requests the suspension.
    manager.distanceFilter = request.distanceFilter ?? kCLDistanceFilterNone
    manager.activityType = Self.activity(request.activityType)
    manager.pausesLocationUpdatesAutomatically = request.pausesAutomatically
    #if !os(macOS)
      manager.showsBackgroundLocationIndicator = request.showsBackgroundIndicator
    #endif
    isUpdating = true
    manager.startUpdatingLocation()
  }

  private func configureMotion(isOn: Bool) {
    guard isOn != tellsMotion, let motion else { return }
    tellsMotion = isOn
    if isOn { motion.start(tell) } else { motion.stop() }
  }

  public func askMotionHistory(from: Date, to: Date) {
    if let motion { motion.askHistory(from: from, to: to, tell) } else { tell(.motionHistory([])) }
  }

  public var usesMotion: Bool { motion != nil }
  public var motionProblem: String? { motion?.problem }
  public var updatesInBackground: Bool { allowsBackground }

  public func requestAuthorization(_ wanted: WantedAuthorization) {
    switch wanted {
    case .always: manager.requestAlwaysAuthorization()
    case .whenInUse: manager.requestWhenInUseAuthorization()
    }
  }

  public func hold(_ sessions: SessionRequest?) { self.sessions.hold(sessions, manager) }

  public func requestLocation() {
    isRequesting.withLock { $0 = true }
    manager.requestLocation()
  }

  public func watchExit(of place: Coordinate, radius: Meters) {
    // Negative where the system does not monitor regions.
    let largest = manager.maximumRegionMonitoringDistance
    let region = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude),
      radius: largest > 0 ? min(radius, largest) : radius, identifier: Self.pauseRegion)
    region.notifyOnEntry = false
    manager.startMonitoring(for: region)
  }

  /// The region survives a relaunch, so it is searched for by its identifier.
  public func stopWatchingExit() {
    for region in manager.monitoredRegions where region.identifier == Self.pauseRegion {
      manager.stopMonitoring(for: region)
    }
  }

  public var cachedFix: Fix? { manager.location.flatMap(Self.fix) }

  /// Returns `nil` without `motion`: the pedometer is not read, because the system may end the app for that.
  public func steps(from: Date, to: Date) async -> Int? { await motion?.steps(from: from, to: to) }

  public func keepScreenOn(_ isOn: Bool) { Screen.keepOn(isOn) }

  /// The identifier of the tracker's region among those of the app.
  private static let pauseRegion = CoreLocationRegions.pause

  // MARK: Delegate

  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    isRequesting.withLock { $0 = false }
    let fixes = locations.compactMap(Self.fix)
    if !fixes.isEmpty { tell(.fixes(fixes)) }
    let invalid = locations.count - fixes.count
    if invalid > 0 { tell(.fixesLost(invalid, .invalid)) }
  }

  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    isRequesting.withLock { $0 = false }
    tell(.locationFailed(error.localizedDescription))
  }

  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    guard let place = Coordinate(latitude: visit.coordinate.latitude, longitude: visit.coordinate.longitude) else {
      return
    }
    let event = Visit(
      time: now(), coordinate: place,
      horizontalAccuracy: visit.horizontalAccuracy >= 0 ? visit.horizontalAccuracy : nil,
      arrival: visit.arrivalDate == .distantPast ? nil : visit.arrivalDate,
      departure: visit.departureDate == .distantFuture ? nil : visit.departureDate)
    tell(.visit(event, cached: cachedFix))
  }

  public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    if region.identifier == Self.pauseRegion { tell(.leftRegion) }
  }

  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { tell(.paused) }
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { tell(.resumed) }

  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    tell(.authorizationChanged(Self.authorization(manager.authorizationStatus)))
  }

  // MARK: Values

  /// Converts a location to a fix; `nil`: its accuracy or its coordinate is invalid.
  static func fix(_ location: CLLocation) -> Fix? {
    guard location.horizontalAccuracy >= 0,
      let place = Coordinate(
        latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
    else { return nil }
    func known(_ value: Double) -> Double? { value >= 0 ? value : nil }
    let hasAltitude = location.verticalAccuracy > 0
    // Zero metres and a millimetre are placeholders for an unknown accuracy.
    return Fix(
      time: location.timestamp, coordinate: place,
      horizontalAccuracy: location.horizontalAccuracy > 0 ? location.horizontalAccuracy : nil,
      altitude: hasAltitude ? location.altitude : nil,
      verticalAccuracy: location.verticalAccuracy > 0.001 ? location.verticalAccuracy : nil,
      speed: known(location.speed), speedAccuracy: known(location.speedAccuracy), course: known(location.course),
      courseAccuracy: known(location.courseAccuracy))
  }

  private static func authorization(_ status: CLAuthorizationStatus) -> Authorization {
    switch status {
    case .notDetermined: .notDetermined
    case .restricted: .restricted
    case .denied: .denied
    case .authorizedAlways: .always
    case .authorizedWhenInUse: .whenInUse
    @unknown default: .notDetermined
    }
  }

  static func accuracy(_ accuracy: DesiredAccuracy) -> CLLocationAccuracy {
    switch accuracy {
    case .navigation: kCLLocationAccuracyBestForNavigation
    case .best: kCLLocationAccuracyBest
    case .tenMeters: kCLLocationAccuracyNearestTenMeters
    case .hundredMeters: kCLLocationAccuracyHundredMeters
    case .kilometer: kCLLocationAccuracyKilometer
    case .threeKilometers: kCLLocationAccuracyThreeKilometers
    }
  }

  private static func activity(_ type: ActivityType) -> CLActivityType {
    switch type {
    case .other: .other
    case .automotive: .automotiveNavigation
    case .fitness: .fitness
    case .otherNavigation: .otherNavigation
    case .airborne: .airborne
    }
  }
}
