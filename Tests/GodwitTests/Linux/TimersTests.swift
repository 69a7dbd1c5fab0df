#if os(Linux)
  import Foundation
  import GodwitEngine
  import GodwitHTTPClient
  import Synchronization
  import Testing

  @testable import Godwit

  @Suite("The timers of a tracker")
  struct TimersTests {
    /// Holds the tasks until the test runs them.
    private final class HeldTasks: TaskExecutor {
      private let jobs = Mutex<[UnownedJob]>([])

      func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
      }

      /// Runs the tasks, also those that these enqueue.
      func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
          job.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
    }

    @Test("a timer that is due before its task begins is fired at once", arguments: [(60.0, true), (100, true), (101, false)])
    func late(seconds: Double, isDue: Bool) {
      let (clock, tasks, mailbox) = (ReplayClock(start), HeldTasks(), Mailbox())
      var environment = TrackerEnvironment(
        now: { clock.now }, sleep: { try await clock.sleep($0) }, random: { 0.5 },
        client: HTTPClient { _ in throw HTTPError("no network here") })
      environment.executor = tasks
      var timers = Timers(environment, mailbox)
      timers.set(.policy, start.addingTimeInterval(seconds))
      clock.advance(to: start.addingTimeInterval(100))
      tasks.run()
      #expect(mailbox.take().count == (isDue ? 1 : 0))
      clock.advance(to: start.addingTimeInterval(101))
      tasks.run()
      #expect(mailbox.take().count == (isDue ? 0 : 1))
    }
  }
#endif
