internal import GodwitModel

internal import struct Foundation.Date

/// Where the device was last, and how fast it went.
struct DevicePlace: Sendable, Hashable, Codable {
  /// Metres of accuracy that a fix without one is thought to have.
  private static let assumedAccuracy: Meters = 20
  /// Metres per second that a device may have moved since the fix.
  static let fastest: MetersPerSecond = 50
  /// Seconds since a fix that is as good as one of now.
  private static let fresh = 10.0

  private(set) var lastFix: Fix?
  /// How fast it goes, by the last two fixes or by what the last one says.
  private(set) var speed: MetersPerSecond = 0
  /// As long as fixes are in here, nothing is to be decided.
  private var quiet: Circle?

  static func accuracy(_ fix: Fix) -> Meters { fix.horizontalAccuracy ?? assumedAccuracy }

  mutating func handle(_ fix: Fix) {
    speed = Self.speed(fix, after: lastFix)
    lastFix = fix
  }

  /// - Parameter last: the fix before, which counts when it is neither just now nor long ago.
  private static func speed(_ fix: Fix, after last: Fix?) -> MetersPerSecond {
    if let speed = fix.speed { return speed }
    guard let last, case let time = fix.time.timeIntervalSince(last.time), (5...600).contains(time) else { return 0 }
    return max(0, GreatCircle.distance(last.coordinate, fix.coordinate) - accuracy(last) - accuracy(fix)) / time
  }

  /// The last fix, if it is as good as one of now.
  func fresh(at now: Date) -> Fix? {
    lastFix.flatMap { now.timeIntervalSince($0.time) <= Self.fresh ? $0 : nil }
  }

  /// Whether the device cannot have come so far since the last fix as the system says.
  func contradicts(_ area: RegionArea, isInside: Bool, at now: Date) -> Bool {
    guard let fix = lastFix else { return false }
    let age = max(0, now.timeIntervalSince(fix.time))
    let edge = area.distanceToEdge(from: fix.coordinate)
    let reach = max(RegionStays.hysteresis, Self.accuracy(fix)) + age * Self.fastest
    return isInside ? edge > reach : edge < -reach
  }

  // MARK: Where nothing is to be decided

  /// Takes a fix that can change nothing. - Returns: whether it was one.
  mutating func skip(_ fix: Fix) -> Bool {
    guard let quiet, GreatCircle.distance(quiet.center, fix.coordinate) < quiet.radius else { return false }
    lastFix = fix
    return true
  }

  /// Every fix may decide something.
  mutating func endQuiet() { quiet = nil }

  /// The circle round the last fix in which no fix can change anything.
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
    // A centimetre for what sines lose.
    if radius > 0.01 { quiet = Circle(center: place, radius: radius - 0.01) }
  }
}
