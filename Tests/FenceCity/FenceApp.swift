package import CoreLocation
internal import Foundation
internal import Godwit
package import GodwitEngine
internal import GodwitModel
package import GodwitPhone

/// An app that does nothing but watch over its regions: the least that stands between Core Location and ``RegionWatch``.
///
/// `@unchecked Sendable`: everything happens on the one thread of the phone.
package final class FenceApp: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
  /// A region that some other part of the app has the system watch.
  package static let unmanaged = "front.door"

  private let manager = CLLocationManager()
  private let launch: AppContext
  private let disk: FenceDisk
  private let catalogue: RegionCatalogue
  private let story: FenceStory?
  private var watch: RegionWatch
  private var lastFix: Date?
  private var timer: Task<Void, Never>?
  private var isOver = false
  private var hasUnmanaged: Bool

  /// The app, with all that it keeps on a disk.
  package static func app(_ catalogue: RegionCatalogue, on disk: FenceDisk, _ story: FenceStory? = nil) -> PhoneApp {
    PhoneApp { launch in
      story?.log(
        "launched: \(launch.reason)\(launch.isUnlocked ? "" : ", before the first unlock")", at: launch.environment.now())
      if !launch.isUnlocked { disk.waitForUnlock(at: launch.environment.now()) }
      try await launch.waitForUnlock()
      return try FenceApp(launch, disk, catalogue, story)
    }
  }

  private init(_ launch: AppContext, _ disk: FenceDisk, _ catalogue: RegionCatalogue, _ story: FenceStory?) throws {
    self.story = story
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

  /// The system knows where it is when it reports something, and the watch need not ask; unless it only knows the part of the town.
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
    story?.changes(input, effects, end: end, at: now)
    guard !effects.isEmpty else { return }
    if end == 0 {
      disk.goDeaf(at: now)
      return crash()
    }
    disk.store(watch, effects, at: now)
    var regions: [String: CLRegion]?
    for (number, effect) in effects.enumerated() {
      if end == number + 1 {
        disk.goDeaf(at: now)
        return crash()
      }
      carryOut(effect, &regions)
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

  /// - Parameter regions: what the system monitors, by identifier; `nil`: it has not been asked yet.
  private func carryOut(_ effect: RegionEffect, _ regions: inout [String: CLRegion]?) {
    switch effect {
    case .startMonitoring(let wanted):
      let region = Self.region(wanted)
      manager.startMonitoring(for: region)
      regions?[wanted.identifier] = region
    case .stopMonitoring(let identifier):
      guard let region = refresh(&regions)[identifier] else { return }
      manager.stopMonitoring(for: region)
      regions?[identifier] = nil
    case .requestState(let identifier):
      if let region = refresh(&regions)[identifier] { manager.requestState(for: region) }
    case .startRanging(let uuid): manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: Self.uuid(uuid)))
    case .stopRanging(let uuid): manager.stopRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: Self.uuid(uuid)))
    case .setTimer(let time): setTimer(time)
    case .wantsFixes(let accuracy): want(accuracy)
    case .report, .insideChanged: break
    }
  }

  /// Asking makes an object of each of them: once for all that is to be done.
  private func refresh(_ regions: inout [String: CLRegion]?) -> [String: CLRegion] {
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
          // In the time of the simulated phone.
          try await environment.sleep(time.timeIntervalSince(environment.now()))
          self?.handle(.timer)
        } catch {
          // Another time was set.
        }
      }
    }
  }

  private func want(_ accuracy: DesiredAccuracy?) {
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

  // MARK: What the system reports

  package func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    guard canMonitor else { return handle(.permission(canMonitor: false)) }
    // A foreign region, from the first launch on.
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
