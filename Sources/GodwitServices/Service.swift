/// A long-lived part of a program.
package protocol Service: Sendable {
  /// The priority of its task; `nil`: that of the program.
  var priority: TaskPriority? { get }

  /// Runs until the task is cancelled, and then completes accepted work before it returns.
  /// - Throws: an error that ends the program.
  func run() async throws
}

extension Service {
  package var priority: TaskPriority? { nil }
}

/// A service that wraps a component with its own start and stop, such as a thread or a queue.
package struct StartedService: Service {
  private let start: @Sendable () throws -> Void
  private let stop: @Sendable () async -> Void

  /// - Parameters:
  ///   - start: starts the component.
  ///   - stop: stops it; called once, after the task was cancelled.
  package init(start: @escaping @Sendable () throws -> Void = {}, stop: @escaping @Sendable () async -> Void) {
    self.start = start
    self.stop = stop
  }

  package func run() async throws {
    try start()
    await untilCancelled()
    await stop()
  }
}

/// Suspends until the task is cancelled.
package func untilCancelled() async {
  let (nothing, source) = AsyncStream<Never>.makeStream()
  for await _ in nothing {}
  // Keeps the source alive: a stream ends when its source is released.
  withExtendedLifetime(source) {}
}
