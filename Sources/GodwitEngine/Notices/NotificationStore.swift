package import struct Foundation.Date

/// The pending notices: at most one of each kind, the last one posted.
package struct NotificationStore: Sendable, Hashable {
  package enum Step: Sendable, Hashable {
    case show(Notice)
    /// Remove a displayed notice.
    case close(Notice.Kind)
  }

  private var steps: [Notice.Kind: Step] = [:]
  private var later: [Notice.Kind: Later] = [:]

  private struct Later: Hashable {
    var notice: Notice
    var time: Date
  }

  package init() {}

  package mutating func want(_ notice: Notice, at time: Date?) {
    if let time {
      later[notice.kind] = Later(notice: notice, time: time)
      // The displayed notice is outdated.
      steps[notice.kind] = .close(notice.kind)
    } else {
      later[notice.kind] = nil
      steps[notice.kind] = .show(notice)
    }
  }

  package mutating func withdraw(_ kind: Notice.Kind) {
    later[kind] = nil
    steps[kind] = .close(kind)
  }

  /// Removes and returns the steps that are due.
  package mutating func popDue(at now: Date) -> [Step] {
    for (kind, waiting) in later where waiting.time <= now {
      later[kind] = nil
      steps[kind] = .show(waiting.notice)
    }
    defer { steps = [:] }
    return Notice.Kind.allCases.compactMap { steps[$0] }
  }

  /// The time of the next scheduled notice; `nil`: there is none.
  package var next: Date? { later.values.map(\.time).min() }
}
