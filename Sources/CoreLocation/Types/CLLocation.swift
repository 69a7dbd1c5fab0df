public import Foundation
internal import GodwitModel

/// A measured place.
///
/// `@unchecked Sendable`: every value is a constant that is set before the initialiser returns; subclasses answer for theirs.
open class CLLocation: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  /// What a location has; the values of a location that is nothing but a place.
  struct Values: Sendable {
    var coordinate = CLLocationCoordinate2D()
    var altitude = 0.0
    var horizontalAccuracy = 0.0
    var verticalAccuracy = -1.0
    var course = -1.0
    var courseAccuracy = -1.0
    var speed = -1.0
    var speedAccuracy = -1.0
    var timestamp = Date()
    var sourceInformation: CLLocationSourceInformation?
  }

  let values: Values

  open var coordinate: CLLocationCoordinate2D { values.coordinate }
  /// Metres above mean sea level; valid when `verticalAccuracy` is positive.
  open var altitude: CLLocationDistance { values.altitude }
  /// Metres above the ellipsoid. Sources here do not distinguish it from `altitude`.
  open var ellipsoidalAltitude: CLLocationDistance { altitude }
  /// Radius of uncertainty in metres; negative: the coordinate is invalid.
  open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }
  /// Metres; 0 or negative: the altitude is invalid.
  open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }
  /// Degrees clockwise from true north; negative: invalid.
  open var course: CLLocationDirection { values.course }
  open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }
  /// Metres per second; negative: invalid.
  open var speed: CLLocationSpeed { values.speed }
  open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }
  open var timestamp: Date { values.timestamp }
  /// Always `nil`: sources here do not report storeys.
  open var floor: CLFloor? { nil }
  open var sourceInformation: CLLocationSourceInformation? { values.sourceInformation }

  /// The coordinate 0, 0, with the other values as `init(latitude:longitude:)` sets them. Apple documents none of them.
  public override init() {
    values = Values()
    super.init()
  }

  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    values = Values(coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude))
    super.init()
  }

  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    values = Values(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
      timestamp: timestamp)
    super.init()
  }

  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
  ) {
    values = Values(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
      course: course, speed: speed, timestamp: timestamp)
    super.init()
  }

  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    values = Values(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
      course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy, timestamp: timestamp)
    super.init()
  }

  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date,
    sourceInfo: CLLocationSourceInformation
  ) {
    values = Values(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
      course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy, timestamp: timestamp,
      sourceInformation: sourceInfo)
    super.init()
  }

  // MARK: Archives and copies

  open class var supportsSecureCoding: Bool { true }

  /// - Parameter coder: what ``encode(with:)`` wrote; anything else gives `nil`.
  public required init?(coder: NSCoder) {
    guard let values = Values(coder: coder) else { return nil }
    self.values = values
    super.init()
  }

  open func encode(with coder: NSCoder) { values.encode(with: coder) }

  /// Itself: a location never changes.
  /// - Parameter zone: not used.
  /// - Returns: the location.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Places

  /// Metres to another place along the WGS 84 ellipsoid; −1 when one of them is invalid.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    guard let a = Coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude),
      let b = Coordinate(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
    else { return -1 }
    return Geodesic.distance(a, b)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLLocation else { return false }
    return coordinate.latitude == other.coordinate.latitude && coordinate.longitude == other.coordinate.longitude
      && altitude == other.altitude && horizontalAccuracy == other.horizontalAccuracy
      && verticalAccuracy == other.verticalAccuracy && course == other.course && speed == other.speed
      && timestamp == other.timestamp
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(coordinate.latitude)
    hasher.combine(coordinate.longitude)
    hasher.combine(timestamp)
    return hasher.finalize()
  }

  /// As on Apple's systems, with the place: printing a location is a request for it.
  open override var description: String {
    "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / course \(course)) @ \(RFC3339.string(timestamp))"
  }
}
