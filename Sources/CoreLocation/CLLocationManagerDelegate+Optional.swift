// On Apple's systems the delegate's methods are optional. Code that calls them itself, such as a mock or a proxy, contains
// `delegate?.locationManager?(manager, didUpdateLocations: locations)`. Swift on Linux has no optional requirements, but a call
// `x?(…)` also accepts an optional callable value. The properties in this file are such values, with the names of the methods.
// Calls without the question mark use the methods. A property `locationManager` of a conforming class takes precedence.

/// The methods `locationManager(_:…)` of a delegate, for calls that treat them as optional.
public struct CLLocationManagerDelegateCalls {
  let delegate: any CLLocationManagerDelegate

  public func callAsFunction(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    delegate.locationManager(manager, didUpdateLocations: locations)
  }

  public func callAsFunction(_ manager: CLLocationManager, didFailWithError error: any Error) {
    delegate.locationManager(manager, didFailWithError: error)
  }

  public func callAsFunction(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
    delegate.locationManager(manager, didChangeAuthorization: status)
  }

  public func callAsFunction(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    delegate.locationManager(manager, didVisit: visit)
  }

  public func callAsFunction(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    delegate.locationManager(manager, didEnterRegion: region)
  }

  public func callAsFunction(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    delegate.locationManager(manager, didExitRegion: region)
  }

  public func callAsFunction(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    delegate.locationManager(manager, didStartMonitoringFor: region)
  }

  public func callAsFunction(_ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error) {
    delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
  }

  public func callAsFunction(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
    delegate.locationManager(manager, didDetermineState: state, for: region)
  }

  public func callAsFunction(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon], satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    delegate.locationManager(manager, didRange: beacons, satisfying: beaconConstraint)
  }

  public func callAsFunction(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
  ) {
    delegate.locationManager(manager, didFailRangingFor: beaconConstraint, error: error)
  }

  public func callAsFunction(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion) {
    delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
  }

  public func callAsFunction(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
  ) {
    delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
  }

  public func callAsFunction(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
    delegate.locationManager(manager, didUpdateHeading: newHeading)
  }

  public func callAsFunction(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
    delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
  }
}

extension CLLocationManagerDelegate {
  /// The methods `locationManager(_:…)` for calls that treat them as optional: never `nil`.
  public var locationManager: CLLocationManagerDelegateCalls? { CLLocationManagerDelegateCalls(delegate: self) }

  /// The method of the same name for calls that treat it as optional: never `nil`. The same applies to the three below.
  public var locationManagerDidChangeAuthorization: ((CLLocationManager) -> Void)? {
    { self.locationManagerDidChangeAuthorization($0) }
  }

  public var locationManagerDidPauseLocationUpdates: ((CLLocationManager) -> Void)? {
    { self.locationManagerDidPauseLocationUpdates($0) }
  }

  public var locationManagerDidResumeLocationUpdates: ((CLLocationManager) -> Void)? {
    { self.locationManagerDidResumeLocationUpdates($0) }
  }

  public var locationManagerShouldDisplayHeadingCalibration: ((CLLocationManager) -> Bool)? {
    { self.locationManagerShouldDisplayHeadingCalibration($0) }
  }
}
