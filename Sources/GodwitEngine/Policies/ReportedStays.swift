internal import GodwitModel

internal import struct Foundation.Date

/// The stays that the records make: each is reported at its arrival and at its departure.
struct ReportedStays: Sendable, Hashable, Codable {
  private var finder = StayFinder()
  /// Whether the arrival of the stay that goes on has been reported.
  private var hasReportedArrival = false

  /// When the stay began that goes on.
  var arrival: Date? { finder.current?.arrival }

  /// The device rested when the program ended, and its arrival was reported then.
  mutating func resume(_ rest: Rest) {
    finder = StayFinder()
    _ = finder.add(rest.coordinate, at: rest.arrival)
    _ = finder.add(rest.coordinate, at: rest.seen)
    hasReportedArrival = true
  }

  /// What a record says of stays.
  mutating func add(_ fix: Fix) -> Visit? {
    let radius = finder.definition.radius
    if let stay = finder.add(fix.coordinate, at: fix.time) {
      // Between the last fix at the place and the first away from it: when the boundary was passed on the way.
      let distance = max(1, GreatCircle.distance(stay.coordinate, fix.coordinate))
      let share = min(1, radius / distance)
      let departure = stay.lastSeen.addingTimeInterval(fix.time.timeIntervalSince(stay.lastSeen) * share)
      hasReportedArrival = false
      return Visit(
        time: fix.time, coordinate: stay.coordinate, horizontalAccuracy: radius / 2, arrival: stay.arrival,
        departure: departure)
    }
    guard let stay = finder.current else {
      hasReportedArrival = false
      return nil
    }
    guard !hasReportedArrival else { return nil }
    hasReportedArrival = true
    return Visit(time: fix.time, coordinate: stay.coordinate, horizontalAccuracy: radius / 2, arrival: stay.arrival)
  }
}
