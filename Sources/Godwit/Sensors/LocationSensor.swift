public import CoreLocation
internal import Foundation
public import GodwitEngine
internal import GodwitModel

/// Core Location as a sensor: delegate callbacks become events. The only file that knows both; it compiles against
/// Apple's framework and against this package's module of the same name.
///
/// `@unchecked Sendable`: `tell` is written once, before the delegate is set, and Core Location's methods may be
/// called from any thread that keeps the manager alive.
public final class LocationSensor: NSObject, Sensor, CLLocationManagerDelegate, @unchecked Sendable {
  private let manager: CLLocationManager
  private var tell: @Sendable (Event) -> Void = { _ in }

  /// - Parameter manager: made on the main thread, or on Linux with a daemon and a queue.
  public init(manager: CLLocationManager) { self.manager = manager }

  public func connect(_ tell: @escaping @Sendable (Event) -> Void) {
    self.tell = tell
    manager.delegate = self
    tell(.authorizationChanged(Self.authorization(manager.authorizationStatus)))
  }

  public func configure(_ request: LocationRequest?) {
    guard let request, request.mode == .standard || request.mode == .both else {
      manager.stopUpdatingLocation()
      return
    }
    manager.desiredAccuracy = Self.accuracy(request.desiredAccuracy)
    // Core Location suspends background apps that filter by distance (since iOS 16.4): the engine filters.
    manager.distanceFilter = kCLDistanceFilterNone
    manager.activityType = Self.activity(request.activityType)
    manager.pausesLocationUpdatesAutomatically = request.pausesAutomatically
    #if !os(macOS)
      manager.showsBackgroundLocationIndicator = request.showsBackgroundIndicator
    #endif
    manager.startUpdatingLocation()
  }

  public func requestAuthorization() { manager.requestAlwaysAuthorization() }

  // MARK: Delegate

  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    let fixes = locations.compactMap(Self.fix)
    if !fixes.isEmpty { tell(.fixes(fixes)) }
  }

  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    tell(.locationFailed(error.localizedDescription))
  }

  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    tell(.authorizationChanged(Self.authorization(manager.authorizationStatus)))
  }

  // MARK: Values

  /// `nil` for what Core Location itself calls invalid.
  static func fix(_ location: CLLocation) -> Fix? {
    guard location.horizontalAccuracy >= 0,
      let place = Coordinate(
        latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
    else { return nil }
    func known(_ value: Double) -> Double? { value >= 0 ? value : nil }
    let hasAltitude = location.verticalAccuracy > 0
    // Zero metres and a millimetre are no measurements: they stand for "the source did not say".
    return Fix(
      time: location.timestamp, coordinate: place,
      horizontalAccuracy: location.horizontalAccuracy > 0 ? location.horizontalAccuracy : nil,
      altitude: hasAltitude ? location.altitude : nil,
      verticalAccuracy: location.verticalAccuracy > 0.001 ? location.verticalAccuracy : nil,
      speed: known(location.speed), speedAccuracy: known(location.speedAccuracy), course: known(location.course),
      courseAccuracy: known(location.courseAccuracy))
  }

  private static func authorization(_ status: CLAuthorizationStatus) -> Authorization {
    switch status {
    case .notDetermined: .notDetermined
    case .restricted: .restricted
    case .denied: .denied
    case .authorizedAlways: .always
    case .authorizedWhenInUse: .whenInUse
    @unknown default: .notDetermined
    }
  }

  private static func accuracy(_ accuracy: DesiredAccuracy) -> CLLocationAccuracy {
    switch accuracy {
    case .navigation: kCLLocationAccuracyBestForNavigation
    case .best: kCLLocationAccuracyBest
    case .tenMeters: kCLLocationAccuracyNearestTenMeters
    case .hundredMeters: kCLLocationAccuracyHundredMeters
    case .kilometer: kCLLocationAccuracyKilometer
    case .threeKilometers: kCLLocationAccuracyThreeKilometers
    }
  }

  private static func activity(_ type: ActivityType) -> CLActivityType {
    switch type {
    case .other: .other
    case .automotive: .automotiveNavigation
    case .fitness: .fitness
    case .otherNavigation: .otherNavigation
    case .airborne: .airborne
    }
  }
}
