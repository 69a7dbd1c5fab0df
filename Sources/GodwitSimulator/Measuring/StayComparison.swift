internal import GodwitModel

/// The stays of the truth beside those that the recorded track has.
///
/// Where a stay begins and ends, and whether two near each other are one, depends on the single position at which a search
/// happens to begin: tracks that are a few metres apart differ by hours in it. So a real stay is not compared with the found
/// one that is most like it, but the recorded track with the place: when did it come there, and when did it leave?
struct StayComparison {
  /// All of them, in the order of time.
  let real: [Stay]
  let found: [Stay]
  /// Real ones that were found, and found ones that are real.
  private(set) var realMatched = 0
  private(set) var foundMatched = 0
  /// Seconds by which the recorded times are late, below 0 when they are early.
  private(set) var arrivalDelays: [Double] = []
  private(set) var departureDelays: [Double] = []
  /// Seconds from leaving a stay to the first position elsewhere that the phone had.
  private(set) var noticing: [Double] = []
  /// Departures after which no position elsewhere came.
  private(set) var unnoticed = 0

  private let rules: MeasuringRules

  init(
    _ track: RecordedTrack, truth: [TimedPlace], from start: SimulatedTime, to end: SimulatedTime, rules: MeasuringRules
  ) {
    self.rules = rules
    let recorded = track.held(from: start, to: end).positions.map { TimedPlace(time: $0.time, coordinate: $0.coordinate) }
    real = Self.stays(truth, rules.stays)
    found = Self.stays(recorded, rules.stays)
    let received = RecordedTrack.sorted(track.positions, by: \.received)
    for stay in real { compare(stay, truth: truth, recorded: recorded, received: received, from: start, to: end) }
    for stay in found {
      let reported = Span(stay)
      if 2 * Span.overlap(times(truth, at: stay.coordinate, around: reported), reported) >= reported.length { foundMatched += 1 }
    }
  }

  private mutating func compare(
    _ stay: Stay, truth: [TimedPlace], recorded: [TimedPlace], received: [RecordedTrack.Position], from start: SimulatedTime,
    to end: SimulatedTime
  ) {
    guard let there = presence(truth, at: stay.coordinate, during: Span(stay), share: 1) else { return }
    if there.end < end.microseconds { notice(received, from: there.end, place: stay.coordinate, until: end.microseconds) }
    let seen = times(recorded, at: stay.coordinate, around: there)
    let real = Span.overlap(times(truth, at: stay.coordinate, around: there), there)
    guard 2 * Span.overlap(seen, there) >= real, !seen.isEmpty else { return }
    realMatched += 1
    // Noise moves the edge of a place, and a slow departure passes it between the first of the edges and the last.
    let edges = [0.75, 1, 1.25].compactMap { presence(truth, at: stay.coordinate, during: Span(stay), share: $0) }
    if there.start > start.microseconds { arrivalDelays.append(Self.minimum(seen.map(\.start), edges.map(\.start))) }
    if there.end < end.microseconds {
      departureDelays.append(Self.minimum(seen.flatMap { [$0.end, $0.after] }, edges.map(\.end)))
    }
  }

  /// Seconds from the time in which something happened, to the nearest of times that were seen; none within it.
  private static func minimum(_ seen: [Int64], _ edges: [Int64]) -> Double {
    guard let first = edges.min(), let last = edges.max() else { return 0 }
    let late = seen.map { $0 < first ? $0 - first : $0 > last ? $0 - last : 0 }
    return Double(late.min { abs($0) < abs($1) } ?? 0) / 1e6
  }

  private static func stays(_ places: [TimedPlace], _ definition: StayFinder.Definition) -> [Stay] {
    var finder = StayFinder(definition)
    var stays: [Stay] = []
    for place in places {
      if let stay = finder.add(place.coordinate, at: SimulatedTime(microseconds: place.time).date) { stays.append(stay) }
    }
    if let stay = finder.current { stays.append(stay) }
    return stays
  }

  /// From one time to another, in microseconds.
  struct Span {
    var start: Int64
    var end: Int64

    /// The time of the first position after it, which is elsewhere.
    var after: Int64

    init(start: Int64, end: Int64) {
      self.start = start
      self.end = end
      after = end
    }

    init(_ stay: Stay) {
      self.init(start: SimulatedTime(stay.arrival).microseconds, end: SimulatedTime(stay.departure).microseconds)
    }

    /// A position holds until the next one elsewhere.
    func overlap(_ other: Span) -> Int64 { max(0, min(after, other.after) - max(start, other.start)) }

    var length: Int64 { end - start }

    /// What times that do not overlap each other have in common with another.
    static func overlap(_ spans: [Span], _ other: Span) -> Int64 { spans.reduce(0) { $0 + $1.overlap(other) } }
  }

  /// How long the truth was at a place without being clearly away: for as long as a stay takes, and half as far again as a stay reaches.
  /// A few metres outside for a while, or an absence that is a minute shorter, is no departure for all tracks alike, so that no times can
  /// be compared there.
  /// - Parameter share: of the radius of a stay.
  private func presence(_ truth: [TimedPlace], at place: Coordinate, during stay: Span, share: Double) -> Span? {
    let far = Circle(middle: place, radius: rules.stays.radius * 1.5)
    let absence = Int64(rules.stays.minimumDuration * 1e6)
    let near = Circle(middle: place, radius: rules.stays.radius * share)
    return times(truth, within: near, around: stay, minimumAbsence: absence, beyond: far).filter { $0.overlap(stay) > 0 }
      .max { $0.overlap(stay) < $1.overlap(stay) }
  }

  /// When the truth was at a stay, first and last, and the last time at which half of that is still to come: a presence from then on is
  /// found. In microseconds.
  func window(of stay: Stay, truth: [TimedPlace]) -> (first: Int64, last: Int64, deadline: Int64)? {
    guard let there = presence(truth, at: stay.coordinate, during: Span(stay), share: 1) else { return nil }
    let spans = times(truth, at: stay.coordinate, around: there)
    var missing = Span.overlap(spans, there) / 2
    var deadline = there.start
    for span in spans.reversed() where missing > 0 {
      let part = span.overlap(there)
      guard part > 0 else { continue }
      deadline = min(span.after, there.after) - min(missing, part)
      missing -= part
    }
    return (there.start, there.after, deadline)
  }

  /// The times at which the recorded track was at a place, until the next one elsewhere: half of what is a clear absence counts, so that
  /// an absence that is recorded a little late and ended a little early still counts.
  private func times(_ track: [TimedPlace], at place: Coordinate, around span: Span) -> [Span] {
    let near = Circle(middle: place, radius: rules.stays.radius)
    return times(track, within: near, around: span, minimumAbsence: Int64(rules.stays.minimumDuration * 5e5), beyond: nil)
  }

  /// The times at which a track was in a circle, those that touch a given time and those before and after them.
  /// - Parameters:
  ///   - minimumAbsence: microseconds; a shorter absence does not count.
  ///   - far: an absence inside it does not count.
  private func times(
    _ track: [TimedPlace], within circle: Circle, around span: Span, minimumAbsence: Int64, beyond far: Circle?
  ) -> [Span] {
    guard !track.isEmpty else { return [] }
    // Back to where the place was not seen for long.
    let long = Int64(rules.stays.minimumDuration * 2e6)
    var first = max(0, track.partitioningIndex { $0.time > span.start } - 1)
    var lastSeen = span.start
    while first > 0, lastSeen - track[first].time < long {
      if circle.has(track[first].coordinate) { lastSeen = track[first].time }
      first -= 1
    }
    var spans: [Span] = []
    var isInside = false
    var wasFar = far == nil
    for position in track[first...] {
      if circle.has(position.coordinate) {
        if let last = spans.last, isInside || position.time - last.after < minimumAbsence || !wasFar {
          spans[spans.count - 1].end = position.time
          spans[spans.count - 1].after = position.time
        } else {
          spans.append(Span(start: position.time, end: position.time))
        }
        isInside = true
        wasFar = far == nil
      } else {
        if isInside { spans[spans.count - 1].after = position.time }
        isInside = false
        if let far, !far.has(position.coordinate) { wasFar = true }
        if position.time >= span.end, position.time - (spans.last?.end ?? .min / 2) >= long, wasFar { break }
      }
    }
    return spans
  }

  /// - Parameters:
  ///   - received: positions in the order in which the phone had them.
  ///   - left: when the place was left.
  private mutating func notice(_ received: [RecordedTrack.Position], from left: Int64, place: Coordinate, until end: Int64) {
    let circle = Circle(middle: place, radius: rules.stays.radius)
    // The last look at the truth that was still there is a step before.
    let since = left - Int64(rules.sampling * 1e6)
    let outside = received[received.partitioningIndex { $0.received >= since }...].first {
      $0.received <= end && $0.time >= since && !circle.has($0.coordinate)
    }
    if let outside { noticing.append(max(0, Double(outside.received - left) / 1e6)) } else { unnoticed += 1 }
  }
}

/// Whether a place is near another, quickly; the earth is flat inside.
private struct Circle {
  private let middle: Coordinate
  private let east: Double
  private let square: Double

  init(middle: Coordinate, radius: Meters) {
    self.middle = middle
    east = Plane.metersPerDegreeEast(latitude: middle.latitude)
    square = radius * radius
  }

  func has(_ place: Coordinate) -> Bool {
    let y = (place.latitude - middle.latitude) * Plane.metersPerDegree
    let x = Plane.difference(middle.longitude, place.longitude) * east
    return x * x + y * y <= square
  }
}

/// Where, and when in microseconds since 1970.
struct TimedPlace {
  var time: Int64
  var coordinate: Coordinate

  /// The truth, looked at in equal steps, the last of them at the end.
  static func samples(of truth: Truth, from start: SimulatedTime, to end: SimulatedTime, each seconds: Double) -> [TimedPlace] {
    guard end > start else { return [] }
    let step = max(1, Int64(seconds * 1e6))
    var cursor = TruthCursor(truth)
    var samples: [TimedPlace] = []
    var time = start.microseconds
    while time < end.microseconds {
      samples.append(TimedPlace(time: time, coordinate: cursor.state(at: SimulatedTime(microseconds: time)).coordinate))
      time += step
    }
    samples.append(TimedPlace(time: end.microseconds, coordinate: cursor.state(at: end).coordinate))
    return samples
  }

  /// Metres of a way from each position that counts to the next: one that is at least a step away. So noise at rest is no
  /// way, and small bends are none for any track.
  static func length(of places: some Sequence<TimedPlace>, step: Meters) -> Meters {
    var length = 0.0
    var last: Coordinate?
    for place in places {
      guard let from = last else {
        last = place.coordinate
        continue
      }
      let distance = GreatCircle.distance(from, place.coordinate)
      guard distance >= step else { continue }
      length += distance
      last = place.coordinate
    }
    return length
  }
}
