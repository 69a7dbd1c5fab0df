internal import Foundation
internal import GodwitModel

/// Rule 4: detects visits in the stream of positions. There is one detector for the whole system.
struct Visits: Sendable {
  /// The radius of a place in metres. The distance of a departure is ``departureDistance``.
  static let extent: Meters = 100
  static let departureDistance: Meters = 150

  private struct Stay: Sendable {
    var center: Coordinate
    var accuracy: Meters
    var arrival: Date
    /// Whether the arrival was reported. If visits were requested later, the arrival time of the visit is unknown.
    var isReported: Bool
  }

  /// A departure, with the time of its report by the clock of the positions and by the clock of the machine.
  private struct Departure: Sendable {
    var visit: Visit
    var tellAt: Date
    var machine: Date
  }

  private var anchor: Fix?
  private var stay: Stay?
  /// A departure whose report is delayed; `nil`: none.
  private var departed: Departure?

  /// Processes a position, and returns the arrivals and departures to report.
  /// - Parameters:
  ///   - fix: the position.
  ///   - now: the time of the machine's clock.
  ///   - isWatched: whether visits are reported.
  ///   - profile: the profile of the operating system.
  ///   - slowness: the factor by which delays are longer than usual.
  mutating func handle(_ fix: Fix, at now: Date, isWatched: Bool, _ profile: OSProfile, slowness: Double) -> [Visit] {
    var reported: [Visit] = []
    notice(fix, now, isWatched: isWatched, profile, slowness, &reported)
    if var visit = departed?.visit, let tellAt = departed?.tellAt, fix.time >= tellAt {
      departed = nil
      visit.time = fix.time
      reported.insert(visit, at: 0)
    }
    return isWatched ? reported : []
  }

  /// The time at which a delayed departure is reported, also without another position; `nil`: none.
  var nextTime: Date? { departed?.machine }

  /// Returns the delayed departure, if it is due; otherwise `nil`.
  mutating func expire(at now: Date) -> Visit? {
    guard let departure = departed, departure.machine <= now else { return nil }
    departed = nil
    var visit = departure.visit
    visit.time = departure.tellAt
    return visit
  }

  /// Adjusts stored times after the clock of the positions was moved by a number of seconds.
  mutating func move(by seconds: Double) {
    anchor?.time += seconds
    stay?.arrival += seconds
    departed?.tellAt += seconds
  }

  private mutating func notice(
    _ fix: Fix, _ now: Date, isWatched: Bool, _ profile: OSProfile, _ slowness: Double, _ reported: inout [Visit]
  ) {
    // A move must exceed the accuracy of the position.
    let doubt = fix.horizontalAccuracy ?? 0
    if let left = stay {
      guard GreatCircle.distance(left.center, fix.coordinate) > max(Self.departureDistance, doubt) else { return }
      stay = nil
      anchor = fix
      let visit = Visit(
        time: fix.time, coordinate: left.center, horizontalAccuracy: left.accuracy,
        arrival: left.isReported ? left.arrival : nil, departure: fix.time)
      if let departed { reported.append(departed.visit) }
      let delay = profile.visitDepartureAfter * slowness
      departed = Departure(
        visit: visit, tellAt: fix.time.addingTimeInterval(delay), machine: now.addingTimeInterval(delay))
      return
    }
    guard let before = anchor,
      GreatCircle.distance(before.coordinate, fix.coordinate) <= max(Self.extent, doubt)
    else {
      anchor = fix
      return
    }
    guard fix.time.timeIntervalSince(before.time) >= profile.visitArrivalAfter * slowness else { return }
    let accuracy = max(Self.extent / 2, before.horizontalAccuracy ?? 0)
    stay = Stay(center: before.coordinate, accuracy: accuracy, arrival: before.time, isReported: isWatched)
    reported.append(
      Visit(time: fix.time, coordinate: before.coordinate, horizontalAccuracy: accuracy, arrival: before.time))
  }
}
