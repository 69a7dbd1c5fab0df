internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import Synchronization

/// The notices of a simulated phone: those that the user saw, and scheduled ones. A scheduled notice appears even if the app has
/// ended by then.
final class NoticeBoard: Notifier {
  private struct State {
    var shown: [ShownNotice] = []
    var planned: [Notice.Kind: ShownNotice] = [:]
    var clock: (@Sendable () -> Date)?

    /// Moves scheduled notices whose time has come to the shown ones.
    mutating func advance(to time: Date) {
      let due = planned.values.filter { $0.time <= time }.sorted {
        ($0.time, $0.notice.kind.rawValue) < ($1.time, $1.notice.kind.rawValue)
      }
      for notice in due { planned[notice.notice.kind] = nil }
      shown += due
    }
  }

  private let state = Mutex(State())
  /// Returns the true time. A notice is scheduled by its delay, which does not change when the phone's clock is set.
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) { self.now = now }

  /// Sets the clock of the launched app, which its notice times refer to.
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

  /// All notices that the user has seen.
  var shown: [ShownNotice] {
    let now = now()
    return state.withLock { state in
      state.advance(to: now)
      return state.shown
    }
  }
}
