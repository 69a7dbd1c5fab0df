public import Foundation

// What this machine has no part for: headings and widgets, and what Apple has taken away. It says so as a device
// without the part does.

extension CLLocationManager {
  // MARK: Headings

  /// False: there is no compass.
  public class func headingAvailable() -> Bool { false }
  public var heading: CLHeading? { nil }

  /// Notifies the delegate that there is none.
  public func startUpdatingHeading() {
    notifyDelegate {
      let error = CLError(.headingFailure, reason: "This machine has no compass; check headingAvailable() first.")
      $1.locationManager($0, didFailWithError: error)
    }
  }

  public func stopUpdatingHeading() {}
  public func dismissHeadingCalibrationDisplay() {}

  // MARK: Widgets

  /// False: there are no widgets.
  public var isAuthorizedForWidgetUpdates: Bool { false }

  // MARK: Deferred updates

  /// False, as on Apple's systems since iOS 13.
  public class func deferredLocationUpdatesAvailable() -> Bool { false }
  /// Without effect, as on Apple's systems since iOS 13.
  public func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {}
  /// Without effect, as on Apple's systems since iOS 13.
  public func disallowDeferredLocationUpdates() {}
}

extension CLLocationManagerDelegate {
  public func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {}
  public func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon], satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {}
  public func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
  ) {}
  public func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {}
  public func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
  ) {}
  public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
  public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }
  public func locationManager(
    _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
  ) {}
}
