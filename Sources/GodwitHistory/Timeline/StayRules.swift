internal import Foundation
package import GodwitModel

/// Decides which of two consecutive stays are one, and whether a trip lies between them.
package enum StayRules {
  /// Two stays are one if the distance of their centers in metres is at most this, …
  static let samePlace: Meters = 120
  /// … no point between them is further away than this, …
  static let excursion: Meters = 300
  /// … and the time between them is at most this, in milliseconds.
  package static let absence: Int64 = 900_000
  /// A rest of a walk lasts at most this, in milliseconds, …
  package static let rest: Int64 = 1_800_000
  /// … the walk from one rest to the next at most this, in milliseconds, …
  package static let stroll: Int64 = 300_000
  /// … and the radius of all rests that are one stay is at most this, in metres.
  package static let restRadius: Meters = 300

  typealias Step = TimelineBuilder.Step

  /// Whether a device left a place for a short time, or its positions moved by an error.
  /// - Parameters:
  ///   - track: the positions between the stays.
  ///   - away: milliseconds between them.
  static func isSame(_ before: FoundVisit, _ visit: FoundVisit, _ track: [Step], away: Int64) -> Bool {
    guard GreatCircle.distance(before.coordinate, visit.coordinate) <= samePlace, away <= absence else {
      return false
    }
    return track.allSatisfy { GreatCircle.distance(before.coordinate, $0.coordinate) <= excursion }
  }

  /// One stay for two rests of a walk; `nil`: they are two stays.
  /// - Parameters:
  ///   - before: a rest, or several that are one stay.
  ///   - latest: the arrival at the latest of them, milliseconds since 1970.
  ///   - visit: the next stay.
  ///   - track: the positions between the stays.
  ///   - away: milliseconds between them.
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

  /// Whether a path from one stay to the next is long enough for a trip, and possible. A longer time at one place is neither a stay
  /// nor a trip.
  static func hasTrip(_ path: [Step]) -> Bool {
    guard let first = path.first, let last = path.last else { return false }
    let (milliseconds, metres) = (last.time - first.time, last.metres - first.metres)
    if milliseconds < TripMaker.minimumDuration { return false }
    if metres < TripMaker.minimumDistance { return milliseconds > absence }
    return metres <= Plausibility.fastest * Double(milliseconds) / 1000
  }

  /// One stay for two at one place. Its place is their mean by number of positions.
  static func joined(_ a: FoundVisit, _ b: FoundVisit) -> FoundVisit {
    joined(a, b, share: Double(b.points) / Double(a.points + b.points), maximum: samePlace)
  }

  /// - Parameters:
  ///   - share: the weight of the second one's place, 0…1.
  ///   - maximum: the greatest radius, metres.
  package static func joined(_ a: FoundVisit, _ b: FoundVisit, share: Double, maximum: Meters) -> FoundVisit {
    func between(_ a: Int32, _ b: Int32) -> Int32 {
      var difference = Double(b) - Double(a)
      // Both sides of the antimeridian are near each other.
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
