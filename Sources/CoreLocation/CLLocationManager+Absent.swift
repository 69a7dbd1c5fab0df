public import Foundation

// What a machine may have no part for: headings and widgets, and what Apple has taken away. It says so as a device
// without the part does.

extension CLLocationManager {
  // MARK: Headings

  /// Whether there is a compass: on a simulated phone, and in a recorded file with headings.
  public class func headingAvailable() -> Bool { LocationDaemon.current.hasCompass }
  /// The newest heading that was reported.
  public var heading: CLHeading? { lastHeading }

  /// Reports which way the device points, whenever it has turned by ``headingFilter``. Without a compass the delegate receives an
  /// error.
  public func startUpdatingHeading() {
    guard !daemon.hasCompass else { return send { .headings($0, true) } }
    notifyDelegate {
      let error = CLError(.headingFailure, reason: "This machine has no compass; check headingAvailable() first.")
      $1.locationManager($0, didFailWithError: error)
    }
  }

  public func stopUpdatingHeading() { send { .headings($0, false) } }
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
