internal import Foundation
internal import Synchronization

/// Where the program is called: on a dispatch queue, or in the run loop of a thread.
enum CallSite: Sendable {
  case queue(DispatchQueue)
  case thread(ThreadMailbox)

  /// As on Apple's systems the run loop of the calling thread; for the main thread, and for threads of queues and tasks, which
  /// run none, the main queue.
  static var current: CallSite {
    // Foundation marks only threads that it has started itself as executing.
    !Thread.isMainThread && Thread.current.isExecuting ? .thread(ThreadMailbox()) : .queue(.main)
  }

  func async(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .queue(let queue): queue.async(execute: body)
    case .thread(let mailbox): mailbox.async(body)
    }
  }
}

extension CallSite {
  /// Returns when what the program is doing there has been done, or after so many seconds.
  func turn(within seconds: Double) async {
    await withCheckedContinuation { continuation in
      let turn = Turn(continuation)
      async { turn.end() }
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { turn.end() }
    }
  }

  /// A continuation that the first of two calls resumes.
  private final class Turn: Sendable {
    private let continuation: Mutex<CheckedContinuation<Void, Never>?>

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

    func end() {
      let waiting = continuation.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      waiting?.resume()
    }
  }
}

/// Calls that wait for a thread's run loop, in their order. The calls of a thread that runs no loop are made on the main queue.
///
/// `@unchecked Sendable`: everything that changes is in the mutex; of the thread only whether it has finished is read, and timers may be
/// added to a run loop from every thread.
final class ThreadMailbox: @unchecked Sendable {
  private struct State {
    var calls: [@Sendable () -> Void] = []
    var isBusy = false
    var isWatched = false
    /// The thread has been seen to run its loop.
    var hasRun = false
  }

  /// Seconds after which calls are made elsewhere, if the thread has not begun to run its loop or has finished.
  private static let timeout = 0.5

  private let state = Mutex(State())
  private let thread = Thread.current
  private let loop = RunLoop.current
  /// A run loop without anything to wait for returns at once.
  private let reason = Timer(timeInterval: 1e9, repeats: true) { _ in }

  /// For the calling thread.
  init() { loop.add(reason, forMode: .common) }

  deinit { reason.invalidate() }

  func async(_ body: @escaping @Sendable () -> Void) {
    let isWatched = state.withLock { state in
      state.calls.append(body)
      defer { state.isWatched = true }
      return state.isWatched
    }
    if !isWatched { watch() }
    guard !thread.isFinished else { return DispatchQueue.main.async { self.makeCalls() } }
    let wake = Timer(timeInterval: 0, repeats: false) { [weak self] _ in
      self?.state.withLock { $0.hasRun = true }
      self?.makeCalls()
    }
    loop.add(wake, forMode: .common)
  }

  /// Makes waiting calls on the main queue where the loop of their thread does not run, for as long as any wait.
  private func watch() {
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.timeout) {
      if self.thread.isFinished || !self.state.withLock(\.hasRun) { self.makeCalls() }
      let goesOn = self.state.withLock { state in
        state.isWatched = !state.calls.isEmpty
        return state.isWatched
      }
      if goesOn { self.watch() }
    }
  }

  private func makeCalls() {
    let isFree = state.withLock { state in
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFree else { return }
    while let call = next() { call() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.calls.isEmpty else {
        state.isBusy = false
        return nil
      }
      return state.calls.removeFirst()
    }
  }
}
