import CoreLocation

/// Records trips. This file belongs to the app and knows of no test.
@MainActor
public final class TripRecorder: NSObject, CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private let save: ([CLLocation]) -> Void

  /// - Parameter save: keeps positions.
  public init(save: @escaping ([CLLocation]) -> Void) {
    self.save = save
    super.init()
    manager.delegate = self
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.allowsBackgroundLocationUpdates = true
    manager.pausesLocationUpdatesAutomatically = false
    manager.showsBackgroundLocationIndicator = true
    manager.requestAlwaysAuthorization()
    manager.startUpdatingLocation()
    // Brings the app back after it was ended.
    manager.startMonitoringSignificantLocationChanges()
  }

  private func handle(_ locations: [CLLocation]) {
    save(locations.filter { (0...100).contains($0.horizontalAccuracy) })
  }

  public nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    MainActor.assumeIsolated { handle(locations) }
  }
}
