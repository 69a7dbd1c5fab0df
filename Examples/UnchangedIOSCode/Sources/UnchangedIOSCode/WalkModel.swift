import CoreLocation
import Observation

/// The model of the screen of a hiking app. This file is the app's own code and does not depend on Godwit or Linux.
@MainActor @Observable
final class WalkModel: NSObject, CLLocationManagerDelegate {
  private(set) var isWalking = false
  private(set) var message = "Ready"
  private(set) var path: [CLLocationCoordinate2D] = []
  /// Metres.
  private(set) var distance: CLLocationDistance = 0
  /// Metres upwards.
  private(set) var climb: CLLocationDistance = 0
  /// Metres per second.
  private(set) var topSpeed: CLLocationSpeed = 0
  private(set) var began: Date?
  private(set) var latest: Date?
  private(set) var rests: [CLLocationCoordinate2D] = []
  private(set) var isNearStart = false
  private(set) var departures = 0
  private(set) var isSimulated = false

  @ObservationIgnored private let manager = CLLocationManager()
  @ObservationIgnored private var last: CLLocation?
  @ObservationIgnored private var lastAltitude: CLLocationDistance?

  override init() {
    super.init()
    manager.delegate = self
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.distanceFilter = 10
    manager.activityType = .fitness
    manager.pausesLocationUpdatesAutomatically = false
  }

  /// Handles the button "Start".
  func start() {
    switch manager.authorizationStatus {
    case .notDetermined: manager.requestWhenInUseAuthorization()
    case .restricted, .denied: message = "Allow location in Settings to record your walk."
    case .authorizedAlways, .authorizedWhenInUse: break
    @unknown default: break
    }
    isWalking = true
    manager.startUpdatingLocation()
    if CLLocationManager.significantLocationChangeMonitoringAvailable() { manager.startMonitoringVisits() }
  }

  /// Handles the button "Stop".
  func stop() {
    isWalking = false
    manager.stopUpdatingLocation()
    manager.stopMonitoringVisits()
    for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
  }

  private func handle(_ location: CLLocation) {
    precondition(Thread.isMainThread)
    guard location.horizontalAccuracy >= 0, location.horizontalAccuracy <= 50 else { return }
    if began == nil { begin(at: location) }
    latest = location.timestamp
    message = "Walking"
    isSimulated = location.sourceInformation?.isSimulatedBySoftware ?? false
    if let last { distance += location.distance(from: last) }
    last = location
    path.append(location.coordinate)
    topSpeed = max(topSpeed, location.speed)
    if location.verticalAccuracy > 0 { climb(to: location.altitude) }
  }

  private func begin(at location: CLLocation) {
    began = location.timestamp
    if CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self) {
      let start = CLCircularRegion(center: location.coordinate, radius: 150, identifier: "start")
      manager.startMonitoring(for: start)
      manager.requestState(for: start)
    }
  }

  /// Adds the ascent since the last altitude. Differences below five metres are noise of the barometer and are ignored.
  private func climb(to altitude: CLLocationDistance) {
    guard let before = lastAltitude else {
      lastAltitude = altitude
      return
    }
    guard abs(altitude - before) >= 5 else { return }
    climb += max(0, altitude - before)
    lastAltitude = altitude
  }

  // MARK: CLLocationManagerDelegate

  nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    let status = manager.authorizationStatus
    MainActor.assumeIsolated {
      if status == .denied || status == .restricted { message = "Allow location in Settings to record your walk." }
    }
  }

  nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    MainActor.assumeIsolated {
      for location in locations { handle(location) }
    }
  }

  nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    let code = (error as? CLError)?.code
    MainActor.assumeIsolated {
      switch code {
      case .denied: message = "Allow location in Settings to record your walk."
      case .locationUnknown: message = "Looking for satellites"
      default: message = error.localizedDescription
      }
    }
  }

  nonisolated func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    let hasArrived = visit.departureDate == .distantFuture
    let place = visit.coordinate
    MainActor.assumeIsolated {
      if hasArrived { rests.append(place) }
    }
  }

  nonisolated func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    MainActor.assumeIsolated { isNearStart = state == .inside }
  }

  nonisolated func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    MainActor.assumeIsolated { departures += 1 }
  }

  nonisolated func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    MainActor.assumeIsolated { message = error.localizedDescription }
  }
}
