public import struct Foundation.Date

/// A measured position at one time.
///
/// Unknown values are `nil`; there are no sentinels such as −1. A fix is not validated by its creation: the tracker counts
/// one whose values are outside of the ranges below, and drops it.
///
///     let fix = Fix(time: .now, coordinate: coordinate, horizontalAccuracy: 8, speed: 1.4, course: 270)
public struct Fix: Sendable, Hashable, Codable {
  /// When it was measured (not when it was received).
  public var time: Date
  /// The position.
  public var coordinate: Coordinate
  /// Radius of uncertainty as the source reports it, metres, ≥ 0. It should contain 68 % of the errors; phones differ
  /// from that.
  public var horizontalAccuracy: Meters?
  /// Metres above mean sea level.
  public var altitude: Meters?
  /// Uncertainty of the altitude, metres, ≥ 0.
  public var verticalAccuracy: Meters?
  /// Metres per second over ground, ≥ 0.
  public var speed: MetersPerSecond?
  /// Uncertainty of the speed, metres per second, ≥ 0.
  public var speedAccuracy: MetersPerSecond?
  /// Direction of travel, degrees clockwise from true north, 0…360.
  public var course: Degrees?
  /// Uncertainty of the course, degrees, ≥ 0.
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
