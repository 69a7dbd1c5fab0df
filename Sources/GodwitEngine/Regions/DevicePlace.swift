internal import GodwitModel

internal import struct Foundation.Date

/// The last position of the device, and its speed.
struct DevicePlace: Sendable, Hashable, Codable {
  /// The accuracy, metres, that is assumed for a fix without one.
  private static let assumedAccuracy: Meters = 20
  /// The maximum speed, metres per second, that is assumed for the time since a fix.
  static let fastest: MetersPerSecond = 50
  /// Maximum age, seconds, of a fix that counts as a fix of the present.
  private static let fresh = 10.0

  private(set) var lastFix: Fix?
  /// The speed: the one of the last fix, or computed from the last two fixes.
  private(set) var speed: MetersPerSecond = 0
  /// A circle in which no fix can change a decision; `nil`: each fix is evaluated.
  private var quiet: Circle?

  static func accuracy(_ fix: Fix) -> Meters { fix.horizontalAccuracy ?? assumedAccuracy }

  mutating func handle(_ fix: Fix) {
    speed = Self.speed(fix, after: lastFix)
    lastFix = fix
  }

  /// - Parameter last: the previous fix. It is used only if it is 5 to 600 s older.
  private static func speed(_ fix: Fix, after last: Fix?) -> MetersPerSecond {
    if let speed = fix.speed { return speed }
    guard let last, case let time = fix.time.timeIntervalSince(last.time), (5...600).contains(time) else { return 0 }
    return max(0, GreatCircle.distance(last.coordinate, fix.coordinate) - accuracy(last) - accuracy(fix)) / time
  }

  /// Returns the last fix if it is young enough to count as a fix of the present. The age of a fix from before the clock was set
  /// back is unknown.
  func fresh(at now: Date) -> Fix? {
    lastFix.flatMap { abs(now.timeIntervalSince($0.time)) <= Self.fresh ? $0 : nil }
  }

  /// Whether the device cannot have moved since the last fix as far as the report of the system implies.
  func contradicts(_ area: RegionArea, isInside: Bool, at now: Date) -> Bool {
    guard let fix = lastFix, now.timeIntervalSince(fix.time) >= -Self.fresh else { return false }
    let age = max(0, now.timeIntervalSince(fix.time))
    let edge = area.distanceToEdge(from: fix.coordinate)
    let reach = max(RegionStays.hysteresis, Self.accuracy(fix)) + age * Self.fastest
    return isInside ? edge > reach : edge < -reach
  }

  // MARK: The circle without decisions

  /// Stores a fix that can change no decision. - Returns: whether it was such a fix.
  mutating func skip(_ fix: Fix) -> Bool {
    guard let quiet, GreatCircle.distance(quiet.center, fix.coordinate) < quiet.radius else { return false }
    lastFix = fix
    return true
  }

  /// Ends the use of the circle: every fix is evaluated.
  mutating func endQuiet() { quiet = nil }

  /// Computes the circle around the last fix in which no fix can change a decision.
  mutating func stayQuiet(_ horizon: Circle?, _ stays: RegionStays, _ sightings: GeofenceSightings, _ catalogue: RegionCatalogue)
  {
    quiet = nil
    guard let place = lastFix?.coordinate else { return }
    var radius = 20_000_000.0
    if let horizon { radius = horizon.radius - GreatCircle.distance(horizon.center, place) }
    let around = catalogue.geofences(around: place)
    for number in Set(around).union(stays.geofences(in: catalogue)) {
      let edge = catalogue.areas[number].distanceToEdge(from: place)
      let id = catalogue.geofenceID(number)
      let hysteresis = RegionStays.hysteresis
      let limit = stays.contains(id) ? hysteresis - edge : sightings.isOutside(id) ? edge + hysteresis : edge
      radius = min(radius, limit)
    }
    if let next = catalogue.index.nearest(around.count + 1, to: place).first(where: { $0.distance > 0 }) {
      radius = min(radius, next.distance)
    }
    // A centimetre for the rounding errors of the trigonometric functions.
    if radius > 0.01 { quiet = Circle(center: place, radius: radius - 0.01) }
  }
}
