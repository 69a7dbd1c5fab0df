internal import CoreLocation
internal import Foundation
internal import GodwitEngine
internal import GodwitLocks
internal import GodwitModel

/// A sensor for regions and beacons that uses Core Location. It has its own location manager, so that the tracker does not
/// record the positions that it requests.
///
/// `@unchecked Sendable`: `tell` and the manager's delegate are written once, before the first event, and Core
/// Location's methods may be called from any thread that retains the manager.
final class LocationRegionSensor: NSObject, RegionSensor, CLLocationManagerDelegate, @unchecked Sendable {
  private let manager: CLLocationManager
  private let allowsBackground: Bool
  private var tell: @Sendable (RegionInput) -> Void = { _ in }
  private let state = Mutex(State())

  private struct State {
    /// The last reported number of monitored regions that do not belong to the SDK.
    var unmanaged = 0
    /// Regions whose monitoring has not started, with whether their state must be requested after the start. A request
    /// before the start fails.
    var starting: [String: Bool] = [:]
    /// The time of the newest reported position.
    var placeTime: Date?
  }

  init(manager: CLLocationManager, allowsBackground: Bool) {
    self.manager = manager
    self.allowsBackground = allowsBackground
  }

  var largestRadius: Double? { manager.maximumRegionMonitoringDistance > 0 ? manager.maximumRegionMonitoringDistance : nil }

  func connect(_ tell: @escaping @Sendable (RegionInput) -> Void) {
    self.tell = tell
    let monitored = CoreLocationRegions.monitored(manager)
    state.withLock { $0.unmanaged = monitored.foreign }
    tell(.launched(monitored: monitored.ours, foreign: monitored.foreign))
    tell(.permission(canMonitor: CoreLocationRegions.canMonitor(manager)))
    manager.delegate = self
    if let fix = manager.location.flatMap(LocationSensor.fix) { forward(fix) }
  }

  private func forward(_ fix: Fix) {
    state.withLock { $0.placeTime = fix.time }
    tell(.fix(fix))
  }

  private func forwardPlace() {
    if let fix = CoreLocationRegions.place(manager, after: state.withLock { $0.placeTime }) { forward(fix) }
  }

  func perform(_ effect: RegionEffect) {
    switch effect {
    case .wantsFixes(let accuracy?):
      manager.allowsBackgroundLocationUpdates = allowsBackground
      manager.desiredAccuracy = LocationSensor.accuracy(accuracy)
      manager.distanceFilter = kCLDistanceFilterNone
      manager.pausesLocationUpdatesAutomatically = false
      manager.startUpdatingLocation()
    case .wantsFixes(nil): manager.stopUpdatingLocation()
    case .startMonitoring(let region):
      state.withLock { $0.starting[region.identifier] = false }
      CoreLocationRegions.perform(effect, manager)
    case .requestState(let identifier):
      let isStarting = state.withLock { state in
        guard state.starting[identifier] != nil else { return false }
        state.starting[identifier] = true
        return true
      }
      if !isStarting { CoreLocationRegions.perform(effect, manager) }
    default: CoreLocationRegions.perform(effect, manager)
    }
  }

  /// Reports the number of monitored regions that do not belong to the SDK, if it changed. They share the system's limit, and
  /// their changes are not reported to this delegate.
  private func countUnmanaged() {
    let count = CoreLocationRegions.monitored(manager).foreign
    let isNew = state.withLock { state in
      defer { state.unmanaged = count }
      return state.unmanaged != count
    }
    if isNew { tell(.unmanagedRegions(count)) }
  }

  // MARK: Delegate

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for fix in locations.compactMap(LocationSensor.fix) { forward(fix) }
  }

  /// Does nothing: a missing position is not an event. Core Location ends a program whose delegate lacks this method.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    tell(.permission(canMonitor: CoreLocationRegions.canMonitor(manager)))
  }

  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    if state.withLock({ $0.starting.removeValue(forKey: region.identifier) }) == true { manager.requestState(for: region) }
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    countUnmanaged()
    guard RegionIdentifier(region.identifier) != nil else { return }
    forwardPlace()
    tell(.entered(region.identifier))
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    countUnmanaged()
    guard RegionIdentifier(region.identifier) != nil else { return }
    forwardPlace()
    tell(.exited(region.identifier))
  }

  func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
    guard RegionIdentifier(region.identifier) != nil else { return }
    tell(.state(region.identifier, isInside: state == .unknown ? nil : state == .inside))
  }

  func locationManager(_ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error) {
    countUnmanaged()
    guard let region, RegionIdentifier(region.identifier) != nil else { return }
    state.withLock { $0.starting[region.identifier] = nil }
    tell(.monitoringFailed(region.identifier))
  }

  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon], satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    tell(.ranged(ProximityUUID(beaconConstraint.uuid), CoreLocationRegions.sightings(beacons)))
  }
}
