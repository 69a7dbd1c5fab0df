public import Foundation
internal import GodwitModel

/// A measured position.
///
/// `@unchecked Sendable`: it has only constants. A subclass is responsible for its own state.
open class CLLocation: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  /// The values of a location. The defaults are those of `init(latitude:longitude:)`.
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
  /// The altitude in metres above mean sea level; valid if `verticalAccuracy` is positive.
  open var altitude: CLLocationDistance { values.altitude }
  /// The altitude in metres above the ellipsoid. The sources on Linux do not distinguish it from `altitude`.
  open var ellipsoidalAltitude: CLLocationDistance { altitude }
  /// The radius of uncertainty in metres; negative: the coordinate is invalid.
  open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }
  /// The accuracy of the altitude in metres; 0 or negative: the altitude is invalid.
  open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }
  /// The course in degrees clockwise from true north; negative: invalid.
  open var course: CLLocationDirection { values.course }
  open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }
  /// The speed in metres per second; negative: invalid.
  open var speed: CLLocationSpeed { values.speed }
  open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }
  open var timestamp: Date { values.timestamp }
  /// Always `nil`: the sources on Linux report no floors.
  open var floor: CLFloor? { nil }
  open var sourceInformation: CLLocationSourceInformation? { values.sourceInformation }

  /// Creates a location with the coordinate 0, 0 and the other values of `init(latitude:longitude:)`. Apple documents no values.
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

  /// Reads a location that ``encode(with:)`` wrote; `nil`: a value is missing.
  public required init?(coder: NSCoder) {
    guard let values = Values(coder: coder) else { return nil }
    self.values = values
    super.init()
  }

  open func encode(with coder: NSCoder) { values.encode(with: coder) }

  /// Returns the location itself, which is immutable.
  /// - Parameter zone: not used.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Places

  /// Returns the distance to another location in metres along the WGS 84 ellipsoid; −1: a coordinate is invalid.
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

  /// The text of the location in the format of Apple's systems. It contains the coordinate.
  open override var description: String {
    "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / course \(course)) @ \(RFC3339.string(timestamp))"
  }
}
