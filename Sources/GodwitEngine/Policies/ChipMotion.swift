internal import GodwitModel

internal import struct Foundation.Date

/// The motion that the motion chip reports, and whether it is reliable.
struct ChipMotion: Sendable, Hashable, Codable {
  /// A speed in metres per second that the noise of a receiver does not reach.
  static let certainSpeed = 1.0
  /// Seconds for which a chip is doubted after it wrongly reported standing: the length of a ride.
  private static let doubtLasts = 3600.0

  /// Whether the motion chip exists and has reported a motion.
  private(set) var isThere = false
  private var motion: Motion = []
  /// The number of successive fast fixes while the chip reports standing.
  private var contradictions = 0
  /// The time until which a report of standing needs a confirmation.
  private var doubtedUntil = Date.distantPast
  /// The newest kind of motion other than standing.
  private var kind: Motion = []

  var isStill: Bool { motion.contains(.stationary) }
  var isMoving: Bool { !motion.isEmpty && !isStill }

  /// Maximum speed, metres per second, of the newest kind of motion.
  var topSpeed: MetersPerSecond {
    kind.contains(.driving) || kind.isEmpty ? 50 : kind.contains(.cycling) ? 15 : 5
  }

  /// Whether a fix is too fast for a device that stands still, although the chip reports standing.
  func isContradicted(by fix: Fix) -> Bool { isStill && (fix.speed ?? 0) > Self.certainSpeed }

  /// Whether the chip reports standing, and a fix contradicted such a report within the last hour.
  func isDoubted(at now: Date) -> Bool { isStill && now < doubtedUntil }

  /// Ends the doubt, because the date of the fix that contradicted the chip was wrong.
  mutating func endDoubt() { doubtedUntil = .distantPast }

  /// Handles a report of the chip. - Returns: whether the motion has changed. An unknown motion is not a change.
  mutating func handle(_ seen: Motion) -> Bool {
    isThere = true
    guard !seen.isEmpty, seen != motion else { return false }
    motion = seen
    return true
  }

  /// Returns the kind of motion if it has changed since the last call; otherwise `nil`.
  mutating func takeNewKind() -> Motion? {
    guard isMoving, motion != kind else { return nil }
    kind = motion
    return motion
  }

  /// Compares the report of the chip with a fix. If two successive fast fixes contradict a report of standing, the chip has
  /// failed or the ride is too smooth for it. Then the speed of fixes decides until the chip reports another motion.
  mutating func compare(with fix: Fix) {
    guard isContradicted(by: fix) else {
      contradictions = 0
      return
    }
    contradictions += 1
    doubtedUntil = fix.time.addingTimeInterval(Self.doubtLasts)
    guard contradictions > 1 else { return }
    (motion, isThere, contradictions) = ([], false, 0)
  }
}

/// Detects standing without a motion chip: no fix has been farther away than its accuracy for a minute.
struct Standstill: Sendable, Hashable, Codable {
  /// The fix at which the standing began.
  private var from: Fix?

  mutating func end() { from = nil }

  /// Handles a fix. - Returns: whether the device stands still, according to this fix and the earlier ones.
  mutating func handle(_ fix: Fix) -> Bool {
    let doubt = max(30, fix.horizontalAccuracy ?? 0)
    guard let from, (fix.speed ?? 0) < 1, GreatCircle.distance(from.coordinate, fix.coordinate) <= doubt else {
      self.from = fix
      return false
    }
    return fix.time.timeIntervalSince(from.time) >= 60
  }
}
