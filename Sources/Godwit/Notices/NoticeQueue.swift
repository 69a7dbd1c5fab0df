internal import Foundation
internal import GodwitEngine
internal import GodwitLocks

/// The queue of notices for a notifier. It may be used from any thread and never blocks.
final class NoticeQueue: Sendable {
  private let store = Mutex(NotificationStore())
  /// At most one signal is buffered: it means that steps may be due, not how many.
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  /// The end of the sleep for the next notice; `nil`: no task sleeps.
  private let alarm = Mutex<Date?>(nil)
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Double) async throws -> Void

  init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Double) async throws -> Void) {
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.now = now
    self.sleep = sleep
  }

  func show(_ notice: Notice, at time: Date?) {
    store.withLock { $0.want(notice, at: time) }
    wake.yield()
  }

  func withdraw(_ kind: Notice.Kind) {
    store.withLock { $0.withdraw(kind) }
    wake.yield()
  }

  /// Performs each step at its time until the task is cancelled. Call it once.
  func run(_ perform: (NotificationStore.Step) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      wake.yield()
      for await _ in wakes {
        let time = now()
        let (steps, next) = store.withLock { ($0.popDue(at: time), $0.next) }
        for step in steps { await perform(step) }
        // A sleep that is no longer needed only causes an extra check.
        guard let next, alarm.withLock({ $0.map { next < $0 } ?? true }) else { continue }
        alarm.withLock { $0 = next }
        group.addTask { [self] in
          guard (try? await sleep(max(0, next.timeIntervalSince(time)))) != nil else { return }
          // After a step of the clock the notice may not be due yet: the next check begins another sleep.
          alarm.withLock { if $0 == next { $0 = nil } }
          wake.yield()
        }
      }
      group.cancelAll()
    }
  }
}
