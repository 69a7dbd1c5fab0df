internal import GodwitModel

internal import struct Foundation.Date

/// What the motion chip says, as far as it can be believed.
struct ChipMotion: Sendable, Hashable, Codable {
  /// Metres a second that no noise of a receiver comes to.
  static let certainSpeed = 1.0
  /// Seconds for which a chip whose word for standing was wrong once is doubted: the length of a ride.
  private static let doubtLasts = 3600.0

  /// The chip that reports it has reported something.
  private(set) var isThere = false
  private var motion: Motion = []
  /// Fast fixes in a row while the chip says standing.
  private var contradictions = 0
  /// Until when its word for standing needs a confirmation.
  private var doubtedUntil = Date.distantPast
  /// The newest kind of motion on the way.
  private var kind: Motion = []

  var isStill: Bool { motion.contains(.stationary) }
  var isMoving: Bool { !motion.isEmpty && !isStill }

  /// Metres per second that the newest kind of motion comes to at most.
  var topSpeed: MetersPerSecond {
    kind.contains(.driving) || kind.isEmpty ? 50 : kind.contains(.cycling) ? 15 : 5
  }

  /// Whether a fix is too fast for the standing that the chip says.
  func isContradicted(by fix: Fix) -> Bool { isStill && (fix.speed ?? 0) > Self.certainSpeed }

  /// Whether it says standing, and a fix has contradicted that word within the last hour.
  func isDoubted(at now: Date) -> Bool { isStill && now < doubtedUntil }

  /// It says something. - Returns: whether that is news: nothing that it knows is none.
  mutating func handle(_ seen: Motion) -> Bool {
    isThere = true
    guard !seen.isEmpty, seen != motion else { return false }
    motion = seen
    return true
  }

  /// Another kind of motion than before, the first time that it is asked for.
  mutating func takeNewKind() -> Motion? {
    guard isMoving, motion != kind else { return nil }
    kind = motion
    return motion
  }

  /// A chip that says standing to two fast fixes in a row has fallen silent, or does not feel what it rides in: speed decides
  /// until it says something new.
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

/// Without a chip: it stands when no fix has been further away than its doubt for a minute.
struct Standstill: Sendable, Hashable, Codable {
  /// Since when nothing has moved.
  private var from: Fix?

  mutating func end() { from = nil }

  /// - Returns: whether it stands, by this fix and those before.
  mutating func handle(_ fix: Fix) -> Bool {
    let doubt = max(30, fix.horizontalAccuracy ?? 0)
    guard let from, (fix.speed ?? 0) < 1, GreatCircle.distance(from.coordinate, fix.coordinate) <= doubt else {
      self.from = fix
      return false
    }
    return fix.time.timeIntervalSince(from.time) >= 60
  }
}
