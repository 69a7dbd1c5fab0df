import CoreLocation

/// Records trips. This file is the app's own code and contains nothing for tests.
@MainActor
public final class TripRecorder: NSObject, CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private let save: ([CLLocation]) -> Void

  /// - Parameter save: stores positions.
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
    // Launches the app again after the system ended it.
    manager.startMonitoringSignificantLocationChanges()
  }

  private func handle(_ locations: [CLLocation]) {
    save(locations.filter { (0...100).contains($0.horizontalAccuracy) })
  }

  public nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    MainActor.assumeIsolated { handle(locations) }
  }
}
