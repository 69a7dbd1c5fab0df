package import GodwitModel

package import struct Foundation.Date

extension Fix {
  /// Maximum seconds by which a date may be ahead of the clock. The clock may be wrong by as much, or in another time zone.
  private static let maximumAhead = DayLength.seconds

  /// Whether this fix is the position of the device and `other` is an earlier one: this fix is newer, or only the date of `other`
  /// is far ahead of the clock.
  package func replaces(_ other: Fix, at now: Date) -> Bool { isLater(than: other, at: now, tolerance: Self.maximumAhead) }

  /// Maximum seconds by which the date of a fix may be ahead of the clock while both are right: the delays of a clock that
  /// synchronizes over the network.
  private static let tolerance = 60.0

  /// Whether this fix was determined after `other`: its date is later, or only the date of `other` is ahead of the clock. The
  /// clock was then set back, or the receiver had a wrong date.
  func follows(_ other: Fix, at now: Date) -> Bool { isLater(than: other, at: now, tolerance: Self.tolerance) }

  /// Whether the date is later than that of `other`, or only the date of `other` is ahead of the clock by more than a tolerance in seconds.
  private func isLater(than other: Fix, at now: Date, tolerance: Double) -> Bool {
    if time > other.time { return true }
    let limit = now.addingTimeInterval(tolerance)
    return other.time > limit && time <= limit
  }
}

/// The filter of fixes: the configured minimum distance and time, and validity.
struct Thinning: Sendable, Hashable, Codable {
  /// The newest recorded fix. Both filters compare with it, also within one delivery.
  var lastKept: Fix?
  /// The number of fixes without a valid position.
  private(set) var invalid = 0
  /// The number of fixes that were too near, too soon or too inaccurate.
  private(set) var thinned = 0

  init(lastKept: Fix? = nil) { self.lastKept = lastKept }

  /// Whether a fix has a valid position. Receivers without a position output 0,0; a negative accuracy marks an invalid position.
  static func isPlace(_ fix: Fix) -> Bool {
    !(fix.coordinate.latitude == 0 && fix.coordinate.longitude == 0) && (fix.horizontalAccuracy ?? 0) >= 0
  }

  /// Counts fixes that were invalid on arrival.
  mutating func countInvalid(_ count: Int) { invalid += count }

  /// Decides whether a fix is recorded. A recorded fix becomes the reference of the next comparison.
  mutating func decision(_ fix: Fix, _ settings: LocationSettings, at now: Date) -> CoverageEntry.Reason {
    guard Self.isPlace(fix) else {
      invalid += 1
      return .invalid
    }
    if let maximum = settings.maximumAccuracy, let accuracy = fix.horizontalAccuracy, accuracy > maximum {
      thinned += 1
      return .tooInaccurate
    }
    guard let last = lastKept else {
      lastKept = fix
      return .recorded
    }
    let seconds = fix.time.timeIntervalSince(last.time)
    // The fix is older than the last recorded one. It is late and is recorded without a comparison. It becomes the reference only
    // if the date of the last recorded fix is ahead of the clock.
    if seconds < 0 {
      if fix.follows(last, at: now) { lastKept = fix }
      return .recorded
    }
    // A duplicate of the same measurement: from two services, at a launch, or by mistake.
    if seconds == 0, fix.coordinate == last.coordinate {
      thinned += 1
      return .tooSoon
    }
    if let minimum = settings.minimumDistance, GreatCircle.distance(last.coordinate, fix.coordinate) < minimum {
      thinned += 1
      return .tooNear
    }
    // At 1 second, the minimum of the setting, every fix is kept: see `LocationSettings.minimumTime`.
    if settings.minimumTime > 1, seconds < settings.minimumTime {
      thinned += 1
      return .tooSoon
    }
    lastKept = fix
    return .recorded
  }
}
