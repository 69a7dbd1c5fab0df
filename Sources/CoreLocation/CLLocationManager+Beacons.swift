/// What a manager ranges, and how it was asked to.
struct RangedBeacons {
  var constraints: Set<CLBeaconIdentityConstraint> = []
  /// In the way from before iOS 13.
  var regions: Set<CLBeaconRegion> = []

  func contains(_ constraint: CLBeaconIdentityConstraint) -> Bool {
    constraints.contains(constraint) || regions.contains { $0.beaconIdentityConstraint == constraint }
  }

  /// Those that were asked for with regions, by identifier.
  func regions(_ constraint: CLBeaconIdentityConstraint) -> [CLBeaconRegion] {
    regions.filter { $0.beaconIdentityConstraint == constraint }.sorted { $0.identifier < $1.identifier }
  }

  mutating func remove(_ constraint: CLBeaconIdentityConstraint) {
    constraints.remove(constraint)
    regions = regions.filter { $0.beaconIdentityConstraint != constraint }
  }
}

extension CLLocationManager {
  /// Whether beacons can be detected: on a simulated phone, and on a machine with a source of them.
  public class func isRangingAvailable() -> Bool { LocationDaemon.current.hearsBeacons }

  /// What this manager ranges.
  public var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> { withRanged { $0.constraints } }
  /// The same, of what was asked for with regions. Deprecated on Apple's systems since iOS 13.
  public var rangedRegions: Set<CLRegion> { withRanged { Set($0.regions) } }

  private static let noBeacons = CLError(
    .rangingUnavailable, reason: "This machine cannot detect beacons; check isRangingAvailable() first.")

  /// Notifies the delegate once a second which of these beacons are near, nearest first, while the app runs. Without a beacon
  /// beacons the delegate receives an error.
  public func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    guard daemon.hearsBeacons else {
      return notifyDelegate { $1.locationManager($0, didFailRangingFor: constraint, error: Self.noBeacons) }
    }
    withRanged { _ = $0.constraints.insert(constraint) }
    send { .ranging($0, Beacons.Identity(constraint), true) }
  }

  public func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    stop(constraint) { $0.constraints.remove(constraint) }
  }

  /// The same, reported with the region. Deprecated on Apple's systems since iOS 13.
  public func startRangingBeacons(in region: CLBeaconRegion) {
    guard daemon.hearsBeacons else {
      return notifyDelegate { $1.locationManager($0, rangingBeaconsDidFailFor: region, withError: Self.noBeacons) }
    }
    withRanged { _ = $0.regions.update(with: region) }
    send { .ranging($0, Beacons.Identity(region.beaconIdentityConstraint), true) }
  }

  /// Deprecated on Apple's systems since iOS 13.
  public func stopRangingBeacons(in region: CLBeaconRegion) {
    stop(region.beaconIdentityConstraint) { $0.regions.remove(region) }
  }

  private func stop<Removed>(_ constraint: CLBeaconIdentityConstraint, _ remove: (inout RangedBeacons) -> Removed) {
    let isWanted = withRanged { ranged in
      _ = remove(&ranged)
      return ranged.contains(constraint)
    }
    if !isWanted { send { .ranging($0, Beacons.Identity(constraint), false) } }
  }

  func ranged(_ identity: Beacons.Identity, _ received: [Beacons.Ranged], _ delegate: any CLLocationManagerDelegate) {
    let (constraint, beacons) = (identity.constraint, received.map { CLBeacon($0) })
    let (isWanted, regions) = withRanged { ($0.constraints.contains(constraint), $0.regions(constraint)) }
    if isWanted { delegate.locationManager(self, didRange: beacons, satisfying: constraint) }
    for region in regions { delegate.locationManager(self, didRangeBeacons: beacons, in: region) }
  }

  func rangingFailed(_ identity: Beacons.Identity, _ error: CLError, _ delegate: any CLLocationManagerDelegate) {
    let constraint = identity.constraint
    let (wasWanted, regions) = withRanged { ranged in
      defer { ranged.remove(constraint) }
      return (ranged.constraints.contains(constraint), ranged.regions(constraint))
    }
    if wasWanted { delegate.locationManager(self, didFailRangingFor: constraint, error: error) }
    for region in regions { delegate.locationManager(self, rangingBeaconsDidFailFor: region, withError: error) }
  }
}
