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
    var clock: (@Sendable () -> Date)?

    /// What waited for a time that has come was seen then.
    mutating func advance(to time: Date) {
      let due = planned.values.filter { $0.time <= time }.sorted {
        ($0.time, $0.notice.kind.rawValue) < ($1.time, $1.notice.kind.rawValue)
      }
      for notice in due { planned[notice.notice.kind] = nil }
      shown += due
    }
  }

  private let state = Mutex(State())
  /// The true time: that of a notice is a time from now on, and does not change when the clock is set.
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) { self.now = now }

  /// The clock of a launched app, by which it says when.
  func follow(_ clock: @escaping @Sendable () -> Date) { state.withLock { $0.clock = clock } }

  func show(_ notice: Notice, at time: Date?) {
    let now = now()
    state.withLock { state in
      state.advance(to: now)
      let delay = time.map { max(0, $0.timeIntervalSince(state.clock?() ?? now)) } ?? 0
      state.planned[notice.kind] = ShownNotice(time: now.addingTimeInterval(delay), notice: notice)
      state.advance(to: now)
    }
  }

  func withdraw(_ kind: Notice.Kind) {
    let now = now()
    state.withLock { state in
      state.advance(to: now)
      state.planned[kind] = nil
    }
  }

  /// Everything that was seen until now.
  var shown: [ShownNotice] {
    let now = now()
    return state.withLock { state in
      state.advance(to: now)
      return state.shown
    }
  }
}
