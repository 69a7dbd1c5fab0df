public import struct Foundation.Date

/// A run with its figures.
public struct MeasuredRun: Sendable {
  public let policy: String
  public let route: String
  public let day: String
  public let phone: String
  public let system: String
  public let seed: UInt64
  public let start: SimulatedTime
  public let end: SimulatedTime
  public let measures: RunMeasures
  let battery: Energy
  let counts: RunCounts

  /// Measures a run.
  /// - Parameters:
  ///   - log: what the phone did.
  ///   - truth: where it really was.
  ///   - battery: what the phone's battery holds; that of the phone of that name where none is given, or of the usual one.
  ///   - rules: what is measured by.
  public init(_ log: RunLog, truth: Truth, battery: Energy? = nil, rules: MeasuringRules = MeasuringRules()) {
    policy = log.policy
    route = log.route
    day = log.day
    phone = log.phoneTitle
    system = log.system
    seed = log.seed
    start = log.start
    end = log.end
    self.battery = battery ?? (PhoneProfile.named(log.phone) ?? .usual).energy(.battery)
    counts = RunCounts(log, truth: truth, rules: rules)
    measures = counts.measures(battery: self.battery)
  }

  /// What it can be compared with: the same day of the same phone.
  struct RunConditions: Hashable {
    var route: String
    var day: String
    var phone: String
    var system: String
    var seed: UInt64
    var start: SimulatedTime
  }

  var conditions: RunConditions {
    RunConditions(route: route, day: day, phone: phone, system: system, seed: seed, start: start)
  }
}

/// What policies cost and what they miss, over routes and days. `Documentation/Reports.md` says what each figure means and has
/// the form of its JSON.
public struct SimulationReport: Sendable, Hashable, Codable {
  /// Of the program that made it.
  public var version: String
  /// What the runs were made with, each once, in the order of the runs. One of each, as a rule.
  public var phones: [String]
  public var systems: [String]
  public var seeds: [UInt64]
  /// The policy that the others' energy is compared with.
  public var baseline: String?
  /// In the order of the runs.
  public var policies: [PolicyRow]
  /// The goals of `adaptive`; none when that or `always-best` is not among the policies.
  public var goals: [Goal]
  public var runs: [RunRow]
  /// The optimum of each day; `nil` if none was computed.
  public var optima: [OptimumRow]?

  /// A policy over all its runs.
  public struct PolicyRow: Sendable, Hashable, Codable {
    public var policy: String
    /// How many runs.
    public var runs: Int
    public var measures: RunMeasures
    /// Energy for location and upload in parts of the baseline's on the same days, 0…; `nil` without such days.
    public var relativeEnergy: Double?
    /// No other policy has both less energy and a smaller median error.
    public var isOnMedianFront: Bool
    /// No other policy has both less energy and a smaller 95 % error.
    public var isOnPercentile95Front: Bool
    /// Metres of error that 0 %, 1 %, … 100 % of the seconds on the way do not pass; empty where there is no such second,
    /// shorter where some of them have no position at all.
    public var errorPercentiles: [Double]
    /// Energy relative to the optimum, for each kind of it; `nil` if none was computed.
    public var optimum: [OptimumRatio]?
  }

  /// One run.
  public struct RunRow: Sendable, Hashable, Codable {
    public var policy: String
    public var route: String
    public var day: String
    public var phone: String
    public var system: String
    public var seed: UInt64
    public var start: Date
    public var end: Date
    public var measures: RunMeasures
    /// As that of a policy.
    public var relativeEnergy: Double?
  }

  /// Something that `adaptive` must reach.
  public struct Goal: Sendable, Hashable, Codable {
    /// "Median error while moving".
    public var name: String
    /// "at most 15 m".
    public var demand: String
    /// "8.4 m", or why there is none.
    public var reached: String
    public var isMet: Bool
  }

  /// - Parameters:
  ///   - runs: of all policies, routes and days, in the order in which they are shown.
  ///   - optima: of the days, in any order; none to leave the comparison out.
  ///   - version: of the program.
  public init(_ runs: [MeasuredRun], optima: [OptimumOfDay] = [], version: String) {
    self.version = version
    phones = runs.map(\.phone).eachOnce
    systems = runs.map(\.system).eachOnce
    seeds = runs.map(\.seed).eachOnce
    let names = runs.map(\.policy).eachOnce
    let baseline = names.first { $0 == Self.alwaysBest } ?? names.first
    self.baseline = baseline
    var standard: [MeasuredRun.RunConditions: Double] = [:]
    for run in runs where run.policy == baseline { standard[run.conditions] = run.counts.ownJoules }

    self.runs = runs.map { run in
      RunRow(
        policy: run.policy, route: run.route, day: run.day, phone: run.phone, system: run.system, seed: run.seed,
        start: run.start.date, end: run.end.date, measures: run.measures, relativeEnergy: Self.relative([run], to: standard))
    }
    policies = names.map { name in
      let own = runs.filter { $0.policy == name }
      var counts = RunCounts()
      for run in own { counts.add(run.counts) }
      // Of several phones the battery is that of all of them, weighed by the time of each.
      let joules = own.reduce(0) { $0 + $1.battery.joules * $1.counts.seconds }
      let battery = counts.seconds > 0 ? Energy.joules(joules / counts.seconds) : .zero
      return PolicyRow(
        policy: name, runs: own.count, measures: counts.measures(battery: battery),
        relativeEnergy: Self.relative(own, to: standard), isOnMedianFront: false, isOnPercentile95Front: false,
        errorPercentiles: counts.errorPercentiles, optimum: Self.ratios(of: own, to: optima))
    }
    self.optima = optima.isEmpty ? nil : optima.map(Self.row)
    goals = []
    markFronts()
    goals = Self.goals(of: policies)
  }

  /// The policy that records everything as well as the phone can.
  static let alwaysBest = "always-best"

  private static func relative(_ runs: [MeasuredRun], to standard: [MeasuredRun.RunConditions: Double]) -> Double? {
    var own = 0.0
    var other = 0.0
    for run in runs {
      guard let joules = standard[run.conditions] else { continue }
      own += run.counts.ownJoules
      other += joules
    }
    return other > 0 ? (own / other).rounded(to: 1e5) : nil
  }

  private mutating func markFronts() {
    let rows = policies
    func isOnFront(_ row: PolicyRow, _ error: (RunMeasures) -> Double?) -> Bool {
      guard let own = error(row.measures) else { return false }
      let energy = row.measures.energy.milliwattHoursPerDay
      return !rows.contains { other in
        guard let its = error(other.measures) else { return false }
        let used = other.measures.energy.milliwattHoursPerDay
        return used <= energy && its <= own && (used < energy || its < own)
      }
    }
    for index in policies.indices {
      policies[index].isOnMedianFront = isOnFront(policies[index], \.track.median)
      policies[index].isOnPercentile95Front = isOnFront(policies[index], \.track.percentile95)
    }
  }
}

extension RunCounts {
  var errorPercentiles: [Double] {
    guard !errors.isEmpty else { return [] }
    return (0...100).compactMap { errors.quantile(Double($0) / 100) }.prefix { $0.isFinite }.map { Double($0).rounded(to: 100) }
  }
}

extension Sequence where Element: Hashable {
  /// Without what came before.
  var eachOnce: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
