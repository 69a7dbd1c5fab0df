/// Numbers that describe how a part of a track moves; the model of the kinds of transport decides by them.
///
/// Zheng, Liu, Wang, Xie: Learning Transportation Mode from Raw GPS Data for Geographic Applications on the Web (WWW 2008) has the
/// first such list. A number that is not known is not a number (`nan`).
public struct MovementFeatures: Sendable, Hashable {
  /// What each number is, in their order. Speeds are in metres per second, of steps of eight seconds or more, weighted by time.
  public static let names = [
    "speed that 10 % of the moving time does not exceed", "speed, 25 %", "speed, 50 %", "speed, 75 %", "speed, 85 %",
    "speed, 95 %", "speed, greatest",
    "share of the time below 0.5 m/s", "share from 0.5 to 2 m/s", "share from 2 to 4 m/s", "share from 4 to 8 m/s",
    "share from 8 to 16 m/s", "share above 16 m/s",
    "mean speed", "mean speed in motion", "deviation of the speed in motion",
    "change of speed that 50 % of the changes do not exceed", "change of speed, 85 %", "change of speed, 95 %",
    "change of course that 50 % of the changes do not exceed", "change of course, 85 %", "turns of 30 degrees per kilometre",
    "stops per kilometre", "seconds per stop",
    "logarithm of the length", "logarithm of the duration", "distance of the ends per length",
    "share of gaps above one minute", "speed in such gaps",
    "logarithm of the median distance between stops", "logarithm of the longest distance between stops",
    "mean speed of the first tenth", "mean speed of the last tenth",
  ]

  /// In the order of ``names``.
  public let values: [Double]

  /// The speed that half of the moving time does not exceed, metres per second.
  var medianSpeed: Double { values[2] }
  /// The mean speed in motion, metres per second.
  package var movingSpeed: Double { values[14] }
}
