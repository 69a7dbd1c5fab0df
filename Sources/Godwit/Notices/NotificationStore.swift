internal import Foundation
internal import GodwitEngine

/// What is to be shown and when: at most one notice of each kind, the last one that was wanted.
struct NotificationStore: Sendable, Hashable {
  enum Step: Sendable, Hashable {
    case show(Notice)
    /// Takes back what is shown.
    case close(Notice.Kind)
  }

  private var steps: [Notice.Kind: Step] = [:]
  private var later: [Notice.Kind: Later] = [:]

  private struct Later: Hashable {
    var notice: Notice
    var time: Date
  }

  mutating func want(_ notice: Notice, at time: Date?) {
    if let time {
      later[notice.kind] = Later(notice: notice, time: time)
      // What is shown has been overtaken.
      steps[notice.kind] = .close(notice.kind)
    } else {
      later[notice.kind] = nil
      steps[notice.kind] = .show(notice)
    }
  }

  mutating func withdraw(_ kind: Notice.Kind) {
    later[kind] = nil
    steps[kind] = .close(kind)
  }

  /// Takes what is to be done now.
  mutating func take(at now: Date) -> [Step] {
    for (kind, waiting) in later where waiting.time <= now {
      later[kind] = nil
      steps[kind] = .show(waiting.notice)
    }
    defer { steps = [:] }
    return Notice.Kind.allCases.compactMap { steps[$0] }
  }

  /// When there is something to do next.
  var next: Date? { later.values.map(\.time).min() }
}
