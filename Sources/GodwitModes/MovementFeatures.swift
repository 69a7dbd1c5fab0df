/// Features of the movement in a part of a track. They are the input of the model of transport kinds.
///
/// The first list of this type is in Zheng, Liu, Wang, Xie: Learning Transportation Mode from Raw GPS Data for Geographic
/// Applications on the Web (WWW 2008). An unknown feature is NaN.
public struct MovementFeatures: Sendable, Hashable {
  /// Descriptions of the features, in their order. Speeds are in metres per second, from steps of eight seconds or more, weighted
  /// by time.
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

  /// Values in the order of ``names``.
  public let values: [Double]

  /// Median of the speed during the moving time, metres per second.
  var medianSpeed: Double { values[2] }
  /// Mean speed in motion, metres per second.
  package var movingSpeed: Double { values[14] }
}
