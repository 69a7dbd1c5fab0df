package import GodwitModel

extension CLLocation {
  /// A fix as Core Location reports it: −1 for what is unknown, and 0 m for a horizontal accuracy that the source did not report (a
  /// negative one would mean that the place itself is invalid).
  package convenience init(_ fix: Fix, source: CLLocationSourceInformation?) {
    let coordinate = CLLocationCoordinate2D(
      latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    let altitude = fix.altitude ?? 0
    // An altitude without an accuracy is still an altitude: 0.1 m says "valid" without claiming much else than
    // that. Only the module's own adapter knows the difference.
    let verticalAccuracy = fix.altitude == nil ? -1 : fix.verticalAccuracy ?? Self.unknownVerticalAccuracy
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: fix.horizontalAccuracy ?? 0,
      verticalAccuracy: verticalAccuracy, course: fix.course ?? -1, courseAccuracy: fix.courseAccuracy ?? -1,
      speed: fix.speed ?? -1, speedAccuracy: fix.speedAccuracy ?? -1, timestamp: fix.time,
      sourceInfo: source
        ?? CLLocationSourceInformation(softwareSimulationState: false, andExternalAccessoryState: false))
  }

  /// Stands for "valid, of unknown accuracy".
  package static let unknownVerticalAccuracy: CLLocationAccuracy = 0.001
}
