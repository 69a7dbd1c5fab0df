package import Foundation
package import GodwitEngine

/// Writes notices as lines, for systems without a desktop.
package final class TerminalNotifier: Notifier {
  private let queue: NoticeQueue
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - now: the clock.
  ///   - sleep: suspends for a number of seconds, and throws when its task is cancelled.
  ///   - write: receives each line, without a line break.
  package init(
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
    write: @escaping @Sendable (String) -> Void
  ) {
    queue = NoticeQueue(now: now, sleep: sleep)
    self.write = write
  }

  package func show(_ notice: Notice, at time: Date?) { queue.show(notice, at: time) }
  package func withdraw(_ kind: Notice.Kind) { queue.withdraw(kind) }

  /// Writes each notice at its time until the task is cancelled. A written line cannot be removed. Call it once.
  package func run() async {
    await queue.run { step in
      if case .show(let notice) = step { write(notice.sentence) }
    }
  }
}
