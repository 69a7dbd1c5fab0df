#if os(Linux)
  import CoreLocation
  import Foundation
  import Godwit
  import GodwitModel
  import GodwitPhone
  import Synchronization

  /// An app that uses location with one of MobilityNet's settings, like e-mission: all the time, or until the phone has stayed in one
  /// place, and again after it has left the place.
  ///
  /// `@unchecked Sendable`: all calls are made on the single thread of the simulated phone.
  final class SettingRecorder: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    /// A setting of the set.
    struct Setting: Sendable {
      /// Metres of `desiredAccuracy`.
      var accuracy: CLLocationAccuracy
      /// The distance filter in metres; `nil` for none.
      var filter: CLLocationDistance?
      /// Seconds between two searches for one position; `nil` for continuous updates.
      var interval: Double?
      /// Whether location is off at rest.
      var isDutyCycled: Bool
    }

    /// The positions that an app received.
    final class Positions: Sendable {
      private let fixes = Mutex<[Fix]>([])

      /// All positions, in order.
      var all: [Fix] { fixes.withLock { $0 } }
      func add(_ new: [Fix]) { fixes.withLock { $0 += new } }
    }

    /// Seconds within `radius` metres that end a trip, and the radius of the region that is monitored afterwards (e-mission's values).
    private static let restAfter = 300.0
    private static let radius: Meters = 100
    /// Seconds between two checks whether a trip has ended.
    private static let checkInterval = 60.0

    private let manager = CLLocationManager()
    private let setting: Setting
    private let launch: AppContext
    private let positions: Positions
    private var recent: [Fix] = []
    private var isActive = false
    private var activeSince = Date.distantPast
    private var isSearching = false

    static func app(_ setting: Setting, positions: Positions) -> PhoneApp {
      PhoneApp { launch in
        try await launch.waitForUnlock()
        let recorder = SettingRecorder(setting, launch, positions)
        try await recorder.run()
        return recorder
      }
    }

    private init(_ setting: Setting, _ launch: AppContext, _ positions: Positions) {
      self.setting = setting
      self.launch = launch
      self.positions = positions
      super.init()
      manager.delegate = self
      manager.desiredAccuracy = setting.accuracy
      manager.distanceFilter = setting.filter ?? kCLDistanceFilterNone
      manager.allowsBackgroundLocationUpdates = true
      manager.pausesLocationUpdatesAutomatically = false
      manager.requestAlwaysAuthorization()
      begin()
    }

    /// Checks at intervals; the system may suspend the app in between.
    private func run() async throws {
      while true {
        try await launch.environment.sleep(min(Self.checkInterval, setting.interval ?? Self.checkInterval))
        check()
      }
    }

    private func begin() {
      (isActive, activeSince, recent) = (true, launch.environment.now(), [])
      search()
    }

    private func search() {
      isSearching = true
      manager.desiredAccuracy = setting.accuracy
      manager.startUpdatingLocation()
    }

    private func check() {
      let now = launch.environment.now()
      guard isActive else { return }
      if hasRested(at: now) { return rest() }
      if setting.interval != nil, !isSearching { search() }
    }

    /// Ends a search. Until the next one, the least accurate request keeps the app running, like a foreground service on Android.
    private func endSearch() {
      isSearching = false
      manager.desiredAccuracy = kCLLocationAccuracyThreeKilometers
    }

    private func hasRested(at now: Date) -> Bool {
      guard setting.isDutyCycled, now.timeIntervalSince(activeSince) >= Self.restAfter, let last = recent.last else {
        return false
      }
      // With an interval, positions arrive also at rest; with a filter they do not.
      if setting.interval != nil, last.time < now.addingTimeInterval(-Self.restAfter) { return false }
      recent.removeAll { $0.time < now.addingTimeInterval(-Self.restAfter) && $0 != last }
      return recent.allSatisfy { GreatCircle.distance($0.coordinate, last.coordinate) <= Self.radius }
    }

    private func rest() {
      guard let place = recent.last?.coordinate else { return }
      isActive = false
      isSearching = false
      manager.stopUpdatingLocation()
      let center = CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude)
      manager.startMonitoring(for: CLCircularRegion(center: center, radius: Self.radius, identifier: "rest"))
      manager.startMonitoringVisits()
      manager.startMonitoringSignificantLocationChanges()
    }

    private func leave(_ region: CLRegion) {
      manager.stopMonitoring(for: region)
      manager.stopMonitoringVisits()
      manager.stopMonitoringSignificantLocationChanges()
      if !isActive { begin() }
    }

    private func handle(_ locations: [CLLocation]) {
      guard isActive, setting.interval == nil || isSearching else { return }
      let fixes = locations.compactMap { location in
        Coordinate(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude).map {
          Fix(time: location.timestamp, coordinate: $0, horizontalAccuracy: location.horizontalAccuracy)
        }
      }
      positions.add(fixes)
      if setting.isDutyCycled { recent += fixes }
      if setting.interval != nil, fixes.contains(where: isSufficient) { endSearch() }
      if hasRested(at: launch.environment.now()) { rest() }
    }

    /// Returns whether a position is accurate enough to end a search.
    private func isSufficient(_ fix: Fix) -> Bool {
      fix.horizontalAccuracy.map { $0 <= max(50, 2 * setting.accuracy) } ?? false
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) { handle(locations) }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { leave(region) }
  }
#endif
