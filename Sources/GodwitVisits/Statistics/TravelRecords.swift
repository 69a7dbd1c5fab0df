package import Foundation
package import GodwitHistory
package import GodwitModel

/// The records of a device in a period: greatest distance from home, longest day, longest and fastest trips.
package struct TravelRecords: Sendable {
  /// A visit far from home.
  package struct DistantVisit: Sendable {
    package var visit: ShownVisit
    /// The home in the year of the visit.
    package var home: LearnedPlaces.Cluster
    package var distance: Meters
  }
  /// A local day, as days since 1970.
  package struct Day: Sendable, Hashable {
    package var day: Int64
    package var distance: Meters
  }
  /// Consecutive days.
  package struct Streak: Sendable, Hashable {
    package var first: Int64
    package var last: Int64
    package var days: Int64 { last - first + 1 }
  }
  /// The longest and the fastest trip of a mode.
  package struct Best: Sendable {
    package var longest: FoundTrip?
    package var fastest: FoundTrip?
    /// Top speed of the fastest trip, metres per second.
    package var topSpeed: MetersPerSecond = 0
  }

  package var furthest: DistantVisit?
  /// Longest day by distance, without flights.
  package var longestDay: Day?
  /// Longest streak of days with at least a kilometre on foot, running or by bicycle.
  package var activeStreak: Streak?
  package var modes: [TravelMode: Best] = [:]

  /// Minimum metres of a day that counts for ``activeStreak``.
  package static let activeDistance: Meters = 1000
  /// Minimum metres and seconds of a part of a trip whose speed counts. Less is noise of the receiver.
  package static let fastest: (distance: Meters, seconds: Double) = (500, 60)
  /// The greatest top speed that counts, as a multiple of ``TravelMode/fastest``. A part with a greater one contains another mode, such as
  /// a ride of a few stops in a walk.
  package static let margin = 1.25

  /// - Parameters:
  ///   - visits: Visits in order of time. They must include the whole years of the period, so that each year has its home.
  ///   - trips: Trips in order of time.
  ///   - shares: Sums of local days, in order.
  ///   - days: The period, as local days since 1970.
  ///   - zone: Time zone of the device.
  ///   - finder: Finds named places.
  package init(
    visits: [ShownVisit], trips: [FoundTrip], shares: [(key: DayShare.Key, share: DayShare)], days: Range<Int64>, zone: TimeZone,
    finder: PlaceFinder
  ) {
    findDays(shares.filter { days.contains($0.key.localDay) })
    var local = LocalDays(zone)
    let times = local.start(of: days.lowerBound)..<local.start(of: days.upperBound)
    for trip in trips where times.contains(trip.start) { add(trip) }
    findFurthest(visits, times, zone, finder)
  }

  private mutating func add(_ trip: FoundTrip) {
    let mode = trip.mode
    if trip.distance > modes[mode]?.longest?.distance ?? 0 { modes[mode, default: Best()].longest = trip }
    for segment in trip.segments
    where segment.distance >= Self.fastest.distance && segment.moving >= Self.fastest.seconds
      && segment.topSpeed <= Self.margin * segment.mode.fastest && segment.topSpeed > modes[segment.mode]?.topSpeed ?? 0
    {
      modes[segment.mode, default: Best()].topSpeed = segment.topSpeed
      modes[segment.mode, default: Best()].fastest = trip
    }
  }

  private mutating func findDays(_ shares: [(key: DayShare.Key, share: DayShare)]) {
    var ground: [Int64: Meters] = [:]
    var active: [Int64: Meters] = [:]
    for (key, share) in shares {
      guard let mode = key.mode, mode != .plane else { continue }
      ground[key.localDay, default: 0] += share.distance
      if [.walk, .run, .cycle].contains(mode) { active[key.localDay, default: 0] += share.distance }
    }
    longestDay = ground.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { Day(day: $0.key, distance: $0.value) }
    var current: Streak?
    for day in active.filter({ $0.value >= Self.activeDistance }).keys.sorted() {
      current = current.flatMap { $0.last == day - 1 ? Streak(first: $0.first, last: day) : nil } ?? Streak(first: day, last: day)
      if let current, current.days > activeStreak?.days ?? 0 { activeStreak = current }
    }
  }

  /// Finds the visit farthest from home. The home of a year is the place with the longest total stay.
  private mutating func findFurthest(_ visits: [ShownVisit], _ times: Range<Int64>, _ zone: TimeZone, _ finder: PlaceFinder) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let byYear = Dictionary(grouping: visits) { calendar.component(.year, from: Date(millisecondsSince1970: $0.visit.arrival)) }
    for (_, visits) in byYear.sorted(by: { $0.key < $1.key }) {
      guard let home = LearnedPlaces(visits, finder).clusters.first else { continue }
      for shown in visits where times.contains(shown.visit.arrival) {
        let distance = GreatCircle.distance(home.center, shown.visit.coordinate)
        if distance > furthest?.distance ?? 0 { furthest = DistantVisit(visit: shown, home: home, distance: distance) }
      }
    }
  }
}
