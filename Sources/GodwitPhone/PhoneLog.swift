internal import Godwit
internal import GodwitModel
internal import GodwitSimulator

internal import struct Foundation.Date

/// The log of a phone for a report.
struct PhoneLog {
  /// Seconds between two samples.
  static let interval = 600.0

  var counts = RunLog.Counts()
  /// The journal of the newest tracker; `nil`: none.
  var journal: Journal?
  private var start: SimulatedTime
  private var before: [Energy]
  private var records: [Record] = []
  private var samples: [RunLog.Sample] = []

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

  /// Stores records with the time at which they were recorded, by the phone's clock.
  mutating func record(_ new: [Record], at clock: Date) {
    let first = records.count
    records += new
    for index in first..<records.count { records[index].received = clock }
  }

  /// Returns the log since the last call, or since the beginning, and starts a new one.
  /// - Parameters:
  ///   - log: a log with the names of the run.
  ///   - world: the world of the phone, which has the energy that was used.
  mutating func write(into log: RunLog, _ world: World) -> RunLog {
    sample(world)
    var taken = log
    (taken.start, taken.end) = (start, world.now)
    taken.records = records
    taken.waiting = journal?.maximumWaiting ?? 0
    taken.energy = zip(world.energy(), before).map { $0.energy - $1 }
    taken.samples = samples
    taken.counts = counts
    let journal = journal
    self = PhoneLog(from: world)
    self.journal = journal
    return taken
  }
}
