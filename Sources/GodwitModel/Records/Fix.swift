public import struct Foundation.Date

/// A measured position at one time.
///
/// Unknown values are `nil`; there are no sentinels such as −1. The initializer does not validate the values. The tracker drops and
/// counts a fix with a value outside the ranges below.
///
///     let fix = Fix(time: .now, coordinate: coordinate, horizontalAccuracy: 8, speed: 1.4, course: 270)
public struct Fix: Sendable, Hashable, Codable {
  /// Time of the measurement, not of the reception.
  public var time: Date
  /// The position.
  public var coordinate: Coordinate
  /// Horizontal accuracy in metres, ≥ 0, as the source reports it. It should contain 68 % of the errors, but phones differ.
  public var horizontalAccuracy: Meters?
  /// Altitude in metres above mean sea level.
  public var altitude: Meters?
  /// Vertical accuracy in metres, ≥ 0.
  public var verticalAccuracy: Meters?
  /// Speed over ground in metres per second, ≥ 0.
  public var speed: MetersPerSecond?
  /// Accuracy of the speed in metres per second, ≥ 0.
  public var speedAccuracy: MetersPerSecond?
  /// Direction of travel, degrees clockwise from true north, 0…360.
  public var course: Degrees?
  /// Accuracy of the course in degrees, ≥ 0.
  public var courseAccuracy: Degrees?

  @inlinable public init(
    time: Date, coordinate: Coordinate, horizontalAccuracy: Meters? = nil, altitude: Meters? = nil,
    verticalAccuracy: Meters? = nil, speed: MetersPerSecond? = nil, speedAccuracy: MetersPerSecond? = nil,
    course: Degrees? = nil, courseAccuracy: Degrees? = nil
  ) {
    self.time = time
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.altitude = altitude
    self.verticalAccuracy = verticalAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
  }
}
