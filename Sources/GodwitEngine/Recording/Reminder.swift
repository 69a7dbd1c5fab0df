internal import GodwitModel

internal import struct Foundation.Date

/// The notice that tracking has stopped. It is scheduled again at every update, so that it appears even if the program was killed.
struct Reminder: Sendable, Hashable, Codable {
  /// Seconds without updates after which the notice appears.
  static let interval = 600.0
  /// Minimum seconds between two postponements, because each postponement is a call of the system. The notice appears later by as
  /// much, and never too early.
  static let postponedEvery = 10.0

  private var scheduledAt: Date?

  /// - Parameters:
  ///   - isWanted: whether missing updates are a problem at present.
  ///   - isPushed: whether an update has just arrived.
  ///   - now: the time.
  mutating func update(isWanted: Bool, isPushed: Bool, at now: Date) -> [Effect] {
    guard isWanted else {
      guard scheduledAt != nil else { return [] }
      scheduledAt = nil
      return [.withdraw(.noPositions)]
    }
    if let scheduledAt {
      guard isPushed, now.timeIntervalSince(scheduledAt) >= Self.postponedEvery || now < scheduledAt else { return [] }
    }
    scheduledAt = now
    let notice = Notice(
      kind: .noPositions, title: "Tracking has stopped",
      body: "No position for ten minutes. Open the tracker for the reason.")
    return [.notify(notice, at: now.addingTimeInterval(Self.interval + Self.postponedEvery))]
  }
}
