import CoreLocation
import CoreMotion
import Foundation
import Testing

// Code as in the tests of iOS apps: subclasses that replace Apple's objects.

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeManager: CLLocationManager, @unchecked Sendable {
  var calls: [String] = []
  override var location: CLLocation? { CLLocation(latitude: 1, longitude: 2) }
  override var authorizationStatus: CLAuthorizationStatus { .restricted }
  override var monitoredRegions: Set<CLRegion> { [CLRegion()] }
  override var heading: CLHeading? { CLHeading() }
  override var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> { [] }
  override class func locationServicesEnabled() -> Bool { false }
  override class func headingAvailable() -> Bool { true }
  override class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { false }
  override func requestWhenInUseAuthorization() { calls.append("ask") }
  override func startMonitoring(for region: CLRegion) { calls.append("start \(region.identifier)") }
  override func stopMonitoring(for region: CLRegion) { calls.append("stop \(region.identifier)") }
  override func requestState(for region: CLRegion) { calls.append("state") }
  override func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) { calls.append("range") }
  override func startUpdatingHeading() { calls.append("heading") }
  override func startMonitoringVisits() { calls.append("visits") }
  override func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
    calls.append("deferred")
  }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeVisit: CLVisit, @unchecked Sendable {
  override var arrivalDate: Date { Date(timeIntervalSince1970: 5) }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeLocation: CLLocation, @unchecked Sendable {
  var place: CLLocationCoordinate2D

  init(place: CLLocationCoordinate2D) {
    self.place = place
    super.init(latitude: 0, longitude: 0)
  }

  required init?(coder: NSCoder) { nil }
  override var coordinate: CLLocationCoordinate2D { place }
  override var floor: CLFloor? { CLFloor() }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeHeading: CLHeading, @unchecked Sendable {
  override var trueHeading: CLLocationDirection { 90 }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeBeacon: CLBeacon, @unchecked Sendable {
  override var rssi: Int { -40 }
  override var major: NSNumber { 7 }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakePlacemark: CLPlacemark, @unchecked Sendable {
  private var city: String?
  override var locality: String? {
    get { city }
    set { city = newValue }
  }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeGeocoder: CLGeocoder, @unchecked Sendable {
  override func reverseGeocodeLocation(_ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler) {
    completionHandler([FakePlacemark()], nil)
  }
  override func geocodeAddressString(_ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler) {
    completionHandler(nil, CLError(.geocodeFoundNoResult))
  }
  override func cancelGeocode() {}
  override var isGeocoding: Bool { true }
}

@Suite("Subclasses of Apple's classes")
struct SubclassTests {
  @Test("a subclass of the manager overrides every kind of member")
  func manager() {
    let manager = FakeManager()
    let plain: CLLocationManager = manager
    plain.requestWhenInUseAuthorization()
    plain.startMonitoring(for: CLCircularRegion(center: CLLocationCoordinate2D(), radius: 1, identifier: "a"))
    plain.stopMonitoring(for: CLRegion())
    plain.requestState(for: CLRegion())
    plain.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: UUID()))
    plain.startUpdatingHeading()
    plain.startMonitoringVisits()
    plain.allowDeferredLocationUpdates(untilTraveled: 1, timeout: 1)
    #expect(manager.calls == ["ask", "start a", "stop ", "state", "range", "heading", "visits", "deferred"])
    #expect(plain.location?.coordinate.longitude == 2 && plain.heading != nil && plain.monitoredRegions.count == 1)
    #expect(plain.authorizationStatus == .restricted && type(of: plain).headingAvailable())
    #expect(!type(of: plain).locationServicesEnabled() && !type(of: plain).isMonitoringAvailable(for: CLCircularRegion.self))
  }

  @Test("subclasses override properties of values, and methods of the superclass use the overridden properties")
  func values() {
    let location: CLLocation = FakeLocation(place: CLLocationCoordinate2D(latitude: 0, longitude: 1))
    #expect(location.coordinate.longitude == 1 && location.floor?.level == 0)
    #expect(abs(location.distance(from: CLLocation()) - 111_319.49) < 1)
    #expect((FakeVisit() as CLVisit).arrivalDate.timeIntervalSince1970 == 5)
    #expect((FakeHeading() as CLHeading).trueHeading == 90)
    #expect((FakeBeacon() as CLBeacon).rssi == -40 && (FakeBeacon() as CLBeacon).major == 7)
    let placemark = FakePlacemark()
    placemark.locality = "Turin"
    #expect(CLPlacemark(placemark: placemark).locality == "Turin")
    var found: [CLPlacemark]?
    (FakeGeocoder() as CLGeocoder).reverseGeocodeLocation(location) { places, _ in found = places }
    #expect(found?.count == 1)
  }

  @Test("empty initialisers have the values that Apple documents as unknown")
  func empty() {
    let location = CLLocation()
    #expect(location.coordinate.latitude == 0 && location.coordinate.longitude == 0 && location.horizontalAccuracy == 0)
    #expect(location.verticalAccuracy == -1 && location.course == -1 && location.speed == -1 && location.altitude == 0)
    #expect(CLVisit().arrivalDate == .distantPast && CLVisit().departureDate == .distantFuture)
    #expect(CLHeading().headingAccuracy < 0 && CLHeading().trueHeading < 0)
    #expect(CLBeacon().proximity == .unknown && CLBeacon().rssi == 0 && CLBeacon().accuracy < 0)
    #expect(CLRegion().identifier.isEmpty && CLCircularRegion().radius == 0 && CLFloor().level == 0)
    #expect(CLPlacemark().name == nil && CLPlacemark().location == nil)
  }

  @Test("location pushes report an error, and the advertisement of a beacon has 21 bytes")
  func absent() async {
    let manager = CLLocationManager()
    let code = await withCheckedContinuation { continuation in
      manager.startMonitoringLocationPushes { token, error in
        continuation.resume(returning: token == nil ? (error as? CLLocationPushServiceError)?.code : nil)
      }
    }
    #expect(code == .unsupportedPlatform)
    let region = CLBeaconRegion(uuid: UUID(), major: 258, minor: 3, identifier: "b")
    let data = region.peripheralData(withMeasuredPower: nil)["kCBAdvDataAppleBeaconKey"] as? Data
    #expect(data?.count == 21 && data.map { Array($0.suffix(5)) } == [1, 2, 0, 3, 197])
  }
}
