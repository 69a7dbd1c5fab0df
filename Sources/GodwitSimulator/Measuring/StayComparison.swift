internal import GodwitModel

/// Compares the stays of the truth with the recorded track.
///
/// The beginning and the end of a stay, and whether two nearby stays are one, depend on the position at which the search begins.
/// Tracks that are a few metres apart can differ by hours. For this reason a real stay is not compared with the most similar found
/// stay. The recorded track is compared with the place of the stay: when does the track reach the place, and when does it leave?
struct StayComparison {
  /// All real and all found stays, sorted by time.
  let real: [Stay]
  let found: [Stay]
  /// Number of real stays that were found, and of found stays that are real.
  private(set) var realMatched = 0
  private(set) var foundMatched = 0
  /// Seconds by which the recorded times are late; negative if they are early.
  private(set) var arrivalDelays: [Double] = []
  private(set) var departureDelays: [Double] = []
  /// Seconds from the departure to the first position elsewhere that the phone had.
  private(set) var noticing: [Double] = []
  /// Number of departures without a later position elsewhere.
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
    // Noise moves the boundary of a place. A slow departure crosses it between the first and the last of these radii.
    let edges = [0.75, 1, 1.25].compactMap { presence(truth, at: stay.coordinate, during: Span(stay), share: $0) }
    if there.start > start.microseconds { arrivalDelays.append(Self.minimum(seen.map(\.start), edges.map(\.start))) }
    if there.end < end.microseconds {
      departureDelays.append(Self.minimum(seen.flatMap { [$0.end, $0.after] }, edges.map(\.end)))
    }
  }

  /// Returns the seconds between the time range of an event and the nearest observed time; 0 if that time is in the range.
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

  /// A time range in microseconds.
  struct Span {
    var start: Int64
    var end: Int64

    /// Time of the first position after the range, which is at another place.
    var after: Int64

    init(start: Int64, end: Int64) {
      self.start = start
      self.end = end
      after = end
    }

    init(_ stay: Stay) {
      self.init(start: SimulatedTime(stay.arrival).microseconds, end: SimulatedTime(stay.departure).microseconds)
    }

    /// Returns the microseconds that two ranges have in common. A position holds until the next position elsewhere.
    func overlap(_ other: Span) -> Int64 { max(0, min(after, other.after) - max(start, other.start)) }

    var length: Int64 { end - start }

    /// Returns the microseconds that disjoint ranges have in common with another range.
    static func overlap(_ spans: [Span], _ other: Span) -> Int64 { spans.reduce(0) { $0 + $1.overlap(other) } }
  }

  /// Returns the time range in which the truth was at a place without a clear absence. A clear absence lasts as long as the minimum
  /// duration of a stay and goes beyond 1.5 times the radius of a stay. A shorter or nearer absence is not a departure for all
  /// tracks alike, so that its times cannot be compared.
  /// - Parameter share: Factor of the radius of a stay.
  private func presence(_ truth: [TimedPlace], at place: Coordinate, during stay: Span, share: Double) -> Span? {
    let far = Circle(middle: place, radius: rules.stays.radius * 1.5)
    let absence = Int64(rules.stays.minimumDuration * 1e6)
    let near = Circle(middle: place, radius: rules.stays.radius * share)
    return times(truth, within: near, around: stay, minimumAbsence: absence, beyond: far).filter { $0.overlap(stay) > 0 }
      .max { $0.overlap(stay) < $1.overlap(stay) }
  }

  /// Returns the first and the last time at which the truth was at a stay, and the deadline: the last time at which half of the
  /// presence is still ahead. A recorded presence from the deadline on is enough to find the stay. In microseconds.
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

  /// Returns the times at which a track was at a place, each until the next position elsewhere. An absence counts from half the
  /// minimum duration of a stay, so that an absence which is recorded slightly too short still counts.
  private func times(_ track: [TimedPlace], at place: Coordinate, around span: Span) -> [Span] {
    let near = Circle(middle: place, radius: rules.stays.radius)
    return times(track, within: near, around: span, minimumAbsence: Int64(rules.stays.minimumDuration * 5e5), beyond: nil)
  }

  /// Returns the times at which a track was in a circle: those that overlap a given range, and the adjacent ones before and after
  /// it.
  /// - Parameters:
  ///   - minimumAbsence: Microseconds. A shorter absence does not count.
  ///   - far: An absence within this circle does not count.
  private func times(
    _ track: [TimedPlace], within circle: Circle, around span: Span, minimumAbsence: Int64, beyond far: Circle?
  ) -> [Span] {
    guard !track.isEmpty else { return [] }
    // Search backwards until the track was away from the place for a long time.
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
  ///   - received: Positions in the order in which the phone had them.
  ///   - left: Time of the departure.
  private mutating func notice(_ received: [RecordedTrack.Position], from left: Int64, place: Coordinate, until end: Int64) {
    let circle = Circle(middle: place, radius: rules.stays.radius)
    // The last sample of the truth at the place is one step before the departure.
    let since = left - Int64(rules.sampling * 1e6)
    let outside = received[received.partitioningIndex { $0.received >= since }...].first {
      $0.received <= end && $0.time >= since && !circle.has($0.coordinate)
    }
    if let outside { noticing.append(max(0, Double(outside.received - left) / 1e6)) } else { unnoticed += 1 }
  }
}

/// A circle with a fast containment check. The earth is treated as a plane.
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

/// A place with its time in microseconds since 1970.
struct TimedPlace {
  var time: Int64
  var coordinate: Coordinate

  /// Returns the truth sampled in equal steps. The last sample is at the end of the range.
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

  /// Returns the length of a path in metres. A position counts only if it is at least `step` metres from the last one that counted.
  /// In this way noise at rest adds no length, and small bends are ignored in all tracks alike.
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
