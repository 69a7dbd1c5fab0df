package import GodwitModel

extension CLLocation {
  /// Converts a fix. An unknown value is −1. An unknown horizontal accuracy is 0 m, because a negative one means that the
  /// coordinate is invalid.
  package convenience init(_ fix: Fix, source: CLLocationSourceInformation?) {
    let coordinate = CLLocationCoordinate2D(
      latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    let altitude = fix.altitude ?? 0
    // An altitude of unknown accuracy is valid, so its accuracy must be positive. The sensor of the SDK converts the placeholder
    // back to "unknown".
    let verticalAccuracy = fix.altitude == nil ? -1 : fix.verticalAccuracy ?? Self.unknownVerticalAccuracy
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: fix.horizontalAccuracy ?? 0,
      verticalAccuracy: verticalAccuracy, course: fix.course ?? -1, courseAccuracy: fix.courseAccuracy ?? -1,
      speed: fix.speed ?? -1, speedAccuracy: fix.speedAccuracy ?? -1, timestamp: fix.time,
      sourceInfo: source
        ?? CLLocationSourceInformation(softwareSimulationState: false, andExternalAccessoryState: false))
  }

  /// The placeholder in metres for the unknown accuracy of a valid altitude.
  package static let unknownVerticalAccuracy: CLLocationAccuracy = 0.001
}
