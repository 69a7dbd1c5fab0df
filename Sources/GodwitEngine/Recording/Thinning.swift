package import GodwitModel

package import struct Foundation.Date

extension Fix {
  /// Seconds by which a date may be ahead of the clock: the clock may be that wrong, or in another time zone.
  private static let maximumAhead = DayLength.seconds

  /// Whether this is the device's position rather than an earlier one: it is newer, or that one's date is far ahead of the clock
  /// and this one's is not.
  package func replaces(_ other: Fix, at now: Date) -> Bool {
    if time > other.time { return true }
    let limit = now.addingTimeInterval(Self.maximumAhead)
    return other.time > limit && time <= limit
  }
}

/// The filter of fixes: the configured minimum distance and time, and validity.
struct Thinning: Sendable, Hashable, Codable {
  /// Newest recorded fix; both filters compare with it, also within one delivery.
  var lastKept: Fix?
  /// Fixes without a valid position.
  private(set) var invalid = 0
  /// Fixes that were too near, too soon or too inaccurate.
  private(set) var thinned = 0

  init(lastKept: Fix? = nil) { self.lastKept = lastKept }

  /// 0,0 is the output of receivers without a position; a negative accuracy marks an invalid position.
  static func isPlace(_ fix: Fix) -> Bool {
    !(fix.coordinate.latitude == 0 && fix.coordinate.longitude == 0) && (fix.horizontalAccuracy ?? 0) >= 0
  }

  /// Counts fixes that were invalid on arrival.
  mutating func countInvalid(_ count: Int) { invalid += count }

  /// Decides about a fix; a recorded one becomes the reference of the next comparison.
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
    // Older than the last recorded fix: it is late, not near, and is not compared; unless that one's date is wrong.
    if seconds < 0 {
      if fix.replaces(last, at: now) { lastKept = fix }
      return .recorded
    }
    // A duplicate: from two services, at a launch, or by mistake. It is one measurement.
    if seconds == 0, fix.coordinate == last.coordinate {
      thinned += 1
      return .tooSoon
    }
    if let minimum = settings.minimumDistance, GreatCircle.distance(last.coordinate, fix.coordinate) < minimum {
      thinned += 1
      return .tooNear
    }
    // At 1 second, the least that can be set, every fix is kept: see `LocationSettings.minimumTime`.
    if settings.minimumTime > 1, seconds < settings.minimumTime {
      thinned += 1
      return .tooSoon
    }
    lastKept = fix
    return .recorded
  }
}
