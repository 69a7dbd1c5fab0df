internal import GodwitModel

/// Compares the recorded track with the truth, at every second of movement.
struct TrackComparison {
  /// Distances in metres between the two tracks, one for each second, not sorted.
  private(set) var errors: [Float] = []
  /// Number of covered seconds.
  private(set) var covered = 0
  /// The largest age in seconds of the newest position on the phone.
  private(set) var worstAge = 0.0

  private let positions: [RecordedTrack.Position]
  private let rules: MeasuringRules
  /// Index of the last position that is not later than the current second; −1 before the first.
  private var index = -1
  /// Whether the gap after `index` is short enough that the track is interpolated across it.
  private var isClosed = false
  /// The time at which the phone had each position, and the newest measurement time among this and all earlier ones.
  private let received: [(received: Int64, newest: Int64)]
  private var receivedIndex = -1

  /// Distance in metres from which the earth is no longer treated as a plane.
  private static let flat: Meters = 20_000

  init(_ track: RecordedTrack, truth: Truth, from start: SimulatedTime, to end: SimulatedTime, rules: MeasuringRules) {
    positions = track.held(from: start, to: end).positions
    self.rules = rules
    var newest = Int64.min
    received = RecordedTrack.sorted(track.positions, by: \.received).map { position in
      newest = max(newest, position.time)
      return (position.received, newest)
    }
    var legIndex = truth.legs.lastIndex { $0.start <= start.microseconds } ?? 0
    while legIndex < truth.legs.count, truth.legs[legIndex].start < end.microseconds {
      let next = legIndex + 1 < truth.legs.count ? truth.legs[legIndex + 1].start : .max
      let leg = truth.legs[legIndex]
      legIndex += 1
      guard leg.isMoving, leg.isRecorded || !rules.onlyRecorded else { continue }
      compare(leg, until: min(next, end.microseconds), since: start.microseconds)
    }
  }

  /// Compares all full seconds of a leg, counted from the start of the run.
  private mutating func compare(_ leg: Truth.Leg, until end: Int64, since start: Int64) {
    let late = max(0, leg.start - start)
    var time = start + (late + 999_999) / 1_000_000 * 1_000_000
    let east = Plane.metersPerDegreeEast(latitude: leg.latitude)
    while time < end {
      let seconds = leg.seconds(at: time)
      compare(
        latitude: leg.latitude + leg.north * seconds, longitude: leg.longitude + leg.east * seconds, at: time,
        metersPerDegreeEast: east)
      age(at: time, since: start)
      time += 1_000_000
    }
  }

  private mutating func compare(latitude: Double, longitude: Double, at time: Int64, metersPerDegreeEast east: Double) {
    guard !positions.isEmpty else { return errors.append(.infinity) }
    let before = index
    while index + 1 < positions.count, positions[index + 1].time <= time { index += 1 }
    if index != before { isClosed = closes(after: index) }
    let there = place(at: time)
    let north = (there.latitude - latitude) * Plane.metersPerDegree
    let aside = Plane.difference(longitude, there.longitude).remainderOfTurn * east
    var error = (north * north + aside * aside).squareRoot()
    if error > Self.flat {
      error = GreatCircle.distance(
        Plane.coordinate(latitude: latitude, longitude: longitude),
        Plane.coordinate(latitude: there.latitude, longitude: there.longitude))
    }
    errors.append(Float(error))
    if error <= rules.nearEnough, isClosed || positions[index].time == time { covered += 1 }
  }

  /// Returns whether the positions before and after a gap are close in time or at one place.
  private func closes(after index: Int) -> Bool {
    guard index >= 0, index + 1 < positions.count else { return false }
    let (a, b) = (positions[index], positions[index + 1])
    return Double(b.time - a.time) <= rules.maximumGap * 1e6
      || GreatCircle.distance(a.coordinate, b.coordinate) <= rules.nearEnough
  }

  /// Returns the position at a time, interpolated linearly in degrees between two positions, as a map draws it.
  private func place(at time: Int64) -> (latitude: Double, longitude: Double) {
    // The track is extended to the ends of the run, so that `index` is −1 only for times before its start.
    let a = positions[max(0, index)]
    guard index >= 0, index + 1 < positions.count else { return (a.latitude, a.longitude) }
    let b = positions[index + 1]
    let part = Double(time - a.time) / Double(b.time - a.time)
    return (
      a.latitude + (b.latitude - a.latitude) * part,
      a.longitude + Plane.difference(a.longitude, b.longitude) * part
    )
  }

  private mutating func age(at time: Int64, since start: Int64) {
    while receivedIndex + 1 < received.count, received[receivedIndex + 1].received <= time { receivedIndex += 1 }
    // Before its first position the phone has had nothing since the run began.
    let newest = receivedIndex >= 0 ? received[receivedIndex].newest : start
    worstAge = max(worstAge, Double(time - newest) / 1e6)
  }
}

extension Truth.Leg {
  /// Same definition as ``TruthState/isMoving``.
  var isMoving: Bool { motion != .stationary && !motion.isEmpty }
}

extension Double {
  /// A longitude difference beyond ±180°, normalized to −180…180.
  fileprivate var remainderOfTurn: Double { self > 180 ? self - 360 : self < -180 ? self + 360 : self }
}
