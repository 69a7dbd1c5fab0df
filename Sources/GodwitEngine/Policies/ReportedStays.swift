internal import GodwitModel

internal import struct Foundation.Date

/// The stays that result from the records. Each is reported at its arrival and at its departure.
struct ReportedStays: Sendable, Hashable, Codable {
  private var finder = StayFinder()
  /// Whether the arrival of the current stay has been reported.
  private var hasReportedArrival = false

  /// The start of the current stay; `nil`: there is none.
  var arrival: Date? { finder.current?.arrival }

  /// Resumes a rest from before a launch. Its arrival has been reported already.
  mutating func resume(_ rest: Rest) {
    finder = StayFinder()
    _ = finder.add(rest.coordinate, at: rest.arrival)
    _ = finder.add(rest.coordinate, at: rest.seen)
    hasReportedArrival = true
  }

  /// Adds a recorded fix. - Returns: the arrival or departure that follows from it; `nil`: there is none.
  mutating func add(_ fix: Fix) -> Visit? {
    let radius = finder.definition.radius
    if let stay = finder.add(fix.coordinate, at: fix.time) {
      // The departure is between the last fix at the place and the first fix away from it: the time at which the boundary was passed.
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
