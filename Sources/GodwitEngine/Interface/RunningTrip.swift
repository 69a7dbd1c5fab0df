public import GodwitModel

public import struct Foundation.Date

/// A running trip, as stored across relaunches and sent to servers.
public struct RunningTrip: Sendable, Hashable, Codable {
  /// The end of a trip whose steps are being counted.
  public struct Ending: Sendable, Hashable, Codable {
    public var time: Date
    public var isAutomatic: Bool
  }

  /// The start in whole seconds. It also identifies the trip.
  public var start: Date
  public var mode: TripMode
  /// The first fix that was accurate enough.
  public var startFix: Fix?
  /// The last fix that was accurate enough.
  public var lastFix: Fix?
  /// The distance in metres: the sum of the great-circle distances between fixes that were accurate enough.
  public var distance: Meters = 0
  /// Whether tracking was off before the trip, so that it is turned off after the trip.
  public var startedTracking: Bool
  public var ending: Ending?
  /// Whether the trip started automatically with a motion. Such a trip ends when the motion ends.
  public var beganByMotion: Bool {
    get { byMotion != nil }
    set { byMotion = newValue ? true : nil }
  }
  // Absent in trips that an earlier version stored.
  private var byMotion: Bool?
  /// The state at the end of the motion; `nil` while the motion is reported.
  public var rest: Rest?

  /// The state of a trip when its motion was last reported. It is restored if the motion does not return.
  public struct Rest: Sendable, Hashable, Codable {
    public var since: Date
    public var distance: Meters
    public var lastFix: Fix?
  }

  /// Maximum accuracy value, metres, of a fix that counts for the distance. Overland's figure.
  static let usableAccuracy: Meters = 200

  init(start: Date, mode: TripMode, startedTracking: Bool) {
    self.start = Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down))
    self.mode = mode
    self.startedTracking = startedTracking
  }

  /// The trip identifier in the records of the trip.
  public var id: String { RFC3339.string(start, .seconds) }

  /// Adds a recorded fix, unless it is too inaccurate or out of order.
  mutating func add(_ fix: Fix, at now: Date) {
    // A start after the present is from before the clock was set back.
    guard ending == nil, fix.time >= start || start > now, (fix.horizontalAccuracy ?? 0) <= Self.usableAccuracy else { return }
    if let last = lastFix {
      guard fix.time == last.time || fix.follows(last, at: now) else { return }
      distance += GreatCircle.distance(last.coordinate, fix.coordinate)
    } else {
      startFix = fix
    }
    lastFix = fix
  }

  /// Starts a rest, because the motion has ended.
  mutating func beginRest(at now: Date) { rest = Rest(since: max(now, start), distance: distance, lastFix: lastFix) }

  /// Restores the distance and the last fix from the start of the rest.
  mutating func cutBack(to rest: Rest) { (distance, lastFix) = (rest.distance, rest.lastFix) }

  /// Returns the finished trip.
  func finished(_ ending: Ending, steps: Int?) -> Trip {
    Trip(
      start: start, end: ending.time, mode: mode.rawValue, startFix: startFix, endFix: lastFix,
      duration: max(0, ending.time.timeIntervalSince(start)), distance: distance, steps: steps,
      stoppedAutomatically: ending.isAutomatic)
  }
}
