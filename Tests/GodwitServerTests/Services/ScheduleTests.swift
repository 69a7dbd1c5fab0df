import Foundation
import GodwitServices
import Synchronization
import Testing

@Suite("Services and periodic work")
struct ScheduleTests {
  private struct Fault: Error {}
  private struct OtherFault: Error {}

  /// Counters by name.
  private final class Counts: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
    subscript(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
  }

  /// Runs a schedule in virtual time. `body` begins when all tasks sleep.
  private func with(
    _ tasks: [PeriodicTask], failed: @escaping @Sendable (String, any Error) -> Void = { _, _ in },
    _ body: (VirtualClock) async throws -> Void
  ) async throws {
    let clock = VirtualClock()
    let schedule = Schedule(tasks, clock: clock.clock, failed: failed)
    let running = Task { try await schedule.run() }
    await clock.sleepers(tasks.count)
    try await body(clock)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test(
    "a task runs after its delay and then at its interval",
    arguments: [
      (interval: 1, delay: nil, after: 0, runs: 0), (1, nil, 10, 10), (15, nil, 14, 0), (15, nil, 15, 1), (15, nil, 45, 3),
      (30, 0, 0, 1), (30, 0, 29, 1), (30, 0, 60, 3), (3600, 60, 59, 0), (3600, 60, 60, 1), (3600, 60, 3660, 2),
    ] as [(Int, Int?, Int, Int)])
  func times(_ interval: Int, _ delay: Int?, _ seconds: Int, _ runs: Int) async throws {
    let counts = Counts()
    let task = PeriodicTask.every(.seconds(interval), after: delay.map { .seconds($0) }, "task") { counts.add("task") }
    try await with([task]) { clock in
      await clock.advance(by: .seconds(seconds))
      #expect(counts["task"] == runs)
    }
  }

  @Test("a failure is reported with the name of its task, which runs again, and has no effect on other tasks")
  func failures() async throws {
    let (counts, reports) = (Counts(), Counts())
    let tasks: [PeriodicTask] = [
      .every(.seconds(1), "fails") {
        counts.add("fails")
        throw Fault()
      }, .every(.seconds(1), "works") { counts.add("works") },
    ]
    let report: @Sendable (String, any Error) -> Void = { name, error in if error is Fault { reports.add(name) } }
    try await with(tasks, failed: report) { clock in
      await clock.advance(by: .seconds(3))
      #expect(counts["fails"] == 3 && reports["fails"] == 1)
      #expect(counts["works"] == 3 && reports["works"] == 0)
    }
  }

  @Test("a failure that continues is reported once an hour, and a new one at once")
  func continuedFailure() async throws {
    let (counts, reports) = (Counts(), Counts())
    let task = PeriodicTask.every(.seconds(600), "fails") {
      counts.add("runs")
      switch counts["runs"] {
      case 10: return
      case 12...: throw OtherFault()
      default: throw Fault()
      }
    }
    let report: @Sendable (String, any Error) -> Void = { _, error in reports.add(error is Fault ? "first" : "other") }
    try await with([task], failed: report) { clock in
      // The runs 1 and 7 report, and after the success of run 10 run 11 does.
      for (runs, expected) in [(6, 1), (7, 2), (10, 2), (11, 3), (15, 3)] {
        await clock.advance(by: .seconds(600 * (runs - counts["runs"])))
        #expect(counts["runs"] == runs && reports["first"] == expected)
      }
      #expect(reports["other"] == 1)
    }
  }

  @Test("a run that takes longer than its interval skips the runs due in the meantime, and delays no other task")
  func slow() async throws {
    let counts = Counts()
    let clock = VirtualClock()
    let schedule = Schedule(
      [
        .every(.seconds(1), "slow") { [clock = clock.clock] in
          counts.add("slow")
          try await clock.sleep(for: .milliseconds(2500))
        }, .every(.seconds(1), "quick") { counts.add("quick") },
      ], clock: clock.clock, failed: { _, _ in })
    let running = Task { try await schedule.run() }
    await clock.sleepers(2)
    // The slow task begins at 1, 4, 7 and 10 s.
    await clock.advance(by: .seconds(10))
    #expect(counts["slow"] == 4)
    #expect(counts["quick"] == 10)
    running.cancel()
    _ = await running.result
  }

  @Test("the services of a group stop one after the other, in reverse order")
  func order() async throws {
    let events = Mutex<[String]>([])
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    func service(_ name: String) -> StartedService {
      StartedService(
        start: { beginning.yield() },
        stop: {
          events.withLock { $0.append("\(name) stops") }
          // Other services could stop here if the order were wrong.
          for _ in 0..<5 { await Task.yield() }
          events.withLock { $0.append("\(name) stopped") }
        })
    }
    let group = ServiceGroup([service("store"), service("sender"), service("connections")])
    let running = Task { try await group.run() }
    var count = 0
    for await _ in begun {
      count += 1
      if count == 3 { break }
    }
    running.cancel()
    try await running.value
    #expect(
      events.withLock { $0 } == [
        "connections stops", "connections stopped", "sender stops", "sender stopped", "store stops", "store stopped",
      ])
  }

  @Test("a service that fails ends the group, after the other services have stopped")
  func failure() async throws {
    let stopped = Counts()
    let group = ServiceGroup(
      [
        StartedService(stop: { stopped.add("first") }), StartedService(start: { throw Fault() }, stop: { stopped.add("second") }),
      ],
      background: [StartedService(stop: { stopped.add("background") })])
    await #expect(throws: Fault.self) { try await group.run() }
    #expect(stopped["first"] == 1 && stopped["second"] == 0 && stopped["background"] == 1)
  }
}
