internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import Synchronization

/// The notices of a simulated phone: those that a person saw, and those that wait for their time, which come even if the
/// program has ended by then.
final class NoticeBoard: Notifier {
  private struct State {
    var shown: [ShownNotice] = []
    var planned: [Notice.Kind: ShownNotice] = [:]
    var now: (@Sendable () -> Date)?

    /// What waited for a time that has come was seen then.
    mutating func pass(to time: Date) {
      let due = planned.values.filter { $0.time <= time }.sorted {
        ($0.time, $0.notice.kind.rawValue) < ($1.time, $1.notice.kind.rawValue)
      }
      for notice in due { planned[notice.notice.kind] = nil }
      shown += due
    }
  }

  private let state = Mutex(State())

  /// Follows the clock of a launched app.
  func follow(_ now: @escaping @Sendable () -> Date) { state.withLock { $0.now = now } }

  func show(_ notice: Notice, at time: Date?) {
    state.withLock { state in
      guard let now = state.now?() else { return }
      state.pass(to: now)
      state.planned[notice.kind] = ShownNotice(time: time ?? now, notice: notice)
      state.pass(to: now)
    }
  }

  func withdraw(_ kind: Notice.Kind) {
    state.withLock { state in
      guard let now = state.now?() else { return }
      state.pass(to: now)
      state.planned[kind] = nil
    }
  }

  /// Everything that was seen until a time.
  func shown(until time: Date) -> [ShownNotice] {
    state.withLock { state in
      state.pass(to: time)
      return state.shown
    }
  }
}
