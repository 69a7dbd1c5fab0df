public import Foundation

// What this machine has no part for: beacons and headings, and what Apple has taken away. It says so as a device
// without the part does.

extension CLLocationManager {
  // MARK: Beacons

  /// False: nothing here hears beacons.
  public class func isRangingAvailable() -> Bool { false }
  /// None, because none can be ranged.
  public var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> { [] }
  /// None, because none can be ranged. Deprecated on Apple's systems since iOS 13.
  public var rangedRegions: Set<CLRegion> { [] }

  private static let noBeacons = CLError(
    .rangingUnavailable, reason: "This machine has nothing that hears beacons; ask isRangingAvailable() first.")

  /// Tells the delegate that it cannot be.
  public func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    tellDelegate { $1.locationManager($0, didFailRangingFor: constraint, error: Self.noBeacons) }
  }

  public func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}

  /// Tells the delegate that it cannot be. Deprecated on Apple's systems since iOS 13.
  public func startRangingBeacons(in region: CLBeaconRegion) {
    tellDelegate { $1.locationManager($0, rangingBeaconsDidFailFor: region, withError: Self.noBeacons) }
  }

  /// Deprecated on Apple's systems since iOS 13.
  public func stopRangingBeacons(in region: CLBeaconRegion) {}

  // MARK: Headings

  /// False: there is no compass.
  public class func headingAvailable() -> Bool { false }
  public var heading: CLHeading? { nil }

  /// Tells the delegate that there is none.
  public func startUpdatingHeading() {
    tellDelegate {
      let error = CLError(.headingFailure, reason: "This machine has no compass; ask headingAvailable() first.")
      $1.locationManager($0, didFailWithError: error)
    }
  }

  public func stopUpdatingHeading() {}
  public func dismissHeadingCalibrationDisplay() {}

  // MARK: Accuracy and widgets

  /// False: there are no widgets.
  public var isAuthorizedForWidgetUpdates: Bool { false }

  /// Asks for exact positions for a while, where the person gives only rough ones.
  /// - Parameters:
  ///   - purposeKey: names the reason in the app's Info.plist.
  ///   - completion: called on the manager's queue: without an error when positions are exact, with
  ///     `CLError.denied` when there are none, and with `CLError.promptDeclined` when they stay rough.
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String, completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    guard let completion else { return }
    let error = temporaryAccuracyError
    onQueue { completion(error) }
  }

  /// Asks for exact positions for a while, where the person gives only rough ones.
  /// - Parameter purposeKey: names the reason in the app's Info.plist.
  /// - Throws: `CLError.denied` when there are no positions, and `CLError.promptDeclined` when they stay rough.
  public func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
    if let error = temporaryAccuracyError { throw error }
  }

  private var temporaryAccuracyError: CLError? {
    guard daemon.isAuthorized else {
      return CLError(.denied, reason: "The person does not allow this program to know the location.")
    }
    guard accuracyAuthorization == .fullAccuracy else {
      return CLError(.promptDeclined, reason: "There is nobody here who could be asked for exact positions.")
    }
    return nil
  }

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
