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
    /// Whether somebody was told of the arrival. Who began to look later does not know when it was.
    var isTold: Bool
  }

  private var anchor: Fix?
  private var stay: Stay?
  /// A departure that will be told a little later.
  private var departed: (visit: Visit, tellAt: Date)?

  /// The ends and beginnings of stays that are told at this position.
  /// - Parameters:
  ///   - isWatched: whether anybody is told.
  ///   - slowness: how many times as long as usual it waits.
  mutating func take(_ fix: Fix, isWatched: Bool, _ profile: OSProfile, slowness: Double) -> [Visit] {
    var told: [Visit] = []
    notice(fix, isWatched: isWatched, profile, slowness, &told)
    if let (departure, tellAt) = departed, fix.time >= tellAt {
      departed = nil
      var visit = departure
      visit.time = fix.time
      told.insert(visit, at: 0)
    }
    return isWatched ? told : []
  }

  /// The clock was moved by so many seconds.
  mutating func move(by seconds: Double) {
    anchor?.time += seconds
    stay?.arrival += seconds
    departed?.tellAt += seconds
  }

  private mutating func notice(
    _ fix: Fix, isWatched: Bool, _ profile: OSProfile, _ slowness: Double, _ told: inout [Visit]
  ) {
    // A position that is only known to a kilometre proves no move of less.
    let doubt = fix.horizontalAccuracy ?? 0
    if let left = stay {
      guard GreatCircle.distance(left.center, fix.coordinate) > max(Self.departureDistance, doubt) else { return }
      stay = nil
      anchor = fix
      let visit = Visit(
        time: fix.time, coordinate: left.center, horizontalAccuracy: left.accuracy,
        arrival: left.isTold ? left.arrival : nil, departure: fix.time)
      if let (earlier, _) = departed { told.append(earlier) }
      departed = (visit, fix.time.addingTimeInterval(profile.visitDepartureAfter * slowness))
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
    stay = Stay(center: before.coordinate, accuracy: accuracy, arrival: before.time, isTold: isWatched)
    told.append(
      Visit(time: fix.time, coordinate: before.coordinate, horizontalAccuracy: accuracy, arrival: before.time))
  }
}
