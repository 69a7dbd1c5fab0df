public import CoreLocation
internal import Foundation
internal import GodwitEngine
internal import GodwitModel
internal import Synchronization

/// For an app that owns its location manager: its delegate forwards what it is told, and the region manager monitors and ranges
/// with the app's manager. Names and shape are those of Rover's SDK.
extension RegionManager {
  /// The device has moved: call it in `locationManager(_:didUpdateLocations:)`, and after the first sync. A tracker that
  /// these regions belong to records the position as one of its own sensor, once, while tracking is on.
  /// - Parameter manager: the app's.
  public func updateLocation(manager: CLLocationManager) {
    follow(manager)
    if let fix = manager.location.flatMap(LocationSensor.fix) { updated(fix) }
  }

  /// The device has come into a circle: call it in `locationManager(_:didEnterRegion:)`.
  /// - Parameter region: the circle; one that is not ours is passed over.
  public func enterGeofence(region: CLCircularRegion) {
    reportPlace(of: region)
    tell(.entered(region.identifier))
  }

  /// The device has left a circle: call it in `locationManager(_:didExitRegion:)`.
  /// - Parameter region: the circle; one that is not ours is passed over.
  public func exitGeofence(region: CLCircularRegion) {
    reportPlace(of: region)
    tell(.exited(region.identifier))
  }

  /// Beacons are near: call it in `locationManager(_:didEnterRegion:)`.
  /// - Parameters:
  ///   - region: of the beacons; one that is not ours is passed over.
  ///   - manager: the app's, which ranges them from now on.
  public func startRangingBeacons(in region: CLBeaconRegion, manager: CLLocationManager) {
    follow(manager)
    tell(.entered(region.identifier))
  }

  /// The beacons are near no more: call it in `locationManager(_:didExitRegion:)`.
  /// - Parameters:
  ///   - region: of the beacons; one that is not ours is passed over.
  ///   - manager: the app's, which ranges them no more.
  public func stopRangingBeacons(in region: CLBeaconRegion, manager: CLLocationManager) {
    follow(manager)
    tell(.exited(region.identifier))
  }

  /// Beacons were heard: call it in `locationManager(_:didRangeBeacons:in:)`.
  /// - Parameters:
  ///   - beacons: all that were heard.
  ///   - region: what was ranged; one that is not ours is passed over.
  ///   - manager: the app's.
  public func updateNearbyBeacons(_ beacons: [CLBeacon], in region: CLBeaconRegion, manager: CLLocationManager) {
    follow(manager)
    guard case .beacons(let uuid) = RegionIdentifier(region.identifier) else { return }
    tell(.ranged(uuid, CoreLocationRegions.sightings(beacons)))
  }

  /// What may be forwarded as well, so that the state of a region is known as soon as it is monitored: call it in
  /// `locationManager(_:didDetermineState:for:)`.
  /// - Parameters:
  ///   - state: where the device is.
  ///   - region: of which; one that is not ours is passed over.
  public func determineState(_ state: CLRegionState, for region: CLRegion) {
    guard RegionIdentifier(region.identifier) != nil else { return }
    tell(.state(region.identifier, isInside: state == .unknown ? nil : state == .inside))
  }

  /// What may be forwarded as well, so that a region that the system refuses is tried again later: call it in
  /// `locationManager(_:monitoringDidFailFor:withError:)`.
  /// - Parameter region: which; one that is not ours is passed over.
  public func monitoringFailed(for region: CLRegion?) {
    guard let region, RegionIdentifier(region.identifier) != nil else { return }
    tell(.monitoringFailed(region.identifier))
  }

  /// Where the system is when it tells of one of our regions.
  private func reportPlace(of region: CLRegion) {
    guard RegionIdentifier(region.identifier) != nil, let fix = (sensor as? ForwardingSensor)?.place(after: newestFix?.time)
    else {
      return
    }
    tell(.fix(fix))
  }

  /// The app's manager is the one that monitors, from its first call on in this life of the program.
  private func follow(_ manager: CLLocationManager) {
    if let sensor = sensor as? ForwardingSensor, sensor.follows(manager) {
      sensor.publishChanges()
    } else {
      use(ForwardingSensor(manager))
    }
  }
}

/// Monitors with the app's manager, whose delegate is the app's. The positions that are needed at the edges of regions are asked
/// for with a manager of its own, because the app may have set up its own as it likes.
///
/// `@unchecked Sendable`: Core Location's methods may be called from any thread that keeps the manager alive; what changes is in
/// `state`.
private final class ForwardingSensor: NSObject, RegionSensor, CLLocationManagerDelegate, @unchecked Sendable {
  private struct State {
    var tell: @Sendable (RegionInput) -> Void = { _ in }
    var foreign = 0
    var canMonitor = false
  }

  private weak var manager: CLLocationManager?
  /// Made by the thread that brings the app its news: it has a run loop.
  private let own: CLLocationManager
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
    state.withLock { $0 = State(tell: tell, foreign: monitored.foreign, canMonitor: canMonitor) }
    tell(.launched(monitored: monitored.ours, foreign: monitored.foreign))
    tell(.permission(canMonitor: canMonitor))
  }

  /// Permission, and regions of others, of which the app forwards nothing.
  func publishChanges() {
    guard let manager else { return }
    let canMonitor = CoreLocationRegions.canMonitor(manager)
    let foreign = CoreLocationRegions.monitored(manager).foreign
    let (old, tell) = state.withLock { state in
      let old = (state.canMonitor, state.foreign)
      (state.canMonitor, state.foreign) = (canMonitor, foreign)
      return (old, state.tell)
    }
    if old.0 != canMonitor { tell(.permission(canMonitor: canMonitor)) }
    if old.1 != foreign { tell(.foreignRegions(foreign)) }
  }

  func perform(_ effect: RegionEffect) {
    switch effect {
    case .wantsFixes(let accuracy?):
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

  /// Without it Core Location ends the program. A position that does not come is nothing new.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { publishChanges() }
}
