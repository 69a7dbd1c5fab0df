internal import Foundation
public import GodwitModel
public import GodwitSimulator
internal import Synchronization

/// A simulation of policies on routes. Each day of each route is simulated once with each policy, on a separate phone.
///
/// The results depend only on the properties of this type, and not on the number or the speed of the processors.
public struct Simulation: Sendable {
  /// One day of one route with one policy.
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
  /// The error model of the phones' motion chips; `nil`: the chips have no errors.
  public var motionChip: MotionChipModel?
  /// The hazards of each day. Their times are relative to the beginning of the day.
  public var hazards = HazardScript()
  /// Returns the server of a run. The default server stores no records.
  public var server: @Sendable (Run) -> any SimulatedServer = { _ in MemoryServer() }

  public init(routes: [Route], policies: [Policy]) {
    self.routes = routes
    self.policies = policies
  }

  /// All runs, in the order of the results.
  public var runs: [Run] {
    routes.flatMap { route in
      route.days.flatMap { day in policies.map { Run(policy: $0, route: route, day: day) } }
    }
  }

  /// Performs all runs.
  /// - Parameters:
  ///   - processors: the number of concurrent runs; `nil`: the number of the machine's processors.
  ///   - progress: receives the number of finished runs; called on different threads, one call at a time.
  ///   - result: computes the result of a run from its log; called on different threads concurrently.
  /// - Returns: the results in the order of ``runs``.
  public func run<Result: Sendable>(
    processors: Int? = nil, progress: @escaping @Sendable (_ done: Int) -> Void = { _ in },
    result: @escaping @Sendable (RunLog, Run) -> Result
  ) -> [Result] {
    let runs = runs
    return Self.parallel(runs.count, processors: processors, progress: progress) { result(live(runs[$0]), runs[$0]) }
  }

  /// Computes the optimum of each day of each route, for each kind of waiting.
  /// - Parameters:
  ///   - waiting: the states of the program between two measurements.
  ///   - processors: the number of concurrent computations; `nil`: the number of the machine's processors.
  ///   - progress: receives the number of finished computations; called on different threads, one call at a time.
  /// - Returns: the optima by route, then by day, then by kind of waiting.
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

  /// Computes a number of results concurrently.
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
