public import CoreLocation
internal import Foundation
internal import GodwitEngine
internal import GodwitLocks
internal import GodwitModel

/// Methods for an app that owns its location manager. The app's delegate forwards its calls, and the region manager monitors
/// and ranges with the app's location manager. Names and signatures are those of Rover's SDK.
extension RegionManager {
  /// Reports a new position: call it in `locationManager(_:didUpdateLocations:)`, and after the first sync. A tracker
  /// that these regions belong to records the position once, like one of its own sensor, while tracking is on.
  /// - Parameter manager: the app's.
  public func updateLocation(manager: CLLocationManager) {
    follow(manager)
    if let fix = manager.location.flatMap(LocationSensor.fix) { updated(fix) }
  }

  /// Reports an entry into a circle: call it in `locationManager(_:didEnterRegion:)`.
  /// - Parameter region: the circle; one of another owner is ignored.
  public func enterGeofence(region: CLCircularRegion) {
    reportPlace(of: region)
    send(.entered(region.identifier))
  }

  /// Reports an exit from a circle: call it in `locationManager(_:didExitRegion:)`.
  /// - Parameter region: the circle; one of another owner is ignored.
  public func exitGeofence(region: CLCircularRegion) {
    reportPlace(of: region)
    send(.exited(region.identifier))
  }

  /// Reports that beacons are near: call it in `locationManager(_:didEnterRegion:)`.
  /// - Parameters:
  ///   - region: the beacon region; one of another owner is ignored.
  ///   - manager: the app's manager, which starts to range them.
  public func startRangingBeacons(in region: CLBeaconRegion, manager: CLLocationManager) {
    follow(manager)
    send(.entered(region.identifier))
  }

  /// Reports that beacons are no longer near: call it in `locationManager(_:didExitRegion:)`.
  /// - Parameters:
  ///   - region: the beacon region; one of another owner is ignored.
  ///   - manager: the app's manager, which stops to range them.
  public func stopRangingBeacons(in region: CLBeaconRegion, manager: CLLocationManager) {
    follow(manager)
    send(.exited(region.identifier))
  }

  /// Reports ranged beacons: call it in `locationManager(_:didRangeBeacons:in:)`.
  /// - Parameters:
  ///   - beacons: all ranged beacons.
  ///   - region: the ranged region; one of another owner is ignored.
  ///   - manager: the app's.
  public func updateNearbyBeacons(_ beacons: [CLBeacon], in region: CLBeaconRegion, manager: CLLocationManager) {
    follow(manager)
    guard case .beacons(let uuid) = RegionIdentifier(region.identifier) else { return }
    send(.ranged(uuid, CoreLocationRegions.sightings(beacons)))
  }

  /// Reports the state of a region. Optional: with it the state is known as soon as the region is monitored. Call it in
  /// `locationManager(_:didDetermineState:for:)`.
  /// - Parameters:
  ///   - state: the state.
  ///   - region: its region; one of another owner is ignored.
  public func determineState(_ state: CLRegionState, for region: CLRegion) {
    guard RegionIdentifier(region.identifier) != nil else { return }
    send(.state(region.identifier, isInside: state == .unknown ? nil : state == .inside))
  }

  /// Reports a monitoring failure. Optional: with it a region that the system rejects is retried later. Call it in
  /// `locationManager(_:monitoringDidFailFor:withError:)`.
  /// - Parameter region: the region; one of another owner is ignored.
  public func monitoringFailed(for region: CLRegion?) {
    guard let region, RegionIdentifier(region.identifier) != nil else { return }
    send(.monitoringFailed(region.identifier))
  }

  /// Reports the system's current position with a region event.
  private func reportPlace(of region: CLRegion) {
    guard RegionIdentifier(region.identifier) != nil, let fix = (sensor as? ForwardingSensor)?.place(after: newestFix?.time)
    else {
      return
    }
    send(.fix(fix))
  }

  /// Uses the app's manager as the sensor, and reports changes of its permission and its regions.
  private func follow(_ manager: CLLocationManager) {
    if let sensor = sensor as? ForwardingSensor, sensor.follows(manager) {
      sensor.publishChanges()
    } else {
      use(ForwardingSensor(manager))
    }
  }
}

/// Monitors with the app's manager, whose delegate belongs to the app. Positions at the edges of regions are requested with a
/// separate manager, because the app may have configured its own manager differently.
///
/// `@unchecked Sendable`: Core Location's methods may be called from any thread that retains the manager; mutable values are in `state`.
final class ForwardingSensor: NSObject, RegionSensor, CLLocationManagerDelegate, @unchecked Sendable {
  private struct State {
    var tell: @Sendable (RegionInput) -> Void = { _ in }
    var unmanaged = 0
    var canMonitor = false
  }

  private weak var manager: CLLocationManager?
  /// Created on the thread that calls the app's delegate: it has a run loop.
  let own: CLLocationManager
  private let state = Mutex(State())

  init(_ manager: CLLocationManager) {
    self.manager = manager
    #if os(Linux)
      own = CLLocationManager(beside: manager)
    #else
      own = CLLocationManager()
    #endif
    super.init()
    own.delegate = self
  }

  func place(after time: Date?) -> Fix? { manager.flatMap { CoreLocationRegions.place($0, after: time) } }

  func follows(_ other: CLLocationManager) -> Bool { manager === other }

  var largestRadius: Double? {
    manager.flatMap { $0.maximumRegionMonitoringDistance > 0 ? $0.maximumRegionMonitoringDistance : nil }
  }

  func connect(_ tell: @escaping @Sendable (RegionInput) -> Void) {
    guard let manager else { return }
    let monitored = CoreLocationRegions.monitored(manager)
    let canMonitor = CoreLocationRegions.canMonitor(manager)
    state.withLock { $0 = State(tell: tell, unmanaged: monitored.foreign, canMonitor: canMonitor) }
    tell(.launched(monitored: monitored.ours, foreign: monitored.foreign))
    tell(.permission(canMonitor: canMonitor))
  }

  /// Reports changes of the permission, and of the number of regions of other code: the app does not forward them.
  func publishChanges() {
    guard let manager else { return }
    let canMonitor = CoreLocationRegions.canMonitor(manager)
    let unmanaged = CoreLocationRegions.monitored(manager).foreign
    let (old, tell) = state.withLock { state in
      let old = (state.canMonitor, state.unmanaged)
      (state.canMonitor, state.unmanaged) = (canMonitor, unmanaged)
      return (old, state.tell)
    }
    if old.0 != canMonitor { tell(.permission(canMonitor: canMonitor)) }
    if old.1 != unmanaged { tell(.unmanagedRegions(unmanaged)) }
  }

  func perform(_ effect: RegionEffect) {
    switch effect {
    case .wantsFixes(let accuracy?):
      // Without the background mode, which only the app can declare, setting it ends the app.
      own.allowsBackgroundLocationUpdates = manager?.allowsBackgroundLocationUpdates ?? false
      own.pausesLocationUpdatesAutomatically = false
      own.desiredAccuracy = LocationSensor.accuracy(accuracy)
      own.startUpdatingLocation()
    case .wantsFixes(nil): own.stopUpdatingLocation()
    default: if let manager { CoreLocationRegions.perform(effect, manager, byRegion: true) }
    }
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    let tell = state.withLock { $0.tell }
    for fix in locations.compactMap(LocationSensor.fix) { tell(.fix(fix)) }
  }

  /// Does nothing: a missing position is not an event. Core Location ends a program whose delegate lacks this method.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { publishChanges() }
}
