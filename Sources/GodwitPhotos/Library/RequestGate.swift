/// Limits the concurrent requests to the photo server of each user, so that a slow server does not delay requests of other users.
actor RequestGate {
  private struct UserQueue {
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private var queues: [Int64?: UserQueue] = [:]
  private let concurrent: Int
  private let waiting: Int

  /// - Parameters:
  ///   - concurrent: the maximum number of concurrent requests for a user.
  ///   - waiting: the maximum number of waiting requests for a user.
  init(concurrent: Int, waiting: Int) {
    self.concurrent = concurrent
    self.waiting = waiting
  }

  /// Runs a request to the server of a user, after waiting if too many requests run.
  /// - Throws: ``PhotoServerError/busy`` if too many requests wait; the errors of the request.
  func run<Value: Sendable>(
    _ account: Int64?, _ request: @Sendable () async throws(PhotoServerError) -> Value
  ) async throws(PhotoServerError) -> Value {
    try await enter(account)
    defer { leave(account) }
    return try await request()
  }

  private func enter(_ account: Int64?) async throws(PhotoServerError) {
    if queues[account, default: UserQueue()].running < concurrent {
      queues[account, default: UserQueue()].running += 1
      return
    }
    guard queues[account, default: UserQueue()].waiting.count < waiting else { throw .busy }
    await withCheckedContinuation { queues[account, default: UserQueue()].waiting.append($0) }
  }

  private func leave(_ account: Int64?) {
    guard var queue = queues[account] else { return }
    if queue.waiting.isEmpty {
      queue.running -= 1
    } else {
      queue.waiting.removeFirst().resume()
    }
    queues[account] = queue.running == 0 ? nil : queue
  }
}
