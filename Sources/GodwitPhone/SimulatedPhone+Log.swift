internal import GodwitModel
public import GodwitSimulator

extension SimulatedPhone {
  /// Stores records for the report.
  func record(_ records: [Record]) { log.record(records, at: clock) }

  /// The counts of events since the last call of ``finishLog(policy:route:day:)``, or since the beginning.
  public var counts: RunLog.Counts { log.counts }

  /// Returns the log since the last call, or since the beginning, and starts a new one.
  /// - Parameters:
  ///   - policy: the name of the policy.
  ///   - route: the name of the route.
  ///   - day: the name of the day.
  public func finishLog(policy: String, route: String, day: String) -> RunLog {
    var empty = RunLog(
      policy: policy, route: route, day: day, phone: configuration.phone.name, system: configuration.system.rawValue,
      seed: configuration.seed, start: world.now, end: world.now)
    empty.motionChip = configuration.motionChip?.name
    return log.write(into: empty, world)
  }
}
