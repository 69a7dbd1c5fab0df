public import GodwitModel

public import struct Foundation.Date

/// A trip that is going on, as it is kept over a relaunch and told to servers.
public struct RunningTrip: Sendable, Hashable, Codable {
  /// The end of a trip whose steps are still being counted.
  public struct Ending: Sendable, Hashable, Codable {
    public var time: Date
    public var isAutomatic: Bool
  }

  /// Whole seconds: it is the trip's name as well.
  public var start: Date
  public var mode: TripMode
  /// The first fix that was good enough.
  public var startFix: Fix?
  /// The last one.
  public var lastFix: Fix?
  /// Metres: sum of the great-circle steps between fixes that were good enough.
  public var distance: Meters = 0
  /// Tracking was off before, and is to be off again.
  public var startedTracking: Bool
  public var ending: Ending?
  /// It began by itself, because the motion chip saw its motion, and ends so.
  public var beganByMotion: Bool {
    get { byMotion != nil }
    set { byMotion = newValue ? true : nil }
  }
  // Absent in trips that were written down before there was such a thing.
  private var byMotion: Bool?
  /// Its motion is not seen any more.
  public var rest: Rest?

  /// Where a trip stood when its motion was last seen: what it is cut back to if that does not come again.
  public struct Rest: Sendable, Hashable, Codable {
    public var since: Date
    public var distance: Meters
    public var lastFix: Fix?
  }

  /// Fixes with a larger radius of uncertainty, metres, say nothing of a distance. Overland's figure.
  static let usableAccuracy: Meters = 200

  init(start: Date, mode: TripMode, startedTracking: Bool) {
    self.start = Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down))
    self.mode = mode
    self.startedTracking = startedTracking
  }

  /// What its records are marked with.
  public var id: String { RFC3339.string(start, .seconds) }

  /// A kept fix. - Returns: whether it belongs to the trip.
  mutating func add(_ fix: Fix) {
    guard ending == nil, fix.time >= start, (fix.horizontalAccuracy ?? 0) <= Self.usableAccuracy else { return }
    if let last = lastFix {
      guard fix.time >= last.time else { return }
      distance += GreatCircle.distance(last.coordinate, fix.coordinate)
    } else {
      startFix = fix
    }
    lastFix = fix
  }

  /// Its motion is not seen any more.
  mutating func beginRest(at now: Date) { rest = Rest(since: max(now, start), distance: distance, lastFix: lastFix) }

  /// What came in the rest does not count.
  mutating func cutBack(to rest: Rest) { (distance, lastFix) = (rest.distance, rest.lastFix) }

  /// The finished trip.
  func finished(_ ending: Ending, steps: Int?) -> Trip {
    Trip(
      start: start, end: ending.time, mode: mode.rawValue, startFix: startFix, endFix: lastFix,
      duration: max(0, ending.time.timeIntervalSince(start)), distance: distance, steps: steps,
      stoppedAutomatically: ending.isAutomatic)
  }
}
