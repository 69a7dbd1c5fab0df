internal import Foundation
internal import GodwitEngine

/// The timers of the engine. Each posts its event when it is due.
struct Timers {
  private let environment: TrackerEnvironment
  private let mailbox: Mailbox
  private var running: [TimerID: Task<Void, Never>] = [:]

  init(_ environment: TrackerEnvironment, _ mailbox: Mailbox) {
    self.environment = environment
    self.mailbox = mailbox
  }

  /// Sets a timer. It replaces a timer with the same identifier.
  mutating func set(_ id: TimerID, _ time: Date) {
    running[id]?.cancel()
    running[id] = environment.task { [mailbox, environment] in
      // The clock may have advanced since the timer was set. A cancelled timer has no effect.
      guard (try? await environment.sleep(until: time)) != nil else { return }
      mailbox.post(.timerFired(id))
    }
  }

  mutating func cancel(_ id: TimerID) { running.removeValue(forKey: id)?.cancel() }

  func cancelAll() { for timer in running.values { timer.cancel() } }
}
