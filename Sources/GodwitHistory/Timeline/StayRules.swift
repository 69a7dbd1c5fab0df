internal import Foundation
package import GodwitModel

/// Decides whether two consecutive stays are one, and whether a trip lies between them.
package enum StayRules {
  /// Two stays are joined if the distance between their centres in metres is at most this, …
  static let samePlace: Meters = 120
  /// … no point between them is farther away than this, in metres, …
  static let excursion: Meters = 300
  /// … and the time between them is at most this, in milliseconds.
  package static let absence: Int64 = 900_000
  /// Two rests of a walk are joined if each lasts at most this, in milliseconds, …
  package static let rest: Int64 = 1_800_000
  /// … the walk between them lasts at most this, in milliseconds, …
  package static let stroll: Int64 = 300_000
  /// … and the radius of the joined stay is at most this, in metres.
  package static let restRadius: Meters = 300

  typealias Step = TimelineBuilder.Step

  /// Returns whether two stays are one because the device left the place only for a short time, or its positions had an error.
  /// - Parameters:
  ///   - before: the first stay.
  ///   - visit: the second stay.
  ///   - track: the positions between the stays.
  ///   - away: the milliseconds between the stays.
  static func isSame(_ before: FoundVisit, _ visit: FoundVisit, _ track: [Step], away: Int64) -> Bool {
    guard GreatCircle.distance(before.coordinate, visit.coordinate) <= samePlace, away <= absence else {
      return false
    }
    return track.allSatisfy { GreatCircle.distance(before.coordinate, $0.coordinate) <= excursion }
  }

  /// Joins two rests of a walk into one stay.
  /// - Parameters:
  ///   - before: a rest, or several rests that were joined.
  ///   - latest: the arrival of the latest of these rests, milliseconds since 1970.
  ///   - visit: the next stay.
  ///   - track: the positions between the stays.
  ///   - away: the milliseconds between the stays.
  /// - Returns: `nil` if they are two stays.
  static func joinedRests(
    _ before: FoundVisit, latestFrom latest: Int64, _ visit: FoundVisit, _ track: [Step], away: Int64
  ) -> FoundVisit? {
    guard before.end - latest <= rest, visit.end - visit.arrival <= rest, away <= stroll,
      isWalk(track)
    else { return nil }
    let share = Double(visit.end - visit.arrival) / max(1, Double(before.end - before.arrival + visit.end - visit.arrival))
    let rests = joined(before, visit, share: share, maximum: restRadius)
    let place = rests.coordinate
    let reach = max(
      GreatCircle.distance(place, before.coordinate) + before.radius, GreatCircle.distance(place, visit.coordinate) + visit.radius
    )
    guard reach <= restRadius, track.allSatisfy({ GreatCircle.distance(place, $0.coordinate) <= restRadius }) else { return nil }
    return rests
  }

  private static func isWalk(_ track: [Step]) -> Bool {
    guard let first = track.first, let last = track.last else { return true }
    return last.metres - first.metres <= TripMaker.walking * max(Double(last.time - first.time) / 1000, TripMaker.window)
  }

  /// Returns whether the time between two stays is not part of the first one: its path is long enough for a trip and has a possible
  /// speed, or its path is shorter and takes longer than ``absence``. In the second case, the time is neither a stay nor a trip.
  static func hasTrip(_ path: [Step]) -> Bool {
    guard let first = path.first, let last = path.last else { return false }
    let (milliseconds, metres) = (last.time - first.time, last.metres - first.metres)
    if milliseconds < TripMaker.minimumDuration { return false }
    if metres < TripMaker.minimumDistance { return milliseconds > absence }
    return metres <= Plausibility.fastest * Double(milliseconds) / 1000
  }

  /// Joins two stays at one place. The joined place is their mean, weighted by the number of positions.
  static func joined(_ a: FoundVisit, _ b: FoundVisit) -> FoundVisit {
    joined(a, b, share: Double(b.points) / Double(a.points + b.points), maximum: samePlace)
  }

  /// Joins two stays.
  /// - Parameters:
  ///   - share: the weight of the place of the second stay, 0…1.
  ///   - maximum: the maximum radius in metres.
  package static func joined(_ a: FoundVisit, _ b: FoundVisit, share: Double, maximum: Meters) -> FoundVisit {
    func between(_ a: Int32, _ b: Int32) -> Int32 {
      var difference = Double(b) - Double(a)
      // The difference is computed across the antimeridian if that is shorter.
      if abs(difference) > 1.8e9 { difference -= difference > 0 ? 3.6e9 : -3.6e9 }
      var middle = Double(a) + difference * share
      if abs(middle) > 1.8e9 { middle -= middle > 0 ? 3.6e9 : -3.6e9 }
      return Int32(middle.rounded())
    }
    var joined = a
    joined.latitude = between(a.latitude, b.latitude)
    joined.longitude = between(a.longitude, b.longitude)
    let apart = GreatCircle.distance(a.coordinate, b.coordinate)
    joined.radius = min(maximum, max(a.radius, b.radius, (apart * 5).rounded() / 10 + min(a.radius, b.radius)))
    joined.departure = b.departure
    joined.seen = b.seen
    joined.points += b.points
    joined.isReported = a.isReported || b.isReported
    return joined
  }
}
