internal import Foundation
internal import GodwitModel

/// Rule 4: notices stays in a stream of positions, one for the whole system.
struct Visits: Sendable {
  /// Metres of a place, and of leaving it.
  static let extent: Meters = 100
  static let departureDistance: Meters = 150

  private struct Stay: Sendable {
    var center: Coordinate
    var accuracy: Meters
    var arrival: Date
    /// Whether the arrival was reported. After a later start its time is unknown.
    var isReported: Bool
  }

  /// A departure, with the time to report it at: by the positions' clock, and by the machine's.
  private struct Departure: Sendable {
    var visit: Visit
    var tellAt: Date
    var machine: Date
  }

  private var anchor: Fix?
  private var stay: Stay?
  /// A departure that will be reported a little later.
  private var departed: Departure?

  /// The ends and beginnings of stays that are reported at this position.
  /// - Parameters:
  ///   - fix: the position.
  ///   - now: the machine's time.
  ///   - isWatched: whether visits are reported.
  ///   - profile: what the system is like.
  ///   - slowness: how many times as long as usual it waits.
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

  /// When a departure is reported, whether or not another position comes.
  var nextTime: Date? { departed?.machine }

  /// The departure that is reported because time has passed.
  mutating func expire(at now: Date) -> Visit? {
    guard let departure = departed, departure.machine <= now else { return nil }
    departed = nil
    var visit = departure.visit
    visit.time = departure.tellAt
    return visit
  }

  /// The clock was moved by so many seconds.
  mutating func move(by seconds: Double) {
    anchor?.time += seconds
    stay?.arrival += seconds
    departed?.tellAt += seconds
  }

  private mutating func notice(
    _ fix: Fix, _ now: Date, isWatched: Bool, _ profile: OSProfile, _ slowness: Double, _ reported: inout [Visit]
  ) {
    // A position that is only known to a kilometre proves no move of less.
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
