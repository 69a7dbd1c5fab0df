internal import GodwitModel

internal import struct Foundation.Date

/// The notice that tracking has stopped: scheduled ahead at every update, so that it appears even if the program was
/// killed.
struct Reminder: Sendable, Hashable, Codable {
  /// Seconds without updates after which it appears.
  static let interval = 600.0
  /// Seconds between two postponements: each costs the system a call. It appears later by as much, and never early.
  static let postponedEvery = 10.0

  private var scheduledAt: Date?

  /// - Parameters:
  ///   - isWanted: missing updates are a problem at present.
  ///   - isPushed: an update has just arrived.
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
