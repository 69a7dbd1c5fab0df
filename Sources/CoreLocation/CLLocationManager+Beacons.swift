/// The beacons that a manager ranges, by the API that requested them.
struct RangedBeacons {
  var constraints: Set<CLBeaconIdentityConstraint> = []
  /// Regions that were requested with the API from before iOS 13.
  var regions: Set<CLBeaconRegion> = []

  func contains(_ constraint: CLBeaconIdentityConstraint) -> Bool {
    constraints.contains(constraint) || regions.contains { $0.beaconIdentityConstraint == constraint }
  }

  /// Returns the requested regions with a constraint, sorted by identifier.
  func regions(_ constraint: CLBeaconIdentityConstraint) -> [CLBeaconRegion] {
    regions.filter { $0.beaconIdentityConstraint == constraint }.sorted { $0.identifier < $1.identifier }
  }

  mutating func remove(_ constraint: CLBeaconIdentityConstraint) {
    constraints.remove(constraint)
    regions = regions.filter { $0.beaconIdentityConstraint != constraint }
  }
}

extension CLLocationManager {
  private static let noBeacons = CLError(
    .rangingUnavailable, reason: "This machine cannot detect beacons; check isRangingAvailable() first.")

  func range(_ constraint: CLBeaconIdentityConstraint) {
    guard session.daemon.canDetectBeacons else {
      return notifyDelegate { $1.locationManager($0, didFailRangingFor: constraint, error: Self.noBeacons) }
    }
    session.withRanged { _ = $0.constraints.insert(constraint) }
    session.send { .ranging($0, Beacons.Identity(constraint), true) }
  }

  func range(_ region: CLBeaconRegion) {
    guard session.daemon.canDetectBeacons else {
      return notifyDelegate { $1.locationManager($0, rangingBeaconsDidFailFor: region, withError: Self.noBeacons) }
    }
    session.withRanged { _ = $0.regions.update(with: region) }
    session.send { .ranging($0, Beacons.Identity(region.beaconIdentityConstraint), true) }
  }

  func stopRanging(_ constraint: CLBeaconIdentityConstraint) { stop(constraint) { $0.constraints.remove(constraint) } }
  func stopRanging(_ region: CLBeaconRegion) { stop(region.beaconIdentityConstraint) { $0.regions.remove(region) } }

  private func stop<Removed>(_ constraint: CLBeaconIdentityConstraint, _ remove: (inout RangedBeacons) -> Removed) {
    let isWanted = session.withRanged { ranged in
      _ = remove(&ranged)
      return ranged.contains(constraint)
    }
    if !isWanted { session.send { .ranging($0, Beacons.Identity(constraint), false) } }
  }

  func ranged(_ identity: Beacons.Identity, _ received: [Beacons.Ranged], _ delegate: any CLLocationManagerDelegate) {
    let (constraint, beacons) = (identity.constraint, received.map { CLBeacon($0) })
    let (isWanted, regions) = session.withRanged { ($0.constraints.contains(constraint), $0.regions(constraint)) }
    if isWanted { delegate.locationManager(self, didRange: beacons, satisfying: constraint) }
    for region in regions { delegate.locationManager(self, didRangeBeacons: beacons, in: region) }
  }

  func rangingFailed(_ identity: Beacons.Identity, _ error: CLError, _ delegate: any CLLocationManagerDelegate) {
    let constraint = identity.constraint
    let (wasWanted, regions) = session.withRanged { ranged in
      defer { ranged.remove(constraint) }
      return (ranged.constraints.contains(constraint), ranged.regions(constraint))
    }
    if wasWanted { delegate.locationManager(self, didFailRangingFor: constraint, error: error) }
    for region in regions { delegate.locationManager(self, rangingBeaconsDidFailFor: region, withError: error) }
  }
}
