public import Foundation
internal import GodwitModel

/// A measured place.
///
/// `@unchecked Sendable`: every property is a constant of a value type, set before the initialiser returns.
public final class CLLocation: NSObject, @unchecked Sendable {
  public let coordinate: CLLocationCoordinate2D
  /// Metres above mean sea level; valid when `verticalAccuracy` is positive.
  public let altitude: CLLocationDistance
  /// Metres above the ellipsoid. Sources here do not distinguishes it from `altitude`.
  public var ellipsoidalAltitude: CLLocationDistance { altitude }
  /// Radius of uncertainty in metres; negative: the coordinate is invalid.
  public let horizontalAccuracy: CLLocationAccuracy
  /// Metres; 0 or negative: the altitude is invalid.
  public let verticalAccuracy: CLLocationAccuracy
  /// Degrees clockwise from true north; negative: invalid.
  public let course: CLLocationDirection
  public let courseAccuracy: CLLocationDirectionAccuracy
  /// Metres per second; negative: invalid.
  public let speed: CLLocationSpeed
  public let speedAccuracy: CLLocationSpeedAccuracy
  public let timestamp: Date
  public let floor: CLFloor?
  public let sourceInformation: CLLocationSourceInformation?

  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0, horizontalAccuracy: 0,
      verticalAccuracy: -1, timestamp: Date())
  }

  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
  }

  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: -1, speed: speed, speedAccuracy: -1,
      timestamp: timestamp)
  }

  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate, altitude, horizontalAccuracy, verticalAccuracy, course, courseAccuracy, speed, speedAccuracy,
      timestamp, nil)
  }

  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date,
    sourceInfo: CLLocationSourceInformation
  ) {
    self.init(
      coordinate, altitude, horizontalAccuracy, verticalAccuracy, course, courseAccuracy, speed, speedAccuracy,
      timestamp, sourceInfo)
  }

  init(
    _ coordinate: CLLocationCoordinate2D, _ altitude: Double, _ horizontalAccuracy: Double, _ verticalAccuracy: Double,
    _ course: Double, _ courseAccuracy: Double, _ speed: Double, _ speedAccuracy: Double, _ timestamp: Date,
    _ sourceInformation: CLLocationSourceInformation?
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.timestamp = timestamp
    self.sourceInformation = sourceInformation
    floor = nil
  }

  /// Metres to another place along the WGS 84 ellipsoid; −1 when one of them is invalid.
  public func distance(from location: CLLocation) -> CLLocationDistance {
    guard let a = Coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude),
      let b = Coordinate(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
    else { return -1 }
    return Geodesic.distance(a, b)
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLLocation else { return false }
    return coordinate.latitude == other.coordinate.latitude && coordinate.longitude == other.coordinate.longitude
      && altitude == other.altitude && horizontalAccuracy == other.horizontalAccuracy
      && verticalAccuracy == other.verticalAccuracy && course == other.course && speed == other.speed
      && timestamp == other.timestamp
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(coordinate.latitude)
    hasher.combine(coordinate.longitude)
    hasher.combine(timestamp)
    return hasher.finalize()
  }

  /// As on Apple's systems, with the place: printing a location is a request for it.
  public override var description: String {
    "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / course \(course)) @ \(RFC3339.string(timestamp))"
  }
}

/// A storey of a building.
public final class CLFloor: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: one constant.
  public let level: Int
  package init(level: Int) { self.level = level }
}

/// Where a location comes from.
public final class CLLocationSourceInformation: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: two constants.
  /// It was replayed or made up.
  public let isSimulatedBySoftware: Bool
  /// It comes from a receiver outside the device, as with gpsd.
  public let isProducedByAccessory: Bool

  public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
    isSimulatedBySoftware = isSoftware
    isProducedByAccessory = isAccessory
  }
}
