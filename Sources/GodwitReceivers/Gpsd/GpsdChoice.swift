internal import Foundation

/// Which of gpsd's receivers is listened to: the best one, but another one only when it has been better for a while, or
/// when the one before has nothing more to say. Pure; its times are those of the receivers.
struct GpsdChoice: Sendable {
  /// Seconds that another receiver must have been better, or the present one silent, before it changes.
  static let timeout = 5.0
  /// A slow receiver may be silent for three times its pace, and at most so many seconds.
  static let maximumGap = 30.0
  /// How much smaller an error must be to count as smaller: estimates of two equal receivers differ from second to second.
  static let margin = 0.8

  /// How good a position is.
  struct Quality: Sendable, Hashable {
    /// 2: without altitude, 3: with it.
    var mode: Int
    /// Metres; `nil`: not known.
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
  /// Since when others have been better.
  private var betterSince: [String: Date] = [:]
  /// When each had its last position.
  private var last: [String: Date] = [:]

  var device: String? { present?.device }

  /// - Returns: whether this position is to be reported.
  mutating func handle(_ device: String, _ quality: Quality, at time: Date) -> Bool {
    let next = Present(
      device: device, quality: quality, time: time, pace: last[device].map { time.timeIntervalSince($0) } ?? 1)
    last[device] = time
    guard let now = present, now.device != device else {
      present = next
      return true
    }
    if quality.isBetter(than: now.quality) {
      // A clock that was set back restarts.
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

  /// A receiver has no position, or is gone: the next one that has one is listened to.
  mutating func lose(_ device: String) {
    betterSince[device] = nil
    last[device] = nil
    guard present?.device == device else { return }
    present = nil
    betterSince = [:]
  }
}
