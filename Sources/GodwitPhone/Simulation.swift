internal import Foundation
public import GodwitModel
public import GodwitSimulator
internal import Synchronization

/// Policies tried out on ways: each day of each way is lived once with each of them, by a phone of its own.
///
/// What comes out depends on nothing but the values here: not on how many processors work on it, and not on their speed.
public struct Simulation: Sendable {
  /// One day of one way with one policy.
  public struct Run: Sendable {
    public var policy: Policy
    public var route: Route
    public var day: Route.Day
  }

  public var routes: [Route]
  public var policies: [Policy]
  public var phone: PhoneProfile = .usual
  public var system: SystemVersion = .usual
  public var seed: UInt64 = 1
  /// How the phones' motion chips err; `nil`: they are always right.
  public var motionChip: MotionChipModel?
  /// From the beginning of each day.
  public var hazards = HazardScript()
  /// What each run's phone sends to; one that keeps nothing by default.
  public var server: @Sendable (Run) -> any SimulatedServer = { _ in MemoryServer() }

  public init(routes: [Route], policies: [Policy]) {
    self.routes = routes
    self.policies = policies
  }

  /// What there is to do, in the order of the results.
  public var runs: [Run] {
    routes.flatMap { route in
      route.days.flatMap { day in policies.map { Run(policy: $0, route: route, day: day) } }
    }
  }

  /// Runs everything.
  /// - Parameters:
  ///   - processors: how many runs go on at once; `nil`: as many as the machine has processors.
  ///   - progress: how many have been done; called on different threads, one at a time.
  ///   - result: makes of the wanted result of a run; called on different threads, several at once.
  /// - Returns: the results in the order of ``runs``.
  public func run<Result: Sendable>(
    processors: Int? = nil, progress: @escaping @Sendable (_ done: Int) -> Void = { _ in },
    result: @escaping @Sendable (RunLog, Run) -> Result
  ) -> [Result] {
    let runs = runs
    return Self.parallel(runs.count, processors: processors, progress: progress) { result(live(runs[$0]), runs[$0]) }
  }

  /// The optimum of each day of each route, for each kind of waiting.
  /// - Parameters:
  ///   - waiting: what its program is between two measurements.
  ///   - processors: how many days are computed at once; `nil`: as many as the machine has processors.
  ///   - progress: how many have been done; called on different threads, one at a time.
  /// - Returns: the optima in the order of routes and days, one for each kind after the other.
  public func optima(
    _ waiting: [OptimumRules.Waiting], processors: Int? = nil,
    progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }
  ) -> [OptimumOfDay] {
    let days = routes.flatMap { route in route.days.flatMap { day in waiting.map { (route, day, $0) } } }
    return Self.parallel(days.count, processors: processors, progress: progress) { index in
      let (route, day, waiting) = days[index]
      var rules = OptimumRules()
      rules.waiting = waiting
      rules.seed = seed
      return OptimumOfDay(
        route: route.name, day: day.name, start: day.start, waiting: waiting,
        optimum: OfflineOptimum(route.truth, from: day.start, to: day.end, phone: phone, rules: rules))
    }
  }

  /// Computes so many results, several at once.
  private static func parallel<Result: Sendable>(
    _ count: Int, processors: Int?, progress: @escaping @Sendable (_ done: Int) -> Void,
    result: @escaping @Sendable (_ index: Int) -> Result
  ) -> [Result] {
    let state = Mutex((next: 0, done: 0, results: [Result?](repeating: nil, count: count)))
    let group = DispatchGroup()
    for _ in 0..<max(1, min(processors ?? ProcessInfo.processInfo.activeProcessorCount, count)) {
      group.enter()
      let thread = Thread {
        while let index = state.withLock({ state in
          guard state.next < count else { return Int?.none }
          defer { state.next += 1 }
          return state.next
        }) {
          let made = result(index)
          state.withLock { state in
            state.results[index] = made
            state.done += 1
            progress(state.done)
          }
        }
        group.leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.wait()
    return state.withLock { $0.results.compactMap(\.self) }
  }

  /// Simulates one day.
  public func live(_ run: Run) -> RunLog {
    var configuration = SimulatedPhone.Configuration(truth: run.route.truth)
    configuration.phone = phone
    configuration.system = system
    configuration.seed = seed
    configuration.hazards = hazards
    configuration.motionChip = motionChip
    configuration.start = run.day.start
    let phone = SimulatedPhone(configuration, tracker: TrackerApp(settings: run.policy.settings), server: server(run))
    phone.run(until: run.day.end)
    let log = phone.finishLog(policy: run.policy.name, route: run.route.name, day: run.day.name)
    phone.end()
    return log
  }
}
