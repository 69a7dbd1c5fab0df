internal import struct Foundation.Date

/// Detects a system that does not suspend the program at rest.
struct SuspensionObserver: Sendable, Hashable, Codable {
  /// Successive minutes in which the program runs at rest, after which it is certain that the system does not suspend it.
  private static let maximumMinutes = 3

  /// The number of successive minutes at rest in which the program ran, and the time of the last minute.
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
