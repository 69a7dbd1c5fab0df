internal import Foundation
package import GodwitModel

/// Turns a device's points into visits, trips between them, and outliers.
///
/// Its state after a point has a bounded size and depends only on the points so far. So a timeline can be computed
/// again from any day with the state at its start, and equals that of all points.
package struct TimelineBuilder: Sendable, Hashable, Codable {
  /// Metres around the first position, and seconds, of a stay: see ``StayFinder``.
  package static let definition = StayFinder.Definition(radius: 100, minimumDuration: 300)
  /// A device that is seen again within this distance in metres, …
  package static let near: Meters = 1000
  /// … with at most this average speed in metres per second, was there in the time without a measurement.
  static let drift: MetersPerSecond = 0.5
  /// Normal seconds between two positions.
  package static let glance = 120.0
  /// Assumed speed of leaving a place without a measurement, in metres per second.
  package static let leaving: MetersPerSecond = 1.3
  /// Minimum speed of leaving it that two positions can show: slower ones are errors of positions.
  static let strolling: MetersPerSecond = 0.8
  /// Milliseconds between the positions of a path.
  package static let step: Int64 = 4_000
  /// Milliseconds at both ends of a stay in which its arrival and its departure may be. The way from the edge of a stay to its place, at
  /// the pace of a slow walk, takes less.
  package static let edge: Int64 = 180_000
  /// Minimum metres from the centre of a stay that are the place itself: its arrival and departure are the first and the last position in it.
  package static let core: Meters = 30
  /// Maximum positions of a path; then every second is dropped.
  static let maximumSteps = 8192

  /// Reported trips without a match so far.
  static let maximumReports = 200

  /// A position of a path.
  package struct Step: Sendable, Hashable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// 1e-7 degrees.
    package var latitude: Int32
    package var longitude: Int32
    /// Metres from the start of the path, to the centimetre.
    package var metres: Meters
    /// ``Motion``'s raw value.
    package var motion: UInt8
    /// Whether it is the center of the first or last visit, and not measured. Not stored.
    package var isPlace = false

    package var coordinate: Coordinate {
      // Never nil, because the values are from a coordinate.
      Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
    }

    package init(_ point: TimelinePoint, metres: Meters) {
      (time, latitude, longitude, motion) = (point.time, point.latitude, point.longitude, point.motion)
      self.metres = (metres * 100).rounded() / 100
    }

    package init(time: Int64, _ place: FoundVisit, metres: Meters) {
      (self.time, latitude, longitude, motion) = (time, place.latitude, place.longitude, 0)
      self.metres = metres
      isPlace = true
    }
  }

  /// A path from one visit to the next, or to the end of the data.
  package struct Track: Sendable, Hashable {
    package var steps: [Step]
    /// Trips that the device reported meanwhile.
    package var reports: [TripReport]
  }

  /// The results.
  package struct Results: Sendable {
    package var visits: [FoundVisit] = []
    package var tracks: [Track] = []
    package var outliers: [(point: TimelinePoint, reason: OutlierFilter.Reason)] = []

    package init() {}

    /// The results of positions in the order of time, the unfinished ones included.
    package init(of points: some Sequence<TimelinePoint>) {
      var builder = TimelineBuilder()
      for point in points { builder.add(.point(point), &self) }
      let open = builder.open()
      visits += open.visits
      tracks += open.tracks
      outliers += open.outliers
    }
  }

  /// The state of the positions since the search for a stay restarted.
  private struct Search: Sendable, Hashable, Codable {
    var first: TimelinePoint
    var last: TimelinePoint
    /// Sum of squared distances from the first position, in square metres.
    var spread = 0.0
    var count = 1
    var isReported: Bool
    /// The path in the first ``edge`` and in the last one.
    @EncodedPath var steps: [Step]

    /// Adds a position to the path, and drops what is between its first and its last ``edge``.
    mutating func extend(to point: TimelinePoint) {
      guard let before = steps.last, point.time - before.time >= TimelineBuilder.step else { return }
      steps.append(Step(point, metres: before.metres + GreatCircle.distance(before.coordinate, point.coordinate)))
      // Seldom, because each time all of them are moved.
      if steps.count.isMultiple(of: 64) {
        let middle = first.time + edge..<max(first.time + edge, point.time - edge)
        steps.removeAll { middle.contains($0.time) }
      }
    }
  }

  private var filter = OutlierFilter()
  private var finder = StayFinder(definition)
  private var search: Search?
  /// The previous stay, as long as it may continue.
  private var stay: FoundVisit?
  /// The arrival at the latest of the rests that it consists of, milliseconds since 1970; `nil`: at itself.
  private var latestRest: Int64?
  /// Its end with the way from its place, milliseconds since 1970; `nil`: it has none.
  private var stayEnd: Int64?
  /// The path since it ended.
  @EncodedPath private var track: [Step] = []
  private var reports: [TripReport] = []

  private enum CodingKeys: String, CodingKey {
    case filter, finder, search, stay
    case latestRest = "rest"
    case stayEnd = "end"
    case track = "way"
    case reports
  }

  /// A builder before the first point.
  package init() {}

  // MARK: Points

  /// Adds the next element.
  /// - Parameters:
  ///   - element: not before the previous elements.
  ///   - results: receives the results so far.
  package mutating func add(_ element: TimelineElement, _ results: inout Results) {
    var outcome = OutlierFilter.Outcome()
    switch element {
    case .trip(let report):
      reports.append(report)
      if reports.count > Self.maximumReports { reports.removeFirst() }
      return
    case .early(let point):
      results.outliers.append((point, .future))
      return
    case .point(let point): filter.add(point, &outcome)
    case .trusted(let point): filter.add(point, isTrusted: true, &outcome)
    }
    handle(outcome, &results)
  }

  /// The unfinished results: the current visit, or the path so far.
  package func open() -> Results {
    var copy = self
    var results = Results()
    var outcome = OutlierFilter.Outcome()
    copy.filter.finish(&outcome)
    copy.handle(outcome, &results)
    copy.end(&results)
    return results
  }

  private mutating func handle(_ outcome: OutlierFilter.Outcome, _ results: inout Results) {
    for (point, reason) in outcome.marked { results.outliers.append((point, reason)) }
    for point in outcome.accepted { accept(point, &results) }
  }

  private mutating func accept(_ point: TimelinePoint, _ results: inout Results) {
    let ended = finder.add(point.coordinate, at: point.date)
    guard finder.searched > 1, var search else {
      close(ended, at: point, &results)
      begin(point)
      return
    }
    let away = search.first.distance(to: point)
    search.spread += away * away
    search.count += 1
    search.isReported = search.isReported || point.isReported
    search.last = point
    search.extend(to: point)
    self.search = search
  }

  private mutating func begin(_ point: TimelinePoint) {
    let before = track.last
    let metres = before.map { $0.metres + GreatCircle.distance($0.coordinate, point.coordinate) } ?? 0
    search = Search(
      first: point, last: point, isReported: point.isReported, steps: [Step(point, metres: metres)])
  }

  // MARK: Stays

  /// Ends a search, as a stay or as a part of the path.
  private mutating func close(_ ended: Stay?, at next: TimelinePoint, _ results: inout Results) {
    guard let search else { return }
    self.search = nil
    guard let ended, let visit = Self.visit(ended, search, next) else {
      extend(by: search.steps)
      return
    }
    let stay = TrimmedStay(visit, search.steps, after: track, lastSeen: search.last.time, next: next)
    extend(by: stay.before)
    arrive(stay.visit, foundFrom: visit.arrival, &results)
    stayEnd = visit.end
    extend(by: stay.after)
  }

  /// - Parameter next: the first position elsewhere; `nil`: none.
  private static func visit(_ stay: Stay, _ search: Search, _ next: TimelinePoint?) -> FoundVisit? {
    let mean = stay.coordinate
    let off = GreatCircle.distance(search.first.coordinate, mean)
    let deviation = max(0, search.spread / Double(search.count) - off * off).squareRoot()
    var visit = FoundVisit(
      arrival: search.first.time, departure: nil, seen: search.last.time,
      latitude: Int32((mean.latitude * 1e7).rounded()), longitude: Int32((mean.longitude * 1e7).rounded()),
      radius: (max(15, min(definition.radius, 2 * deviation)) * 10).rounded() / 10, points: search.count,
      isReported: search.isReported)
    guard let next else {
      // The device reported a departure, and no position elsewhere followed.
      if search.last.isDeparture == true { visit.departure = search.last.time }
      return visit
    }
    let gap = next.seconds(since: search.last)
    let away = search.last.distance(to: next)
    let wasThere = away <= near && away <= drift * gap
    guard search.last.seconds(since: search.first) >= definition.minimumDuration || gap <= glance || wasThere else { return nil }
    let track = Int64((away / leaving * 1000).rounded())
    visit.departure = wasThere ? max(search.last.time, next.time - track) : search.last.time
    return visit
  }

  private mutating func extend(by steps: [Step]) {
    track += steps
    if track.count > Self.maximumSteps { track = track.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element) }
    discardReports()
  }

  /// Handles a certain stay: the previous stay continues, or ends.
  /// - Parameters:
  ///   - visit: the stay.
  ///   - start: its arrival with the way to its place, milliseconds since 1970.
  ///   - results: receives the results so far.
  private mutating func arrive(_ visit: FoundVisit, foundFrom start: Int64, _ results: inout Results) {
    guard var before = stay else {
      leave(to: visit, &results)
      stay = visit
      return
    }
    // How long the device was away does not include the ways within the radius of a stay.
    let away = max(0, min(start, visit.arrival) - max(stayEnd ?? before.end, before.end))
    if StayRules.isSame(before, visit, track, away: away) {
      stay = StayRules.joined(before, visit)
    } else if let rests = StayRules.joinedRests(before, latestFrom: latestRest ?? before.arrival, visit, track, away: away) {
      stay = rests
      latestRest = visit.arrival
    } else {
      let hasTrip = StayRules.hasTrip(Self.path(from: before, track, to: visit))
      // A time without a trip belongs to the stay before.
      if !hasTrip { before.departure = visit.arrival }
      stay = before
      results.visits.append(before)
      if hasTrip { leave(to: visit, &results) }
      stay = visit
      latestRest = nil
    }
    track = []
    discardReports()
  }

  // MARK: Ways

  /// Ends the path since the last stay.
  /// - Parameter visit: the visit at its end; `nil`: unknown.
  private mutating func leave(to visit: FoundVisit?, _ results: inout Results) {
    let steps = Self.path(from: stay, track, to: visit)
    track = []
    guard let first = steps.first, let last = steps.last, last.time > first.time else { return }
    results.tracks.append(
      Track(steps: steps, reports: reports.filter { $0.end > first.time && $0.start < last.time }))
  }

  /// The positions between two stays, with the stays at its ends. Its length begins and ends at their circles.
  private static func path(from stay: FoundVisit?, _ track: [Step], to visit: FoundVisit?) -> [Step] {
    var steps = track
    func away(_ place: FoundVisit, _ step: Step) -> Meters {
      let circles = place.radius + (step.isPlace ? stay?.radius ?? 0 : 0)
      return max(0, GreatCircle.distance(place.coordinate, step.coordinate) - circles)
    }
    if let stay {
      let metres = steps.first.map { $0.metres - away(stay, $0) } ?? 0
      steps.insert(Step(time: stay.end, stay, metres: metres), at: 0)
    }
    if let visit {
      let metres = steps.last.map { $0.metres + away(visit, $0) } ?? 0
      steps.append(Step(time: visit.arrival, visit, metres: metres))
    }
    return steps
  }

  /// The reports that ended before anything unfinished.
  private mutating func discardReports() {
    if reports.isEmpty { return }
    let open = stay.map { $0.departure ?? $0.seen } ?? track.first?.time ?? search?.first.time ?? .min
    reports.removeAll { $0.end < open }
  }

  /// Ends the input.
  private mutating func end(_ results: inout Results) {
    let lasting = finder.current
    guard let search else { return }
    self.search = nil
    if let lasting, let visit = Self.visit(lasting, search, nil) {
      let trimmed = TrimmedStay(visit, search.steps, after: track, lastSeen: search.last.time, next: nil)
      extend(by: trimmed.before)
      arrive(trimmed.visit, foundFrom: visit.arrival, &results)
      if let stay { results.visits.append(stay) }
      return
    }
    extend(by: search.steps)
    if let stay { results.visits.append(stay) }
    leave(to: nil, &results)
  }
}
