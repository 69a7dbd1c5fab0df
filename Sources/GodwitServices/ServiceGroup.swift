/// Services that run together. When the task is cancelled or a service fails, all of them are stopped.
package struct ServiceGroup: Service {
  private let ordered: [any Service]
  private let background: [any Service]
  private let executor: (any TaskExecutor)?

  /// - Parameters:
  ///   - ordered: services that stop one after the other, in reverse order. Each may use the services before it.
  ///   - background: services that are cancelled first. The group waits for their end after all others.
  ///   - executor: runs the services; `nil`: Swift's shared pool.
  package init(_ ordered: [any Service], background: [any Service] = [], executor: (any TaskExecutor)? = nil) {
    self.ordered = ordered
    self.background = background
    self.executor = executor
  }

  /// Runs the services until the task is cancelled.
  /// - Throws: the error of the first service that failed, after all have ended.
  package func run() async throws {
    let (failures, source) = AsyncStream<any Error>.makeStream()
    func start(_ service: any Service) -> Task<Void, Never> {
      Task(executorPreference: executor, priority: service.priority) {
        do { try await service.run() } catch is CancellationError {
          // The service ended because it was cancelled.
        } catch {
          source.yield(error)
        }
      }
    }
    let tasks = ordered.map(start)
    let others = background.map(start)
    // Returns `nil` when the task is cancelled.
    let failure = await failures.first { _ in true }
    for task in others { task.cancel() }
    for task in tasks.reversed() {
      task.cancel()
      await task.value
    }
    for task in others { await task.value }
    if let failure { throw failure }
  }
}
