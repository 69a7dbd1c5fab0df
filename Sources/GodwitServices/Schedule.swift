/// Work that runs at an interval.
///
///     PeriodicTask.every(.seconds(15), "keep event streams alive") { feed.keepAlive() }
package struct PeriodicTask: Sendable {
  /// The action of the task, for messages about its failures.
  package let name: String
  /// The time between the starts of two runs.
  package let interval: Duration
  /// The time before the first run.
  package let delay: Duration
  fileprivate let work: @Sendable () async throws -> Void

  /// Creates a periodic task.
  /// - Parameters:
  ///   - interval: the time between the starts of two runs. A run that takes longer skips the runs that become due in the meantime.
  ///   - delay: the time before the first run; `nil`: one interval.
  ///   - name: the action of the task, for messages about its failures.
  ///   - work: one run.
  package static func every(
    _ interval: Duration, after delay: Duration? = nil, _ name: String, _ work: @escaping @Sendable () async throws -> Void
  ) -> PeriodicTask {
    PeriodicTask(name: name, interval: interval, delay: delay ?? interval, work: work)
  }
}

/// Runs periodic tasks independently: a task that fails or takes long does not delay others.
package struct Schedule: Service {
  package let tasks: [PeriodicTask]
  private let clock: ServerClock
  private let failed: @Sendable (String, any Error) -> Void

  /// - Parameters:
  ///   - tasks: the tasks.
  ///   - clock: determines when tasks are due.
  ///   - failed: called with the name of a task and the error of a run; for successive runs with the same error once an hour. The task
  ///     runs again when it is due.
  package init(_ tasks: [PeriodicTask], clock: ServerClock, failed: @escaping @Sendable (String, any Error) -> Void) {
    self.tasks = tasks
    self.clock = clock
    self.failed = failed
  }

  package func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in tasks { group.addTask { try await repeated(task) } }
      try await group.waitForAll()
    }
  }

  /// The time after which an error that continues is reported again.
  private static let repetition = Duration.seconds(3600)

  /// - Throws: only `CancellationError`.
  private func repeated(_ task: PeriodicTask) async throws {
    var due = clock.uptime + task.delay
    /// The error that was reported last, unless a run succeeded since.
    var reported: (text: String, time: Duration)?
    while true {
      try await clock.sleep(for: due - clock.uptime)
      do {
        try await task.work()
        reported = nil
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        let (text, now) = ("\(error)", clock.uptime)
        let isReported = reported.map { $0.text == text && now - $0.time < Self.repetition } ?? false
        if !isReported {
          reported = (text, now)
          failed(task.name, error)
        }
      }
      due += task.interval
      while due < clock.uptime { due += task.interval }
    }
  }
}
