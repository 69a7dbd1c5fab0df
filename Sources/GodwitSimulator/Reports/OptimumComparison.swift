public import struct Foundation.Date

/// The optimum of one day of a route.
public struct OptimumOfDay: Sendable {
  public let route: String
  public let day: String
  public let start: SimulatedTime
  public let waiting: OptimumRules.Waiting
  /// `nil` if no schedule meets the bounds.
  public let optimum: OfflineOptimum?

  public init(
    route: String, day: String, start: SimulatedTime, waiting: OptimumRules.Waiting, optimum: OfflineOptimum?
  ) {
    self.route = route
    self.day = day
    self.start = start
    self.waiting = waiting
    self.optimum = optimum
  }
}

extension SimulationReport {
  /// The optimum of one day.
  public struct OptimumRow: Sendable, Hashable, Codable {
    public var route: String
    public var day: String
    public var start: Date
    /// State of the optimum's program between two measurements.
    public var waiting: OptimumRules.Waiting
    /// Joules for location and upload; `nil` if no schedule meets the bounds.
    public var joules: Double?
    /// Minimum joules of any schedule on the same grid; `nil` if no schedule meets the bounds.
    public var lowerBound: Double?
    /// Number of positions after a start of the receiver.
    public var starts: Int?
    /// Number of positions of a receiver that was already on.
    public var tracked: Int?
    /// Number of positions of wifi scans.
    public var scans: Int?
    /// Expected fractions of the moving seconds within the bounds of the median, the 95th percentile and coverage, 0…1.
    public var within: [Double]?
  }

  /// Energy of a policy relative to the optimum of the same days.
  public struct OptimumRatio: Sendable, Hashable, Codable {
    /// State of the optimum's program between two measurements.
    public var waiting: OptimumRules.Waiting
    /// Number of days with an optimum.
    public var days: Int
    /// Energy for location and upload as a multiple of the optimum's; median over the days.
    public var median: Double
    /// The lowest of these multiples.
    public var lowest: Double
    /// The highest of these multiples.
    public var highest: Double
    /// Energy as a multiple of the optimum's lower bound, median over the days. Not below `median`.
    public var medianToLowerBound: Double
    /// Like `median`, with the phone's standby included in both energies.
    public var medianWithStandby: Double
  }

  static func row(_ day: OptimumOfDay) -> OptimumRow {
    let optimum = day.optimum
    func count(_ source: OfflineOptimum.Source) -> Int? { optimum?.measurements.count { $0.source == source } }
    return OptimumRow(
      route: day.route, day: day.day, start: day.start.date, waiting: day.waiting, joules: optimum?.joules.rounded(to: 1e3),
      lowerBound: optimum?.lowerBound.rounded(to: 1e3), starts: count(.start), tracked: count(.tracking), scans: count(.wifi),
      within: optimum?.within.map { $0.rounded(to: 1e4) })
  }

  /// Returns the ratios of a policy's runs, one for each kind of optimum; `nil` without any optimum.
  static func ratios(of runs: [MeasuredRun], to optima: [OptimumOfDay]) -> [OptimumRatio]? {
    guard !optima.isEmpty else { return nil }
    return optima.map(\.waiting).eachOnce.compactMap { waiting in
      let own = optima.filter { $0.waiting == waiting }
      let pairs = runs.compactMap { run in
        own.first { $0.route == run.route && $0.day == run.day && $0.start == run.start }?.optimum.map { (run, $0) }
      }.filter { $0.1.lowerBound > 0 }
      func sorted(_ ratio: (MeasuredRun, OfflineOptimum) -> Double) -> [Double] {
        pairs.map { ratio($0.0, $0.1).rounded(to: 1e3) }.sorted()
      }
      let ratios = sorted { $0.counts.ownJoules / $1.joules }
      let bounds = sorted { $0.counts.ownJoules / $1.lowerBound }
      let whole = sorted { run, optimum in
        let standby = run.counts.joules[EnergyPart.standby.rawValue]
        return (run.counts.ownJoules + standby) / (optimum.joules + standby)
      }
      guard let median = ratios.quantile(0.5), let lowest = ratios.first, let highest = ratios.last,
        let bound = bounds.quantile(0.5), let withStandby = whole.quantile(0.5)
      else { return nil }
      return OptimumRatio(
        waiting: waiting, days: pairs.count, median: median, lowest: lowest, highest: highest, medianToLowerBound: bound,
        medianWithStandby: withStandby)
    }
  }

  /// Returns the ratios as a table with a row for each policy and kind of optimum; empty without an optimum.
  func optimumTable() -> [[String]] {
    let rows = policies.flatMap { policy in
      (policy.optimum ?? []).map { ratio in
        [
          policy.policy, ratio.waiting.rawValue, Self.text(ratio.median, digits: 2),
          "\(Self.text(ratio.lowest, digits: 2))–\(Self.text(ratio.highest, digits: 2))",
          Self.text(ratio.medianToLowerBound, digits: 2), Self.text(ratio.medianWithStandby, digits: 2), "\(ratio.days)",
        ]
      }
    }
    return rows.isEmpty ? [] : [["policy", "program", "median", "range", "to bound", "with standby", "days"]] + rows
  }
}
