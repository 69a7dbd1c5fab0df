public import GodwitModel

/// The bounds that a schedule of measurements must meet, the resolution of the search, and the cost of waiting.
public struct OptimumRules: Sendable, Hashable, Codable {
  /// Bounds of the error in metres: half of the moving seconds are within `median` of the truth, and 95 % within `percentile95`.
  /// These are the goals of `adaptive`.
  public var median: Meters = 15
  public var percentile95: Meters = 60
  /// Minimum fraction of the moving seconds that are covered, 0…1.
  public var covered = 0.95
  /// Definitions of stays and coverage, as in reports.
  public var measuring = MeasuringRules()
  /// Seconds between two times at which a measurement is considered while moving, at least 1.
  public var grid = 10
  /// Maximum moving seconds between two measurements, at least `grid`.
  public var maximumGap = 300
  /// Maximum number of seconds of a gap at which the error is computed. A longer gap is sampled. The resulting schedule is measured
  /// at every second.
  public var maximumSamples = 30
  /// Minimum probability with which each stay is found, 0…1.
  public var stayFound = 0.95
  /// State of the program between two measurements.
  public var waiting = Waiting.asleep
  /// Seed of the map of wifi networks, the same as that of the world.
  public var seed: UInt64 = 1

  public init() {}

  /// State of a program between two measurements.
  public enum Waiting: String, Sendable, Hashable, Codable, CaseIterable {
    /// The program sleeps. The phone wakes it at any requested time, which costs only a wake-up. No mobile operating system offers
    /// this to a background program.
    case asleep
    /// While moving, the program runs and requests the coarsest positions, as systems require of a program that measures again. In
    /// a stay of five minutes it sleeps, and wakes at the right moment without monitoring.
    case running
    /// Like `running`, and during a stay the phone scans for wifi networks, so that a departure can be detected. A nearby region
    /// costs nothing at rest.
    case watching
  }

  /// Returns the number of moving seconds that may exceed each bound.
  func allowed(of seconds: Int) -> Shortfall {
    func maximum(_ share: Double) -> Float {
      // A fraction outside 0…1 requires every second.
      let needed = (0...1).contains(share) ? (share * Double(seconds)).rounded(.up) : Double(seconds)
      return Float(seconds - Int(needed))
    }
    return Shortfall(median: maximum(0.5), percentile95: maximum(0.95), covered: maximum(covered))
  }
}

/// Expected moving seconds that do not meet each bound. Expectations add up over gaps.
struct Shortfall: Sendable, Hashable {
  /// Seconds farther from the truth than the bounds of the median and of the 95th percentile.
  var median: Float = 0
  var percentile95: Float = 0
  /// Seconds that are not covered.
  var covered: Float = 0

  static func + (a: Self, b: Self) -> Self {
    Shortfall(median: a.median + b.median, percentile95: a.percentile95 + b.percentile95, covered: a.covered + b.covered)
  }

  /// Returns whether all bounds are met, within the rounding errors of sums.
  func isWithin(_ allowed: Shortfall) -> Bool {
    let tolerance: Float = 0.01
    return median <= allowed.median + tolerance && percentile95 <= allowed.percentile95 + tolerance
      && covered <= allowed.covered + tolerance
  }

  var values: [Double] { [Double(median), Double(percentile95), Double(covered)] }
}
