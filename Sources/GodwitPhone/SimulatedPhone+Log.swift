internal import GodwitModel
public import GodwitSimulator

extension SimulatedPhone {
  /// Keeps records for the report.
  func record(_ records: [Record]) { log.record(records, at: clock) }

  /// What happened how often since the last log was taken, or the beginning.
  public var counts: RunLog.Counts { log.counts }

  /// Takes out what was noted since the last time, or the beginning.
  /// - Parameters:
  ///   - policy: its name.
  ///   - route: name of the way.
  ///   - day: name of the day.
  public func finishLog(policy: String, route: String, day: String) -> RunLog {
    var empty = RunLog(
      policy: policy, route: route, day: day, phone: configuration.phone.name, system: configuration.system.rawValue,
      seed: configuration.seed, start: world.now, end: world.now)
    empty.motionChip = configuration.motionChip?.name
    return log.write(into: empty, world)
  }
}
