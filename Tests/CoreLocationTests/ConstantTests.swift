import CoreLocation
import CoreMotion
import Foundation
import GodwitReceivers
import Testing

/// Raw values must be Apple's, because apps store them in settings and send them to servers.
@Suite("Names and values of Apple's constants")
struct ConstantTests {
  @Test(
    "numbers",
    arguments: [
      ("kCLLocationAccuracyBestForNavigation", kCLLocationAccuracyBestForNavigation, -2),
      ("kCLLocationAccuracyBest", kCLLocationAccuracyBest, -1),
      ("kCLLocationAccuracyNearestTenMeters", kCLLocationAccuracyNearestTenMeters, 10),
      ("kCLLocationAccuracyHundredMeters", kCLLocationAccuracyHundredMeters, 100),
      ("kCLLocationAccuracyKilometer", kCLLocationAccuracyKilometer, 1000),
      ("kCLLocationAccuracyThreeKilometers", kCLLocationAccuracyThreeKilometers, 3000),
      ("kCLDistanceFilterNone", kCLDistanceFilterNone, -1), ("kCLHeadingFilterNone", kCLHeadingFilterNone, -1),
      ("CLLocationDistanceMax", CLLocationDistanceMax, .greatestFiniteMagnitude),
      ("CLTimeIntervalMax", CLTimeIntervalMax, .greatestFiniteMagnitude),
      ("kCLLocationCoordinate2DInvalid.latitude", kCLLocationCoordinate2DInvalid.latitude, -180),
      ("kCLLocationCoordinate2DInvalid.longitude", kCLLocationCoordinate2DInvalid.longitude, -180),
    ])
  func numbers(_ name: String, _ value: Double, _ expected: Double) { #expect(value == expected, "\(name)") }

  @Test("a circle contains its edge and no coordinate that is not valid")
  func circle() {
    let circle = CLCircularRegion(center: CLLocationCoordinate2D(latitude: 46, longitude: 14), radius: 100, identifier: "home")
    #expect(circle.contains(CLLocationCoordinate2D(latitude: 46.0008, longitude: 14)))
    #expect(!circle.contains(CLLocationCoordinate2D(latitude: 46.001, longitude: 14)))
    #expect(!circle.contains(kCLLocationCoordinate2DInvalid))
    #expect(!circle.contains(CLLocationCoordinate2D(latitude: .nan, longitude: 14)))
    let invalid = CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: 100, identifier: "invalid")
    #expect(!invalid.contains(kCLLocationCoordinate2DInvalid))
  }

  @Test("the raw values of cases are consecutive, in Apple's order")
  func cases() {
    func check<Case: RawRepresentable>(_ cases: [Case], from first: Int = 0) where Case.RawValue: BinaryInteger {
      #expect(cases.map { Int($0.rawValue) } == Array(first..<first + cases.count), "\(Case.self)")
      #expect(Case(rawValue: Case.RawValue(first + cases.count)) == nil, "\(Case.self) has one more")
    }
    check([CLAuthorizationStatus.notDetermined, .restricted, .denied, .authorizedAlways, .authorizedWhenInUse])
    check([CLAccuracyAuthorization.fullAccuracy, .reducedAccuracy])
    check([CLActivityType.other, .automotiveNavigation, .fitness, .otherNavigation, .airborne], from: 1)
    check([CLRegionState.unknown, .inside, .outside])
    check([CLProximity.unknown, .immediate, .near, .far])
    check([
      CLDeviceOrientation.unknown, .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
    ])
    check([
      CLError.Code.locationUnknown, .denied, .network, .headingFailure, .regionMonitoringDenied,
      .regionMonitoringFailure, .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed, .geocodeFoundNoResult,
      .geocodeFoundPartialResult, .geocodeCanceled, .deferredFailed, .deferredNotUpdatingLocation,
      .deferredAccuracyTooLow, .deferredDistanceFiltered, .deferredCanceled, .rangingUnavailable, .rangingFailure,
      .promptDeclined, .historicalLocationError,
    ])
    // The same names on the error itself.
    check([
      CLError.locationUnknown, CLError.denied, CLError.network, CLError.headingFailure, CLError.regionMonitoringDenied,
      CLError.regionMonitoringFailure, CLError.regionMonitoringSetupDelayed, CLError.regionMonitoringResponseDelayed,
      CLError.geocodeFoundNoResult, CLError.geocodeFoundPartialResult, CLError.geocodeCanceled, CLError.deferredFailed,
      CLError.deferredNotUpdatingLocation, CLError.deferredAccuracyTooLow, CLError.deferredDistanceFiltered,
      CLError.deferredCanceled, CLError.rangingUnavailable, CLError.rangingFailure, CLError.promptDeclined,
      CLError.historicalLocationError,
    ])
    check([CLMonitor.Event.State.unknown, .satisfied, .unsatisfied, .unmonitored])
    check([CLLocationUpdate.LiveConfiguration.default, .automotiveNavigation, .otherNavigation, .fitness, .airborne])
    check([CLServiceSession.AuthorizationRequirement.none, .whenInUse, .always])
    check([CMAuthorizationStatus.notDetermined, .restricted, .denied, .authorized])
    check([CMMotionActivityConfidence.low, .medium, .high])
    check([CMPedometerEventType.pause, .resume])
    let motionErrors = [
      CMErrorNULL, CMErrorDeviceRequiresMovement, CMErrorTrueNorthNotAvailable, CMErrorUnknown,
      CMErrorMotionActivityNotAvailable, CMErrorMotionActivityNotAuthorized, CMErrorMotionActivityNotEntitled,
      CMErrorInvalidParameter, CMErrorInvalidAction, CMErrorNotAvailable, CMErrorNotEntitled, CMErrorNotAuthorized,
    ]
    #expect(motionErrors.map(\.rawValue) == Array(100...111))
  }

  @Test("domains, keys and old names")
  func names() {
    #expect(kCLErrorDomain == "kCLErrorDomain" && CLError.errorDomain == kCLErrorDomain)
    #expect(kCLErrorUserInfoAlternateRegionKey == "kCLErrorUserInfoAlternateRegionKey")
    #expect(CMErrorDomain == "CMErrorDomain")
    #expect(CLAuthorizationStatus.authorized == .authorizedAlways)
  }

  @Test("functions without a sensor report that they are not available")
  func absent() async {
    // A daemon of the test, because the machine may have a Bluetooth radio.
    await LocationDaemon(source: GpsdSource(host: "127.0.0.1"), beacons: nil).serve {
      #expect(CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
      #expect(!CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self))
      #expect(!CLLocationManager.isRangingAvailable() && !CLLocationManager.headingAvailable())
      #expect(!CLLocationManager.deferredLocationUpdatesAvailable())
      #expect(CLLocationManager.significantLocationChangeMonitoringAvailable())
      #expect(!CMPedometer.isStepCountingAvailable() && !CMPedometer.isDistanceAvailable())
      #expect(!CMPedometer.isFloorCountingAvailable() && !CMPedometer.isPaceAvailable())
      #expect(!CMPedometer.isCadenceAvailable() && !CMPedometer.isPedometerEventTrackingAvailable())
    }
  }

  @Test("beacons are equal by UUID, major and minor; regions of beacons are equal by identifier")
  func beacons() throws {
    let uuid = try #require(UUID(uuidString: "8492E75F-4FD6-469D-B132-043FE94921D8"))
    let any = CLBeaconIdentityConstraint(uuid: uuid)
    let one = CLBeaconIdentityConstraint(uuid: uuid, major: 7, minor: 65535)
    #expect(any == CLBeaconIdentityConstraint(uuid: uuid) && any != one && any.major == nil)
    #expect(Set([any, one, CLBeaconIdentityConstraint(uuid: uuid, major: 7, minor: 65535)]).count == 2)
    let region = CLBeaconRegion(uuid: uuid, major: 7, identifier: "stable")
    #expect(region.major == 7 && region.minor == nil && region.notifyOnEntry && region.notifyOnExit)
    #expect(region.beaconIdentityConstraint == CLBeaconIdentityConstraint(uuid: uuid, major: 7))
    #expect(region == CLBeaconRegion(beaconIdentityConstraint: one, identifier: "stable"))
    #expect(CLBeaconRegion(proximityUUID: uuid, identifier: "old").proximityUUID == uuid)
  }
}
