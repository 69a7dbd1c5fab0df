import Foundation

/// One line of the table.
struct Measurement: Codable {
  var name: String
  var value: Double
  var unit: String
  var goal: Double?
  var lowerIsBetter = false
  var comparedTo: String?
  /// This value divided by the one that it is compared to.
  var ratio: Double?
  /// Whether the goal was measured in this run, on this machine.
  var isGoalMeasured = false

  enum CodingKeys: String, CodingKey {
    case name, value, unit, goal, ratio
    case lowerIsBetter = "lower_is_better"
    case comparedTo = "compared_to"
  }

  /// The resource that limits a value, by which the goal is scaled for another machine.
  enum Bound { case none, processor, disk }

  /// The bound, by the unit: sizes, counts and ratios are the same on every machine.
  var bound: Bound {
    guard unit.hasSuffix("/s") || ["s", "ms", "µs", "× real time", "per second"].contains(unit) else { return .none }
    return name.contains("durable") || name.contains("stored") ? .disk : .processor
  }

  /// The goal for a machine: on a slower machine, rates are lower and times are longer.
  func goal(on machine: MachineSpeed) -> Double? {
    let factor = isGoalMeasured ? 1 : machine.factor(of: bound)
    return goal.map { lowerIsBetter ? $0 / factor : $0 * factor }
  }

  func reachesGoal(on machine: MachineSpeed) -> Bool? { goal(on: machine).map { lowerIsBetter ? value <= $0 : value >= $0 } }
}

/// Seconds of the fastest of several runs, because other processes slow down the others.
func fastest(of runs: Int, _ body: () throws -> Void) rethrows -> Double {
  var best = Double.infinity
  for _ in 0..<runs {
    let start = ContinuousClock.now
    try body()
    best = min(best, Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1e9)
  }
  return best
}

/// Seconds of processor time of the fastest of several runs, for work that does not wait but may share the processor.
func fastestOnProcessor(of runs: Int, _ body: () throws -> Void) rethrows -> Double {
  func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  var best = Double.infinity
  for _ in 0..<runs {
    let start = seconds()
    try body()
    best = min(best, seconds() - start)
  }
  return best
}

/// Keeps an unused result from being optimised away.
@inline(never) func consume<Value>(_ value: Value) {}

/// The machine of this run.
var machine: String {
  var processor = "unknown processor"
  if let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8),
    let line = text.split(separator: "\n").first(where: { $0.hasPrefix("model name") })
  {
    processor = line.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? processor
  }
  let memory = ProcessInfo.processInfo.physicalMemory >> 30
  return
    "\(ProcessInfo.processInfo.activeProcessorCount) cores of \(processor), \(memory) GiB, \(ProcessInfo.processInfo.operatingSystemVersionString)"
}
