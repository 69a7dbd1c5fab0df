import CoreLocation
import Foundation
import Testing

private final class Delegate: NSObject, CLLocationManagerDelegate {
  var received: [String] = []
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    received.append("locations \(locations.count)")
  }
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    received.append("error \((error as NSError).code)")
  }
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    received.append("authorization \(manager.authorizationStatus.rawValue)")
  }
  func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { true }
}

/// A delegate whose manager is in a property with the base name of the delegate's methods, as in most apps.
private final class Model: NSObject, CLLocationManagerDelegate {
  private var locationManager: CLLocationManager?
  private(set) var count = 0

  func start() -> CLLocationManager {
    if locationManager == nil { locationManager = FakeManager() }
    locationManager?.delegate = self
    guard let locationManager else { return CLLocationManager() }
    locationManager.requestLocation()
    let same = self.locationManager
    self.locationManager = nil
    return same ?? locationManager
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) { count += 1 }
}

/// A mock manager that reports a location at once.
private final class FakeManager: CLLocationManager, @unchecked Sendable {
  override var authorizationStatus: CLAuthorizationStatus { .restricted }
  override func requestLocation() { delegate?.locationManager?(self, didUpdateLocations: [CLLocation()]) }
}

@Suite("Delegate methods that an app calls directly")
struct DelegateCallTests {
  @Test("a delegate's methods can be called as optional ones, and without the question mark")
  func optional() {
    // The manager has no delegate, because it would report its own authorization between these calls.
    let (manager, delegate) = (FakeManager(), Delegate())
    let held: (any CLLocationManagerDelegate)? = delegate
    let locations = [CLLocation()]
    held?.locationManager?(manager, didUpdateLocations: locations)
    held?.locationManager(manager, didUpdateLocations: locations)
    held?.locationManager?(manager, didFailWithError: CLError(.network))
    // Not nil: it was set above. The test is about this syntax.
    held!.locationManager!(manager, didFailWithError: CLError(.denied))
    held?.locationManagerDidChangeAuthorization?(manager)
    held?.locationManagerDidChangeAuthorization(manager)
    #expect(
      delegate.received == [
        "locations 1", "locations 1", "error 2", "error 1", "authorization 1", "authorization 1",
      ])
    #expect(held?.locationManagerShouldDisplayHeadingCalibration?(manager) ?? false)
    let others: [any CLLocationManagerDelegate] = [delegate, Model()]
    for other in others {
      other.locationManager?(manager, didEnterRegion: CLRegion())
      other.locationManager?(manager, didExitRegion: CLRegion())
      other.locationManager?(manager, didVisit: CLVisit())
      other.locationManager?(manager, didUpdateHeading: CLHeading())
      other.locationManager?(manager, didDetermineState: .inside, for: CLRegion())
      other.locationManager?(manager, didStartMonitoringFor: CLRegion())
      other.locationManager?(manager, monitoringDidFailFor: nil, withError: CLError(.network))
      other.locationManagerDidPauseLocationUpdates?(manager)
      other.locationManagerDidResumeLocationUpdates?(manager)
    }
    #expect(delegate.received.count == 6)
  }

  @Test("a delegate may have a property named locationManager")
  func ownProperty() {
    let model = Model()
    #expect(model.start() is FakeManager)
    #expect(model.count == 1)
  }
}
