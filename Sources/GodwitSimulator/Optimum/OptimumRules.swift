public import GodwitModel

/// What a schedule of measurements must reach, how finely it is searched, and what waiting costs.
public struct OptimumRules: Sendable, Hashable, Codable {
  /// Half of the seconds on the way are within `median` metres of the truth, 95 % within `percentile95`: the goals of `adaptive`.
  public var median: Meters = 15
  public var percentile95: Meters = 60
  /// Share of the seconds on the way that are covered, 0…1.
  public var covered = 0.95
  /// Stays and coverage are those of reports.
  public var measuring = MeasuringRules()
  /// Seconds between two times at which a measurement is considered on the way, at least 1.
  public var grid = 10
  /// Maximum seconds on the way between two measurements, at least `grid`.
  public var maximumGap = 300
  /// Seconds of a gap at which the error is computed at most; a longer gap is sampled. The schedule that is found is measured
  /// at every second.
  public var maximumSamples = 30
  /// Probability with which each stay is found at least, 0…1.
  public var stayFound = 0.95
  /// What the program is between two measurements.
  public var waiting = Waiting.asleep
  /// Seeds the map of wifi networks, as that of the world.
  public var seed: UInt64 = 1

  public init() {}

  /// What the program is between two measurements.
  public enum Waiting: String, Sendable, Hashable, Codable, CaseIterable {
    /// Asleep. The phone wakes it at any time it wants, which costs a wake-up and nothing else. No phone's system offers this
    /// to a program in the background.
    case asleep
    /// On the way it runs and requests the coarsest positions, as systems demand of a program that measures again. In a stay of
    /// five minutes it is asleep, and wakes at the right moment without watching for it.
    case running
    /// As `running`, and in a stay the phone scans for wifi networks, so that a departure can be seen. A region that is near costs
    /// nothing at rest.
    case watching
  }

  /// Shares of the seconds on the way that may be worse than each bound.
  func allowed(of seconds: Int) -> Shortfall {
    func maximum(_ share: Double) -> Float {
      // What is no share demands every second.
      let needed = (0...1).contains(share) ? (share * Double(seconds)).rounded(.up) : Double(seconds)
      return Float(seconds - Int(needed))
    }
    return Shortfall(median: maximum(0.5), percentile95: maximum(0.95), covered: maximum(covered))
  }
}

/// Seconds on the way that do not meet each bound: expected ones, so that they add up over gaps.
struct Shortfall: Sendable, Hashable {
  /// Further from the truth than the bounds of the median and of the 95th percentile.
  var median: Float = 0
  var percentile95: Float = 0
  /// Not covered.
  var covered: Float = 0

  static func + (a: Self, b: Self) -> Self {
    Shortfall(median: a.median + b.median, percentile95: a.percentile95 + b.percentile95, covered: a.covered + b.covered)
  }

  /// Whether no bound is missed, but for the rounding of sums.
  func isWithin(_ allowed: Shortfall) -> Bool {
    let tolerance: Float = 0.01
    return median <= allowed.median + tolerance && percentile95 <= allowed.percentile95 + tolerance
      && covered <= allowed.covered + tolerance
  }

  var values: [Double] { [Double(median), Double(percentile95), Double(covered)] }
}
