package import CoreLocation
internal import Foundation
internal import Godwit
package import GodwitEngine
internal import GodwitModel
package import GodwitPhone

/// An app that only monitors regions: the minimum of code between Core Location and ``RegionWatch``.
///
/// `@unchecked Sendable`: used only on the thread of the phone.
package final class FenceApp: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
  /// The identifier of a region that another part of the app monitors.
  package static let unmanaged = "front.door"

  private let manager = CLLocationManager()
  private let launch: AppContext
  private let disk: FenceDisk
  private let catalogue: RegionCatalogue
  private let lifeLog: LifeLog?
  private var watch: RegionWatch
  private var lastFix: Date?
  private var timer: Task<Void, Never>?
  private var isOver = false
  private var hasUnmanaged: Bool

  /// An app that stores its state in `disk`.
  package static func app(_ catalogue: RegionCatalogue, on disk: FenceDisk, _ lifeLog: LifeLog? = nil) -> PhoneApp {
    PhoneApp { launch in
      lifeLog?.log(
        "launched: \(launch.reason)\(launch.isUnlocked ? "" : ", before the first unlock")", at: launch.environment.now())
      if !launch.isUnlocked { disk.waitForUnlock(at: launch.environment.now()) }
      try await launch.waitForUnlock()
      return try FenceApp(launch, disk, catalogue, lifeLog)
    }
  }

  private init(_ launch: AppContext, _ disk: FenceDisk, _ catalogue: RegionCatalogue, _ lifeLog: LifeLog?) throws {
    self.lifeLog = lifeLog
    self.launch = launch
    self.disk = disk
    self.catalogue = catalogue
    watch = try disk.read(at: launch.environment.now()) ?? RegionWatch()
    hasUnmanaged = manager.monitoredRegions.contains { $0.identifier == Self.unmanaged }
    super.init()
    manager.delegate = self
    manager.allowsBackgroundLocationUpdates = true
    manager.pausesLocationUpdatesAutomatically = false
    manager.requestAlwaysAuthorization()
    manager.startMonitoringSignificantLocationChanges()
    handle(.permission(canMonitor: canMonitor))
    let monitored = manager.monitoredRegions.map(\.identifier)
    handle(.launched(monitored: monitored, foreign: monitored.count { RegionIdentifier($0) == nil }))
    requestLocation()
  }

  private var canMonitor: Bool { manager.authorizationStatus == .authorizedAlways }

  /// Passes the last position of the system to the watch if it is new and accurate to 200 m, so that the watch need not request one.
  private func requestLocation() {
    guard let place = manager.location, place.horizontalAccuracy <= 200, lastFix.map({ $0 < place.timestamp }) ?? true else {
      return
    }
    handle(place)
  }

  private func handle(_ place: CLLocation) {
    guard place.horizontalAccuracy >= 0,
      let coordinate = Coordinate(latitude: place.coordinate.latitude, longitude: place.coordinate.longitude)
    else { return }
    lastFix = place.timestamp
    handle(.fix(Fix(time: place.timestamp, coordinate: coordinate, horizontalAccuracy: place.horizontalAccuracy)))
  }

  private func handle(_ input: RegionInput) {
    guard !isOver else { return }
    let now = launch.environment.now()
    let effects = watch.handle(input, at: now, in: catalogue)
    let end = effects.isEmpty ? nil : disk.crashPoint(of: effects.count)
    lifeLog?.changes(input, effects, end: end, at: now)
    guard !effects.isEmpty else { return }
    if end == 0 {
      disk.beginUnreachable(at: now)
      return crash()
    }
    disk.store(watch, effects, at: now)
    var regions: [String: CLRegion]?
    for (number, effect) in effects.enumerated() {
      if end == number + 1 {
        disk.beginUnreachable(at: now)
        return crash()
      }
      perform(effect, &regions)
    }
    guard effects.contains(where: \.changesMonitoring) else { return }
    let all = manager.monitoredRegions
    disk.record(monitored: all.count, hasUnmanaged: !hasUnmanaged || all.contains { $0.identifier == Self.unmanaged })
  }

  private func crash() {
    isOver = true
    timer?.cancel()
    launch.crash()
  }

  /// - Parameter regions: the monitored regions by identifier; `nil`: they have not been read yet.
  private func perform(_ effect: RegionEffect, _ regions: inout [String: CLRegion]?) {
    switch effect {
    case .startMonitoring(let wanted):
      let region = Self.region(wanted)
      manager.startMonitoring(for: region)
      regions?[wanted.identifier] = region
    case .stopMonitoring(let identifier):
      guard let region = monitoredRegions(&regions)[identifier] else { return }
      manager.stopMonitoring(for: region)
      regions?[identifier] = nil
    case .requestState(let identifier):
      if let region = monitoredRegions(&regions)[identifier] { manager.requestState(for: region) }
    case .startRanging(let uuid): manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: Self.uuid(uuid)))
    case .stopRanging(let uuid): manager.stopRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: Self.uuid(uuid)))
    case .setTimer(let time): setTimer(time)
    case .wantsFixes(let accuracy): requestFixes(accuracy)
    case .report, .insideChanged: break
    }
  }

  /// The monitored regions by identifier, which are read once per list of effects because each read creates an object per region.
  private func monitoredRegions(_ regions: inout [String: CLRegion]?) -> [String: CLRegion] {
    if let regions { return regions }
    let all = Dictionary(manager.monitoredRegions.map { ($0.identifier, $0) }) { first, _ in first }
    regions = all
    return all
  }

  private func setTimer(_ time: Date?) {
    timer?.cancel()
    timer = time.map { time in
      let environment = launch.environment
      return Task(executorPreference: environment.executor) { [weak self] in
        do {
          // `sleep` uses the clock of the simulated phone.
          try await environment.sleep(time.timeIntervalSince(environment.now()))
          self?.handle(.timer)
        } catch {
          // The timer was set to another time.
        }
      }
    }
  }

  private func requestFixes(_ accuracy: DesiredAccuracy?) {
    guard let accuracy else { return manager.stopUpdatingLocation() }
    manager.desiredAccuracy = accuracy == .tenMeters ? kCLLocationAccuracyNearestTenMeters : kCLLocationAccuracyHundredMeters
    manager.startUpdatingLocation()
  }

  private static func region(_ region: MonitoredRegion) -> CLRegion {
    switch region.shape {
    case .circle(let circle):
      let made = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: circle.center.latitude, longitude: circle.center.longitude),
        radius: circle.radius, identifier: region.identifier)
      made.notifyOnEntry = region.notifiesOnEntry
      return made
    case .beacons(let uuid): return CLBeaconRegion(uuid: Self.uuid(uuid), identifier: region.identifier)
    }
  }

  private static func uuid(_ uuid: ProximityUUID) -> UUID { UUID(uuidString: uuid.description)! }  // 32 digits and four hyphens

  // MARK: Events of the system

  package func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    guard canMonitor else { return handle(.permission(canMonitor: false)) }
    // The region of another part of the app exists from the first launch.
    if !manager.monitoredRegions.contains(where: { $0.identifier == Self.unmanaged }) {
      let place = CLLocationCoordinate2D(latitude: FenceCity.middle.latitude, longitude: FenceCity.middle.longitude)
      manager.startMonitoring(for: CLCircularRegion(center: place, radius: 200, identifier: Self.unmanaged))
      hasUnmanaged = true
      handle(.unmanagedRegions(1))
    }
    handle(.permission(canMonitor: true))
  }

  package func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for place in locations { handle(place) }
  }

  package func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    requestLocation()
    handle(.entered(region.identifier))
  }

  package func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    requestLocation()
    handle(.exited(region.identifier))
  }

  package func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
    handle(.state(region.identifier, isInside: state == .unknown ? nil : state == .inside))
  }

  package func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    guard let region else { return }
    disk.record(rejection: "\(region.identifier): \(error.localizedDescription)")
    handle(.monitoringFailed(region.identifier))
  }

  package func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon], satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    guard let uuid = ProximityUUID(beaconConstraint.uuid.uuidString) else { return }
    handle(.ranged(uuid, beacons.compactMap(Self.sighting)))
  }

  private static func sighting(_ beacon: CLBeacon) -> BeaconSighting? {
    guard let uuid = ProximityUUID(beacon.uuid.uuidString) else { return nil }
    let proximity: BeaconProximity =
      switch beacon.proximity {
      case .immediate: .immediate
      case .near: .near
      case .far: .far
      case .unknown: .unknown
      }
    return BeaconSighting(
      identity: BeaconIdentity(uuid: uuid, major: beacon.major.uint16Value, minor: beacon.minor.uint16Value),
      proximity: proximity, accuracy: beacon.accuracy < 0 ? nil : beacon.accuracy, rssi: beacon.rssi)
  }
}

extension RegionEffect {
  fileprivate var changesMonitoring: Bool {
    switch self {
    case .startMonitoring, .stopMonitoring: true
    case .requestState, .startRanging, .stopRanging, .setTimer, .report, .wantsFixes, .insideChanged: false
    }
  }
}
