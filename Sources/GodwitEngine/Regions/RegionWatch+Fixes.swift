internal import GodwitModel

internal import struct Foundation.Date

/// What fixes decide: every geofence that they are in or leave, monitored or not.
extension RegionWatch {
  /// Metres that one has to be outside before it is an exit, where the fix is better than that.
  static let hysteresis: Meters = 20
  /// Metres by which a fix may be wrong and still be an entry into a small geofence; a large one takes one as bad as its radius.
  static let roughest: Meters = 100
  /// Metres of accuracy that a fix without one is thought to have.
  static let assumedAccuracy: Meters = 20
  /// Metres of movement after which a plan that was made too tight is made anew.
  static let step: Meters = 50

  static func accuracy(_ fix: Fix) -> Meters { fix.horizontalAccuracy ?? assumedAccuracy }

  mutating func take(_ fix: Fix, _ turn: inout Turn) {
    var fix = fix
    fix.time = min(fix.time, turn.time)
    speed = Self.speed(fix, after: lastFix)
    lastFix = fix
    if !left.isEmpty { left = left.filter { fix.time < $0.value && $0.value <= turn.time } }
    decide(fix, at: fix.time, &turn)
    noteRest(fix)
    if let wanted = wantedFix, fix.time >= wanted.since || turn.time < wanted.since {
      wantedFix = nil
      turn.plan = .forHere
    }
    if asksForPlan(fix, turn.catalogue) { turn.plan = .forHere }
  }

  /// - Parameter last: the fix before, which counts when it is neither just now nor long ago.
  private static func speed(_ fix: Fix, after last: Fix?) -> MetersPerSecond {
    if let speed = fix.speed { return speed }
    guard let last, case let time = fix.time.timeIntervalSince(last.time), (5...600).contains(time) else { return 0 }
    return max(0, GreatCircle.distance(last.coordinate, fix.coordinate) - accuracy(last) - accuracy(fix)) / time
  }

  private func asksForPlan(_ fix: Fix, _ catalogue: RegionCatalogue) -> Bool {
    guard let place = plan.place else { return true }
    let way = GreatCircle.distance(place, fix.coordinate)
    if plan.needs != nil, way > Self.step || Self.accuracy(fix) < plan.accuracy / 2 { return true }
    // The system watches the horizon; a rough fix beyond it proves nothing.
    return plan.horizon.map { way > $0.radius + Self.accuracy(fix) } ?? false
  }

  /// Exits first, then entries, each in the order of the ids.
  mutating func decide(_ fix: Fix, at time: Date, _ turn: inout Turn) {
    let catalogue = turn.catalogue
    let accuracy = Self.accuracy(fix)
    for id in stays.keys.sorted() {
      guard let number = catalogue.fenceNumber(id) else { continue }
      let edge = catalogue.areas[number].distanceToEdge(from: fix.coordinate)
      if edge > max(Self.hysteresis, accuracy) + Self.way(from: fix, to: stays[id]?.entered, turn) {
        leave(id, at: time, &turn)
      } else if edge <= 0 {
        asked[id] = nil
      }
    }
    for number in catalogue.fences(around: fix.coordinate) {
      let id = catalogue.fenceID(number)
      guard stays[id] == nil else { continue }
      let area = catalogue.areas[number]
      // Where the system says the contrary, its exit may just have been told, or the fix is from before it.
      let way = Self.way(from: fix, to: left[id], turn)
      let limit = seen[id] == false || way > 0 ? -max(Self.hysteresis, accuracy) - way : 0
      if area.distanceToEdge(from: fix.coordinate) <= limit, accuracy <= max(area.enclosing.radius, Self.roughest) {
        enter(catalogue.fence(number), at: time, &turn)
      }
    }
  }

  /// Metres that the device may have gone from a fix to a crossing that was told of a later time. What the system held back while
  /// the app could not run comes in no order: a fix from before a crossing does not undo it.
  private static func way(from fix: Fix, to crossing: Date?, _ turn: Turn) -> Meters {
    guard let crossing, crossing <= turn.time else { return 0 }
    return max(0, crossing.timeIntervalSince(fix.time)) * fastest
  }

  /// The circle round the last fix in which no fix can change anything.
  mutating func stayQuiet(_ turn: inout Turn) {
    quiet = nil
    guard let fix = lastFix, wantedFix == nil, plan.needs == nil else { return }
    let place = fix.coordinate
    var radius = 20_000_000.0
    if let horizon = plan.horizon { radius = horizon.radius - GreatCircle.distance(horizon.center, place) }
    let around = turn.catalogue.fences(around: place)
    let inside = stays.keys.compactMap(turn.catalogue.fenceNumber)
    for number in Set(around).union(inside) {
      let edge = turn.catalogue.areas[number].distanceToEdge(from: place)
      let id = turn.catalogue.fenceID(number)
      let limit = stays[id] != nil ? Self.hysteresis - edge : seen[id] == false ? edge + Self.hysteresis : edge
      radius = min(radius, limit)
    }
    if let next = turn.catalogue.index.nearest(around.count + 1, to: place).first(where: { $0.distance > 0 }) {
      radius = min(radius, next.distance)
    }
    // A centimetre for what sines lose.
    if radius > 0.01 { quiet = Circle(center: place, radius: radius - 0.01) }
  }
}
