internal import Foundation

/// Selects one of the receivers of gpsd: the best one. Another receiver is selected only if it has been better for some time, or
/// if the present one has no position any more. It is a pure value; the times are those of the receivers.
struct GpsdChoice: Sendable {
  /// Seconds for which another receiver must be better, or the present one silent, before the selection changes.
  static let timeout = 5.0
  /// Maximum seconds without a position of a slow receiver. Below that, it is three times the interval of its positions.
  static let maximumGap = 30.0
  /// An error counts as smaller only below this fraction of the other one. The estimates of two equal receivers vary from second
  /// to second.
  static let margin = 0.8

  /// The quality of a position.
  struct Quality: Sendable, Hashable {
    /// The mode of gpsd: 2 without altitude, 3 with altitude.
    var mode: Int
    /// The estimated error, metres; `nil`: unknown.
    var error: Double?

    func isBetter(than other: Quality) -> Bool {
      if mode != other.mode { return mode > other.mode }
      guard let error else { return false }
      return other.error.map { error < $0 * GpsdChoice.margin } ?? true
    }
  }

  private struct Present: Sendable {
    var device: String
    var quality: Quality
    var time: Date
    /// Seconds between its last two positions.
    var pace: Double

    var allowedGap: Double { min(GpsdChoice.maximumGap, max(GpsdChoice.timeout, 3 * pace)) }
  }

  private var present: Present?
  /// The time since when each other receiver has been better.
  private var betterSince: [String: Date] = [:]
  /// The time of the last position of each receiver.
  private var last: [String: Date] = [:]

  var device: String? { present?.device }

  /// Handles a position of a receiver. - Returns: whether the position is to be reported.
  mutating func handle(_ device: String, _ quality: Quality, at time: Date) -> Bool {
    let next = Present(
      device: device, quality: quality, time: time, pace: last[device].map { time.timeIntervalSince($0) } ?? 1)
    last[device] = time
    guard let now = present, now.device != device else {
      present = next
      return true
    }
    if quality.isBetter(than: now.quality) {
      // A clock that was set back restarts the time.
      betterSince[device] = min(betterSince[device] ?? time, time)
    } else {
      betterSince[device] = nil
    }
    let isBetter = betterSince[device].map { time.timeIntervalSince($0) >= Self.timeout } ?? false
    guard isBetter || time.timeIntervalSince(now.time) >= now.allowedGap else { return false }
    present = next
    betterSince = [:]
    return true
  }

  /// Handles a receiver without a position, or one that was unplugged. The next receiver with a position is selected.
  mutating func lose(_ device: String) {
    betterSince[device] = nil
    last[device] = nil
    guard present?.device == device else { return }
    present = nil
    betterSince = [:]
  }
}
