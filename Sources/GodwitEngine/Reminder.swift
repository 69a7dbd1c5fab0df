internal import GodwitModel

internal import struct Foundation.Date

/// The notice that tracking has stopped: scheduled ahead at every update, so that it appears even if the program
/// is dead by then.
struct Reminder: Sendable, Hashable {
  /// Seconds of silence after which it appears.
  static let patience = 600.0
  /// Seconds between two postponements: each costs the system a call.
  static let postponedEvery = 60.0

  private var scheduledAt: Date?

  mutating func push(at now: Date) -> [Effect] {
    if let scheduledAt, now.timeIntervalSince(scheduledAt) < Self.postponedEvery, now >= scheduledAt { return [] }
    scheduledAt = now
    let notice = Notice(
      kind: .silence, title: "Tracking has stopped",
      body: "No position has come for ten minutes. Open the tracker to see why.")
    return [.notify(notice, at: now.addingTimeInterval(Self.patience))]
  }

  mutating func withdraw() -> [Effect] {
    guard scheduledAt != nil else { return [] }
    scheduledAt = nil
    return [.withdraw(.silence)]
  }
}
