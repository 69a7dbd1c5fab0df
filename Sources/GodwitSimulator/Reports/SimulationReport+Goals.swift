extension SimulationReport {
  /// The policy that has goals, and the one that it must beat.
  private static let adaptive = "adaptive"
  private static let twoState = "two-state"

  /// What `adaptive` must reach against `always-best`, and against `two-state` where that is there.
  static func goals(of policies: [PolicyRow]) -> [Goal] {
    guard let own = policies.first(where: { $0.policy == adaptive }), policies.contains(where: { $0.policy == alwaysBest })
    else { return [] }
    let track = own.measures.track
    let stays = own.measures.stays
    var goals = [
      goal("Energy for location and upload", "at most a tenth of always-best", own.relativeEnergy, { $0 <= 0.1 }, percent),
      goal("Median error while moving", "at most 15 m", track.median, { $0 <= 15 }, metres),
      goal("95th percentile error while moving", "at most 60 m", track.percentile95, { $0 <= 60 }, metres),
      goal("Covered time while moving", "at least 95 %", track.covered, { $0 >= 0.95 }, percent),
      Goal(
        name: "Stays of five minutes and more", demand: "all found",
        reached: stays.recall.map { $0 >= 1 ? "all \(stays.real)" : "\(percent($0)) of \(stays.real)" } ?? "none to find",
        isMet: stays.recall ?? 1 >= 1),
      goal("Recorded times of stays", "at most 3 minutes off", stays.worstDelay, { $0 <= 180 }, seconds),
      goal("Length of the path", "within 3 %", own.measures.distance.difference, { abs($0) <= 0.03 }, signed),
    ]
    if let other = policies.first(where: { $0.policy == twoState }) { goals.append(against(other, own)) }
    return goals
  }

  /// A figure that is missing has not been reached.
  private static func goal(
    _ name: String, _ demand: String, _ value: Double?, _ isMet: (Double) -> Bool, _ text: (Double) -> String
  ) -> Goal {
    Goal(name: name, demand: demand, reached: value.map(text) ?? "nothing to measure", isMet: value.map(isMet) ?? false)
  }

  private static func against(_ other: PolicyRow, _ own: PolicyRow) -> Goal {
    let (a, b) = (own.measures, other.measures)
    func isNoWorse(_ error: (RunMeasures) -> Double?) -> Bool {
      guard let mine = error(a) else { return false }
      return error(b).map { mine <= $0 } ?? true
    }
    let ratio = a.energy.milliwattHoursPerDay > 0 ? b.energy.milliwattHoursPerDay / a.energy.milliwattHoursPerDay : nil
    let isAccurate = isNoWorse(\.track.median) && isNoWorse(\.track.percentile95)
    let reached = ratio.map { "\(text($0, digits: 1)) times less" } ?? "nothing to measure"
    return Goal(
      name: "Energy against two-state", demand: "at least 2 times less at no more error",
      reached: "\(reached), \(isAccurate ? "no more error" : "more error")", isMet: isAccurate && (ratio ?? 0) >= 2)
  }

  private static func metres(_ value: Double) -> String { "\(text(value, digits: 1)) m" }
  private static func seconds(_ value: Double) -> String { "\(text(value, digits: 0)) s" }
  private static func signed(_ value: Double) -> String { (value > 0 ? "+" : "") + percent(value) }
  private static func percent(_ value: Double) -> String { "\(text(value * 100, digits: 1)) %" }
}
