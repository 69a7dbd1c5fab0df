internal import struct Foundation.Date

/// Detects a system that does not suspend the program at rest.
struct SuspensionObserver: Sendable, Hashable, Codable {
  /// Minutes that the program runs at rest until it is clear that nothing puts it to sleep.
  private static let maximumMinutes = 3

  /// Minutes in a row, at rest, in which the program ran all the same, and the last of them.
  private var minutes = 0
  private var lastMinute: Date?

  var isCertain: Bool { minutes >= Self.maximumMinutes }

  /// A minute has passed in which the program ran.
  mutating func addMinute(isResting: Bool, at now: Date) {
    let passed = lastMinute.map { now.timeIntervalSince($0) } ?? 0
    lastMinute = now
    guard isResting, !isCertain else { return }
    minutes = passed > 0 && passed < 90 ? minutes + 1 : 0
  }
}
