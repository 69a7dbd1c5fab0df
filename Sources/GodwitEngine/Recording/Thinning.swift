internal import GodwitModel

internal import struct Foundation.Date

/// Which fixes are kept: the owner's minimum distance and time, and what no receiver can have meant.
struct Thinning: Sendable, Hashable, Codable {
  /// Newest fix that was kept; both filters compare with it, inside one delivery too.
  var lastKept: Fix?
  /// Fixes that were no places at all.
  private(set) var invalid = 0
  /// Fixes that were too near, too soon or too inaccurate.
  private(set) var thinned = 0

  init(lastKept: Fix? = nil) { self.lastKept = lastKept }

  /// 0,0 is what receivers without a position tell, and nobody walks there; a negative accuracy says that the place is
  /// none.
  static func isPlace(_ fix: Fix) -> Bool {
    !(fix.coordinate.latitude == 0 && fix.coordinate.longitude == 0) && (fix.horizontalAccuracy ?? 0) >= 0
  }

  /// Fixes that were no places already when they came.
  mutating func countInvalid(_ count: Int) { invalid += count }

  /// What becomes of a fix; one that is recorded is then the one to compare with.
  mutating func verdict(_ fix: Fix, _ settings: LocationSettings) -> LedgerEntry.Reason {
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
    // Older than what is kept already: it is late, not near, and nothing is compared with it.
    if seconds < 0 { return .recorded }
    // Told again: by two services at once, at a launch, or by mistake. It is one measurement all the same.
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
