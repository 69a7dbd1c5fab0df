internal import CoreLocation
package import Foundation
internal import GodwitEngine
package import GodwitModel

/// Converts regions and beacons to and from Core Location.
enum CoreLocationRegions {
  /// The identifier of the region with which the tracker detects the end of a pause. One of the system's slots is reserved for it.
  static let pause = "godwit.pause"

  /// Whether the app may monitor regions.
  static func canMonitor(_ manager: CLLocationManager) -> Bool {
    switch manager.authorizationStatus {
    case .authorizedAlways, .authorizedWhenInUse: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self)
    case .notDetermined, .restricted, .denied: false
    @unknown default: false
    }
  }

  /// Returns the regions that the system monitors for the app: the identifiers of the SDK's regions, and the number of others.
  static func monitored(_ manager: CLLocationManager) -> (ours: [String], foreign: Int) {
    let all = manager.monitoredRegions.map(\.identifier)
    let ours = all.filter { RegionIdentifier($0) != nil }
    return (ours.sorted(), all.count { RegionIdentifier($0) == nil && $0 != pause })
  }

  /// The maximum horizontal accuracy in metres of a position that is used to evaluate regions.
  private static let maximumAccuracy = 200.0

  /// Returns the system's position at a region event. It makes a separate request for a position unnecessary, and other regions
  /// are evaluated with it at once. `nil`: it is not accurate enough, or not new.
  /// - Parameters:
  ///   - manager: the source of the position.
  ///   - time: the time of the newest known position.
  static func place(_ manager: CLLocationManager, after time: Date?) -> Fix? {
    guard let fix = manager.location.flatMap(LocationSensor.fix), let accuracy = fix.horizontalAccuracy,
      accuracy <= maximumAccuracy,
      time.map({ $0 < fix.time }) ?? true
    else { return nil }
    return fix
  }

  /// Returns the region as a Core Location region.
  static func region(_ wanted: MonitoredRegion) -> CLRegion {
    let region: CLRegion
    switch wanted.shape {
    case .circle(let circle):
      region = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: circle.center.latitude, longitude: circle.center.longitude),
        radius: circle.radius, identifier: wanted.identifier)
    case .beacons(let uuid): region = CLBeaconRegion(uuid: uuid.uuid, identifier: wanted.identifier)
    }
    region.notifyOnEntry = wanted.notifiesOnEntry
    return region
  }

  /// Starts or stops monitoring and ranging; other effects are ignored.
  /// - Parameters:
  ///   - effect: the effect.
  ///   - manager: the manager that performs it.
  ///   - byRegion: whether ranging uses the region, as before iOS 13.
  static func perform(_ effect: RegionEffect, _ manager: CLLocationManager, byRegion: Bool = false) {
    switch effect {
    case .startMonitoring(let wanted): manager.startMonitoring(for: region(wanted))
    case .stopMonitoring(let identifier):
      for region in manager.monitoredRegions where region.identifier == identifier { manager.stopMonitoring(for: region) }
    case .requestState(let identifier):
      for region in manager.monitoredRegions where region.identifier == identifier { manager.requestState(for: region) }
    case .startRanging(let uuid):
      if byRegion {
        manager.oldRanging.startRangingBeacons(in: beacons(uuid))
      } else {
        manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid.uuid))
      }
    case .stopRanging(let uuid):
      if byRegion {
        manager.oldRanging.stopRangingBeacons(in: beacons(uuid))
      } else {
        manager.stopRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid.uuid))
      }
    case .setTimer, .report, .wantsFixes, .insideChanged: break
    }
  }

  private static func beacons(_ uuid: ProximityUUID) -> CLBeaconRegion {
    CLBeaconRegion(uuid: uuid.uuid, identifier: RegionIdentifier.beacons(uuid).description)
  }

  /// Converts ranged beacons.
  static func sightings(_ beacons: [CLBeacon]) -> [BeaconSighting] {
    beacons.map { beacon in
      BeaconSighting(
        identity: BeaconIdentity(
          uuid: ProximityUUID(beacon.uuid), major: beacon.major.uint16Value, minor: beacon.minor.uint16Value),
        proximity: proximity(beacon.proximity), accuracy: beacon.accuracy >= 0 ? beacon.accuracy : nil, rssi: beacon.rssi)
    }
  }

  private static func proximity(_ proximity: CLProximity) -> BeaconProximity {
    switch proximity {
    case .immediate: .immediate
    case .near: .near
    case .far: .far
    case .unknown: .unknown
    @unknown default: .unknown
    }
  }
}

/// The ranging API from before iOS 13, which calls `locationManager(_:didRangeBeacons:in:)`. An app with that delegate method
/// needs it. A protocol hides it, because it is deprecated and would cause a compiler warning.
protocol RegionRanging {
  func startRangingBeacons(in region: CLBeaconRegion)
  func stopRangingBeacons(in region: CLBeaconRegion)
}

extension CLLocationManager: RegionRanging {
  fileprivate var oldRanging: any RegionRanging { self }
}

extension ProximityUUID {
  init(_ uuid: UUID) {
    let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    self.init(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  package var uuid: UUID {
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * index)) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
        byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }
}
