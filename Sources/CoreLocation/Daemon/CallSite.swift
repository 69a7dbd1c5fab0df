internal import Foundation
internal import Synchronization

/// The place where a program is called: a dispatch queue, or the run loop of a thread.
enum CallSite: Sendable {
  case queue(DispatchQueue)
  case thread(ThreadMailbox)

  /// The run loop of the calling thread, as on Apple's systems. For the main thread, and for threads of queues and tasks, which
  /// run no loop, it is the main queue.
  static var current: CallSite {
    // `isExecuting` is true only for threads that were created with Foundation's `Thread`.
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
  /// Returns when the call site has finished its current work, or after a timeout in seconds.
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

/// The queue of calls for a thread's run loop. If the thread runs no loop, its calls are made on the main queue.
///
/// `@unchecked Sendable`: the mutable state is in the mutex. Only `isFinished` of the thread is read, and timers may be added
/// to a run loop from any thread.
final class ThreadMailbox: @unchecked Sendable {
  private struct State {
    var calls: [@Sendable () -> Void] = []
    var isBusy = false
    var isWatched = false
    /// Whether the thread has run its loop.
    var hasRun = false
  }

  /// Seconds after which calls are made on the main queue, if the thread has not begun to run its loop or has finished.
  private static let timeout = 0.5

  private let state = Mutex(State())
  private let thread = Thread.current
  private let loop = RunLoop.current
  /// A timer that never fires. Without a timer or another source the run loop would return at once.
  private let reason = Timer(timeInterval: 1e9, repeats: true) { _ in }

  /// Creates the queue of the calling thread.
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

  /// Checks periodically, as long as calls wait, whether the thread runs its loop. If it does not, the calls are made on the
  /// main queue.
  private func watch() {
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.timeout) {
      if self.thread.isFinished || !self.state.withLock(\.hasRun) { self.makeCalls() }
      let shouldContinue = self.state.withLock { state in
        state.isWatched = !state.calls.isEmpty
        return state.isWatched
      }
      if shouldContinue { self.watch() }
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
