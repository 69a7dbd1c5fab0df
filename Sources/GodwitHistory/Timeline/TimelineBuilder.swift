internal import Foundation
package import GodwitModel

/// Computes visits, the trips between them, and outliers from a device's points.
///
/// The state after a point has a bounded size and depends only on the points so far. A timeline can therefore be recomputed from
/// any day with the state at the start of that day, and equals the timeline of all points.
package struct TimelineBuilder: Sendable, Hashable, Codable {
  /// The radius in metres around the first position, and the minimum seconds, of a stay: see ``StayFinder``.
  package static let definition = StayFinder.Definition(radius: 100, minimumDuration: 300)
  /// If the next position of a device after a gap is within this distance in metres, …
  package static let near: Meters = 1000
  /// … and the average speed since the last one is at most this, in m/s, the device is assumed to have stayed during the gap.
  static let drift: MetersPerSecond = 0.5
  /// The normal time in seconds between two positions.
  package static let glance = 120.0
  /// The assumed speed in m/s of leaving a place during a gap.
  package static let leaving: MetersPerSecond = 1.3
  /// The minimum speed in m/s of leaving a place that two positions can show. Slower movements are errors of positions.
  static let strolling: MetersPerSecond = 0.8
  /// The minimum time in milliseconds between the positions of a path.
  package static let step: Int64 = 4_000
  /// The time in milliseconds at both ends of a stay that may contain the arrival and the departure. The path from the edge of a
  /// stay to its place takes less, even at the speed of a slow walk.
  package static let edge: Int64 = 180_000
  /// The minimum radius in metres of the place within a stay. The stay begins and ends with the first and the last position within
  /// this radius.
  package static let core: Meters = 30
  /// The maximum number of positions of a path. Beyond it, every second position is dropped.
  static let maximumSteps = 8192

  /// The maximum number of reported trips that are not yet matched.
  static let maximumReports = 200

  /// A position of a path.
  package struct Step: Sendable, Hashable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// 1e-7 degrees.
    package var latitude: Int32
    package var longitude: Int32
    /// The metres from the start of the path, rounded to centimetres.
    package var metres: Meters
    /// The raw value of ``Motion``.
    package var motion: UInt8
    /// Whether the position is the centre of the first or the last visit, and not measured. It is not stored.
    package var isPlace = false

    package var coordinate: Coordinate {
      // Never `nil`, because the values are from a coordinate.
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
    /// The trips that the device reported during the path.
    package var reports: [TripReport]
  }

  /// The results of a timeline.
  package struct Results: Sendable {
    package var visits: [FoundVisit] = []
    package var tracks: [Track] = []
    package var outliers: [(point: TimelinePoint, reason: OutlierFilter.Reason)] = []

    package init() {}

    /// Computes the results of positions in the order of time, including the unfinished ones.
    package init(of points: some Sequence<TimelinePoint>) {
      var builder = TimelineBuilder()
      for point in points { builder.add(.point(point), &self) }
      let open = builder.open()
      visits += open.visits
      tracks += open.tracks
      outliers += open.outliers
    }
  }

  /// The state since the search for a stay last restarted.
  private struct Search: Sendable, Hashable, Codable {
    var first: TimelinePoint
    var last: TimelinePoint
    /// The sum of the squared distances from the first position, in square metres.
    var spread = 0.0
    var count = 1
    var isReported: Bool
    /// The path during the first and the last ``edge``.
    @EncodedPath var steps: [Step]

    /// Adds a position to the path, and drops the positions between the first and the last ``edge``.
    mutating func extend(to point: TimelinePoint) {
      guard let before = steps.last, point.time - before.time >= TimelineBuilder.step else { return }
      steps.append(Step(point, metres: before.metres + GreatCircle.distance(before.coordinate, point.coordinate)))
      // Only after every 64 positions, because each removal moves all of them.
      if steps.count.isMultiple(of: 64) {
        let middle = first.time + edge..<max(first.time + edge, point.time - edge)
        steps.removeAll { middle.contains($0.time) }
      }
    }
  }

  private var filter = OutlierFilter()
  private var finder = StayFinder(definition)
  private var search: Search?
  /// The previous stay, while it may continue.
  private var stay: FoundVisit?
  /// The arrival of the latest rest that was joined to the stay, in milliseconds since 1970; `nil` if the stay is a single rest.
  private var latestRest: Int64?
  /// The end of the stay including the path away from its place, in milliseconds since 1970; `nil` if there is no stay.
  private var stayEnd: Int64?
  /// The path since the end of the stay.
  @EncodedPath private var track: [Step] = []
  private var reports: [TripReport] = []

  private enum CodingKeys: String, CodingKey {
    case filter, finder, search, stay
    case latestRest = "rest"
    case stayEnd = "end"
    case track = "way"
    case reports
  }

  /// Creates a builder without points.
  package init() {}

  // MARK: Points

  /// Adds the next element.
  /// - Parameters:
  ///   - element: an element that is not before the previous elements.
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

  /// Returns the unfinished results: the current visit, or the path so far.
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
    search = Search(first: point, last: point, isReported: point.isReported, steps: [Step(point, metres: metres)])
  }

  // MARK: Stays

  /// Ends a search. Its positions become a stay, or a part of the path.
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

  /// Returns the visit of a stay; `nil` if the stay is too short.
  /// - Parameter next: the first position outside the stay; `nil` if there is none.
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
      // The device reported a departure, and no position elsewhere follows.
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

  /// Handles a confirmed stay: it continues the previous stay, or ends it.
  /// - Parameters:
  ///   - visit: the stay.
  ///   - start: the arrival including the path to the place, milliseconds since 1970.
  ///   - results: receives the results so far.
  private mutating func arrive(_ visit: FoundVisit, foundFrom start: Int64, _ results: inout Results) {
    guard var before = stay else {
      leave(to: visit, &results)
      stay = visit
      return
    }
    // The time away does not include the paths within the radius of a stay.
    let away = max(0, min(start, visit.arrival) - max(stayEnd ?? before.end, before.end))
    if StayRules.isSame(before, visit, track, away: away) {
      stay = StayRules.joined(before, visit)
    } else if let rests = StayRules.joinedRests(before, latestFrom: latestRest ?? before.arrival, visit, track, away: away) {
      stay = rests
      latestRest = visit.arrival
    } else {
      let hasTrip = StayRules.hasTrip(Self.path(from: before, track, to: visit))
      // A time without a trip belongs to the previous stay.
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

  // MARK: Paths

  /// Ends the path since the last stay.
  /// - Parameter visit: the visit at the end of the path; `nil` if unknown.
  private mutating func leave(to visit: FoundVisit?, _ results: inout Results) {
    let steps = Self.path(from: stay, track, to: visit)
    track = []
    guard let first = steps.first, let last = steps.last, last.time > first.time else { return }
    results.tracks.append(Track(steps: steps, reports: reports.filter { $0.end > first.time && $0.start < last.time }))
  }

  /// Returns the positions between two stays, with the stays at the ends. The length is measured between the circles of the stays.
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

  /// Removes the reports that ended before all unfinished entries.
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
