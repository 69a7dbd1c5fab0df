internal import Godwit
internal import GodwitModel
public import GodwitSimulator

extension SimulatedPhone {
  /// What is noted for a report.
  struct Log {
    /// Seconds between two samples.
    static let interval = 600.0

    var start: SimulatedTime
    var before: [Energy]
    var counts = RunLog.Counts()
    var records: [Record] = []
    var samples: [RunLog.Sample] = []

    init(from world: World) {
      start = world.now
      before = world.energy().map(\.energy)
      sample(world)
    }

    mutating func sample(_ world: World) {
      guard samples.last?.time != world.now else { return }
      let used = zip(world.energy(), before).map { ($0.energy - $1).joules }
      samples.append(RunLog.Sample(time: world.now, joules: used, batteryLevel: world.battery.level))
    }
  }

  /// Keeps records for the report.
  func note(_ records: [Record]) {
    let received = clock
    let first = log.records.count
    log.records += records
    for index in first..<log.records.count { log.records[index].received = received }
  }

  /// What happened how often since the last log was taken, or the beginning.
  public var counts: RunLog.Counts { log.counts }

  /// Takes out what was noted since the last time, or the beginning.
  /// - Parameters:
  ///   - policy: its name.
  ///   - route: name of the way.
  ///   - day: name of the day.
  public func takeLog(policy: String, route: String, day: String) -> RunLog {
    log.sample(world)
    var taken = RunLog(
      policy: policy, route: route, day: day, phone: configuration.phone.name, system: configuration.system.rawValue,
      seed: configuration.seed, start: log.start, end: world.now)
    taken.records = log.records
    taken.waiting = journal?.maximumWaiting ?? 0
    taken.energy = zip(world.energy(), log.before).map { $0.energy - $1 }
    taken.samples = log.samples
    taken.counts = log.counts
    log = Log(from: world)
    return taken
  }
}
