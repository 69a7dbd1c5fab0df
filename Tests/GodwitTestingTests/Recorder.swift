import CoreLocation
import Foundation
import GodwitTesting
import Synchronization

/// The notifications of an app, with the seconds since the start of its scenario.
final class Diary: Sendable {
  private let state = Mutex([(seconds: Double, text: String)]())

  func record(_ text: String, at time: Date) {
    let seconds = SimulatedTime(time) - Route.morning
    state.withLock { $0.append((seconds, text)) }
  }

  var entries: [(seconds: Double, text: String)] { state.withLock { $0 } }
  func times(_ text: String) -> [Double] { entries.filter { $0.text == text }.map(\.seconds) }
}

/// The location code of an ordinary app: a location manager with a delegate that records the notifications.
///
/// `@unchecked Sendable`: Core Location calls it on the only thread of the app.
final class Recorder: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
  let manager = CLLocationManager()
  private let name: String
  private let diary: Diary
  private let eventRecorder: EventRecorder?
  private let now: @Sendable () -> Date
  private var whenAllowed: ((CLLocationManager) -> Void)?

  /// - Parameter whenAllowed: called once, when the user permits the location.
  init(
    _ launch: AppContext, _ diary: Diary, eventRecorder: EventRecorder? = nil, name: String = "",
    whenAllowed: @escaping (CLLocationManager) -> Void = { _ in }
  ) {
    self.whenAllowed = whenAllowed
    (self.diary, self.eventRecorder, self.name) = (diary, eventRecorder, name.isEmpty ? "" : name + " ")
    now = launch.environment.now
    super.init()
    manager.delegate = self
    manager.requestAlwaysAuthorization()
  }

  /// Starts updates of the best accuracy, also in the background.
  func record(filter: CLLocationDistance = kCLDistanceFilterNone, pauses: Bool = false) {
    manager.allowsBackgroundLocationUpdates = true
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.distanceFilter = filter
    manager.pausesLocationUpdatesAutomatically = pauses
    manager.startUpdatingLocation()
  }

  static func circle(_ name: String, radius: CLLocationDistance, north: Double = 0, east: Double = 0) -> CLCircularRegion {
    let place = Fix.near(at: Route.morning, north: north, east: east).coordinate
    return CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude), radius: radius, identifier: name)
  }

  private func record(_ text: String) { diary.record(name + text, at: now()) }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    guard manager.authorizationStatus == .authorizedAlways, let whenAllowed else { return }
    self.whenAllowed = nil
    whenAllowed(manager)
  }
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    eventRecorder?.record(locations)
    for location in locations { record(location.sourceInformation?.isSimulatedBySoftware == true ? "simulated" : "measured") }
  }
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { record("entered \(region.identifier)") }
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { record("left \(region.identifier)") }
  func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
    record("\(state == .inside ? "inside" : state == .outside ? "outside" : "unknown") \(region.identifier)")
  }
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    record("failed \(region?.identifier ?? "?") \((error as? CLError)?.code.rawValue ?? -1)")
  }
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    let arrival = visit.arrivalDate == .distantPast ? "?" : "known"
    record(visit.departureDate == .distantFuture ? "arrived" : "departed, arrival \(arrival)")
  }
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { record("paused") }
}
