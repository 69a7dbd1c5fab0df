internal import Foundation
package import GodwitModel
package import GodwitModes

/// Divides a path into trips at long gaps, and trips into parts at changes of the mode, and classifies the mode of each part.
///
/// Modes change at walks, because there are a few steps between a car and a bicycle (Zheng, Liu, Wang, Xie: Learning Transportation
/// Mode from Raw GPS Data for Geographic Applications on the Web, WWW 2008).
package struct TripMaker {
  package typealias Step = TimelineBuilder.Step

  /// The seconds without a position that end a trip, except in a flight.
  package static let maximumGap = 7200.0
  /// The seconds without a position above which the neighbouring positions do not determine the mode.
  package static let gap = 600.0
  /// The minimum length of a trip in metres, and the minimum duration in milliseconds.
  static let minimumDistance: Meters = 100
  static let minimumDuration: Int64 = 60_000
  /// The window in seconds in which a speed is classified as a walk or a ride.
  package static let window = 24.0
  /// The maximum speed in m/s of a longer walk: see ``TransportMode``.
  package static let walking: MetersPerSecond = 2.5
  /// The speed in m/s below which the device does not move.
  package static let still: MetersPerSecond = 0.5
  /// The minimum seconds of a walk between two rides. A shorter one is a traffic light or a jam.
  static let minimumWalk = 150.0
  /// The minimum metres of such a walk. A shorter one is waiting.
  static let minimumWalkDistance: Meters = 100
  /// The minimum seconds and metres of a ride between two walks. A shorter one is noise.
  static let minimumRide = 60.0
  static let minimumRideDistance: Meters = 250
  /// The speed in m/s above which a short part is not merged into a walk.
  package static let riding: MetersPerSecond = 4.5
  /// The speed in m/s below which a part between two rides is waiting.
  package static let waiting: MetersPerSecond = 0.7
  /// The speed in m/s above which a part is not a car, if it lasts longer.
  package static let rail: MetersPerSecond = 50
  /// The speed in m/s above which a part is not a train.
  package static let flying: MetersPerSecond = 100
  /// The minimum distance in metres and speed in m/s of a gap in a flight.
  package static let flight: (way: Meters, speed: MetersPerSecond) = (100_000, 75)
  /// The minimum speed in m/s of a gap in a drive.
  package static let driving: MetersPerSecond = 8.5
  /// The minimum share of the time with one activity of the motion chip for using it.
  static let majority = 0.6

  /// The contribution of a trip to a local day.
  package struct Share: Sendable, Hashable {
    package var day: Int64
    package var mode: TravelMode
    package var distance: Meters
    /// The seconds of the trip, and its seconds in motion.
    package var seconds: Double
    package var moving: Double
  }

  /// Returns the trips of a path in order. Distances are measured from position to position.
  package static func trips(of track: TimelineBuilder.Track) -> [FoundTrip] { trips(of: track, by: .standard, along: nil) }

  /// Returns the trips of a path in order.
  /// - Parameters:
  ///   - track: the path.
  ///   - model: classifies the parts whose mode is determined only by positions.
  ///   - roads: the roads along which distances are measured, and which identify trains; `nil`: distances are measured from
  ///     position to position.
  package static func trips(
    of track: TimelineBuilder.Track, by model: ModeModel = .standard, along roads: TripRoads?
  ) -> [FoundTrip] {
    pieces(of: track.steps).compactMap { trip(of: $0, track.reports, model, roads) }
  }

  /// Returns the contributions of a trip to local days, ordered by start.
  package static func shares(of trip: FoundTrip, _ days: inout LocalDays) -> [Share] {
    var shares: [Share] = []
    for segment in trip.segments where segment.end > segment.start {
      var start = segment.start
      let length = Double(segment.end - segment.start)
      while start < segment.end {
        let day = days.day(of: start)
        var end = segment.end
        if days.day(of: segment.end - 1) != day { end = days.boundary(of: day + 1, in: start...segment.end) }
        let part = Double(end - start) / length
        let share = Share(
          day: day, mode: segment.mode, distance: segment.distance * part, seconds: length / 1000 * part,
          moving: segment.moving * part)
        if let known = shares.firstIndex(where: { $0.day == day && $0.mode == segment.mode }) {
          shares[known].distance += share.distance
          shares[known].seconds += share.seconds
          shares[known].moving += share.moving
        } else {
          shares.append(share)
        }
        start = end
      }
    }
    return shares
  }

  // MARK: Pieces

  private static func pieces(of steps: [Step]) -> [[Step]] {
    var pieces: [[Step]] = []
    var piece: [Step] = []
    for step in steps {
      if let last = piece.last {
        if step.time <= last.time { continue }
        let (seconds, metres) = between(last, step)
        let isFlight = metres >= flight.way && metres >= flight.speed * seconds
        if seconds > maximumGap, !isFlight {
          pieces.append(piece)
          piece = []
        }
      }
      piece.append(step)
    }
    pieces.append(piece)
    return pieces
  }

  private static func trip(
    of steps: [Step], _ reports: [TripReport], _ model: ModeModel, _ roads: TripRoads?
  ) -> FoundTrip? {
    guard let first = steps.first, let last = steps.last, last.time - first.time >= minimumDuration,
      last.metres - first.metres >= minimumDistance,
      last.metres - first.metres <= Plausibility.fastest * Double(last.time - first.time) / 1000
    else { return nil }
    let runs = runs(of: steps)
    var parts = runs.map { segment(of: Array(steps[$0.steps]), $0.kind, reports, model, roads) }
    // A passenger does not change the vehicle during a gap between two parts of the same mode.
    for (index, run) in runs.enumerated().dropFirst().dropLast() where run.kind == .gap && !parts[index].isReported {
      let mode = parts[index - 1].mode
      if mode == parts[index + 1].mode, mode != .walk, run.metres > walking * run.seconds, parts[index].mode != .plane {
        parts[index].mode = mode
        parts[index].confidence = 0.5
      }
    }
    var segments: [FoundTrip.Segment] = []
    for part in parts {
      if let before = segments.last, before.mode == part.mode, before.isReported == part.isReported {
        segments[segments.count - 1] = joined(before, part)
      } else {
        segments.append(part)
      }
    }
    if let roads { measure(&segments, steps, along: roads) }
    // The start of the first part is that of the trip.
    if !segments.isEmpty { segments[0].from = nil }
    return FoundTrip(
      start: first.time, end: last.time, from: [first.latitude, first.longitude], to: [last.latitude, last.longitude],
      segments: segments)
  }

  private static func joined(_ a: FoundTrip.Segment, _ b: FoundTrip.Segment) -> FoundTrip.Segment {
    let whole = a.distance + b.distance
    var joined = a
    joined.end = b.end
    joined.distance = whole
    joined.moving += b.moving
    joined.topSpeed = max(a.topSpeed, b.topSpeed)
    joined.probabilities = ModeProbabilities.joined((a.probabilities, a.distance), (b.probabilities, b.distance))
    joined.confidence =
      whole > 0 ? rounded((a.confidence * a.distance + b.confidence * b.distance) / whole) : min(a.confidence, b.confidence)
    return joined
  }

  // MARK: Runs

  private enum Kind { case slow, fast, gap }

  /// Consecutive steps of one kind. The last step is also the first step of the next run.
  private struct Run {
    var kind: Kind
    var steps: ClosedRange<Int>
    var seconds: Double
    var metres: Meters
  }

  private static func between(_ a: Step, _ b: Step) -> (seconds: Double, metres: Meters) {
    (Double(b.time - a.time) / 1000, max(0, b.metres - a.metres))
  }

  private static func run(_ kind: Kind, _ range: ClosedRange<Int>, of steps: [Step]) -> Run {
    let (seconds, metres) = between(steps[range.lowerBound], steps[range.upperBound])
    return Run(kind: kind, steps: range, seconds: seconds, metres: metres)
  }

  private static func runs(of steps: [Step]) -> [Run] {
    // A step without a measured speed gets the kind of its neighbours.
    let last = steps.count - 1
    var ends = 0...last
    if last > 1, steps[0].isPlace, between(steps[0], steps[1]).seconds <= gap { ends = 1...last }
    if last > ends.lowerBound + 1, steps[last].isPlace, between(steps[last - 1], steps[last]).seconds <= gap {
      ends = ends.lowerBound...last - 1
    }
    var windows: [Run] = []
    var start = ends.lowerBound
    for index in start + 1...ends.upperBound {
      if between(steps[index - 1], steps[index]).seconds > gap {
        if index - 1 > start { windows.append(window(start...index - 1, steps)) }
        windows.append(run(.gap, index - 1...index, of: steps))
        start = index
      } else if between(steps[start], steps[index]).seconds >= window {
        windows.append(window(start...index, steps))
        start = index
      } else if index == ends.upperBound {
        // The rest is too short for a classification next to a longer part.
        if let before = windows.last, before.kind != .gap, before.steps.upperBound == start {
          windows[windows.count - 1] = window(before.steps.lowerBound...index, steps)
        } else {
          windows.append(window(start...index, steps))
        }
      }
    }
    if let first = windows.first, first.steps.lowerBound > 0 {
      windows[0] = run(first.kind, 0...first.steps.upperBound, of: steps)
    }
    if let end = windows.last, end.steps.upperBound < last {
      windows[windows.count - 1] = run(end.kind, end.steps.lowerBound...last, of: steps)
    }
    var runs = coalesced(windows, steps)
    // Short rides are merged first, so that noise does not divide a walk into parts that look like waiting.
    runs = absorbed(runs, steps, into: .slow) { run, _ in
      run.kind == .fast && (run.seconds < minimumRide || run.metres < minimumRideDistance)
        && run.metres < riding * run.seconds
    }
    runs = absorbed(runs, steps, into: .fast) { run, isInside in
      guard run.kind == .slow else { return false }
      if isInside { return run.seconds < minimumWalk || run.metres < max(minimumWalkDistance, waiting * run.seconds) }
      return run.seconds < minimumWalk / 2 || run.metres < minimumWalkDistance
    }
    return runs
  }

  private static func window(_ range: ClosedRange<Int>, _ steps: [Step]) -> Run {
    var window = run(.slow, range, of: steps)
    if window.metres > walking * window.seconds { window.kind = .fast }
    return window
  }

  /// Joins neighbouring runs of one kind.
  private static func coalesced(_ runs: [Run], _ steps: [Step]) -> [Run] {
    var joined: [Run] = []
    for next in runs {
      if let last = joined.last, last.kind == next.kind, next.kind != .gap {
        joined[joined.count - 1] = run(last.kind, last.steps.lowerBound...next.steps.upperBound, of: steps)
      } else {
        joined.append(next)
      }
    }
    return joined
  }

  /// Changes the kind of short runs to that of their neighbours.
  /// - Parameter isShort: receives a run, and whether both neighbours have the kind. Returns whether the run is changed.
  private static func absorbed(
    _ runs: [Run], _ steps: [Step], into kind: Kind, where isShort: (Run, Bool) -> Bool
  ) -> [Run] {
    var changed = runs
    for index in runs.indices {
      let before = index > 0 ? runs[index - 1].kind == kind : false
      let after = index + 1 < runs.count ? runs[index + 1].kind == kind : false
      if before || after, isShort(runs[index], before && after) { changed[index].kind = kind }
    }
    return coalesced(changed, steps)
  }

  /// Measures the parts along roads.
  private static func measure(_ segments: inout [FoundTrip.Segment], _ steps: [Step], along roads: TripRoads) {
    for index in segments.indices {
      let times = segments[index].start...segments[index].end
      let part = steps.lazy.filter { times.contains($0.time) }
      if let length = roads.length(of: part, by: segments[index].mode) { segments[index].distance = length }
    }
  }

  // MARK: Modes

  private static func segment(
    of steps: [Step], _ kind: Kind, _ reports: [TripReport], _ model: ModeModel, _ roads: TripRoads?
  ) -> FoundTrip.Segment {
    // A run has at least two steps.
    let (first, last) = (steps[0], steps[steps.count - 1])
    let (seconds, metres) = between(first, last)
    var meter = MotionMeter()
    var moving = 0.0
    for (index, step) in steps.enumerated() {
      if !step.isPlace { meter.add(step.coordinate, at: Date(millisecondsSince1970: step.time)) }
      guard index > 0 else { continue }
      let (seconds, metres) = between(steps[index - 1], step)
      if metres >= still * seconds { moving += seconds }
    }
    let features = kind == .gap ? nil : meter.features
    var decision =
      said(of: first.time..<last.time, reports) ?? measuredMode(of: steps, features) ?? reported(by: features, kind, steps, model)
    if let roads { decision = Self.decision(decision, on: roads, steps, model) }
    if metres > decision.mode.fastest * seconds, seconds > 0 {
      decision = Decision(TravelMode(averageSpeed: metres / seconds), 0.5)
    }
    return FoundTrip.Segment(
      mode: decision.mode, confidence: rounded(decision.confidence), isReported: decision.isReported, start: first.time,
      end: last.time, distance: metres, moving: moving, topSpeed: ((features?.topSpeed ?? 0) * 100).rounded() / 100,
      from: [first.latitude, first.longitude], probabilities: decision.probabilities)
  }

  /// The mode of a part, and the basis of the decision.
  private struct Decision {
    var mode: TravelMode
    /// 0…1.
    var confidence: Double
    var isReported = false
    /// See ``FoundTrip/Segment/probabilities``.
    var probabilities: [Double]?
    /// The probabilities of the model, if the model decided.
    var kinds: KindProbabilities?

    init(_ mode: TravelMode, _ confidence: Double, isReported: Bool = false, probabilities: [Double]? = nil) {
      self.mode = mode
      self.confidence = confidence
      self.isReported = isReported
      self.probabilities = probabilities
    }
  }

  /// Returns the mode of the first reported trip that overlaps at least 80 % of the part; `nil` if there is none.
  private static func said(of times: Range<Int64>, _ reports: [TripReport]) -> Decision? {
    for report in reports {
      guard let mode = TravelMode(word: report.mode) else { continue }
      let common = min(report.end, times.upperBound) - max(report.start, times.lowerBound)
      if Double(common) >= 0.8 * Double(times.upperBound - times.lowerBound) {
        return Decision(mode, 0.95, isReported: true)
      }
    }
    return nil
  }

  /// Returns the mode that the motion chip detected most of the time; `nil` if there is none, or the speed contradicts it.
  private static func measuredMode(of steps: [Step], _ features: MotionFeatures?) -> Decision? {
    guard let features else { return nil }
    var seconds: [TravelMode: Double] = [:]
    var all = 0.0
    for (step, next) in zip(steps, steps.dropFirst()) {
      let length = min(60, between(step, next).seconds)
      all += length
      if let mode = TravelMode(Motion(rawValue: step.motion)) { seconds[mode, default: 0] += length }
    }
    for mode in TravelMode.allCases where seconds[mode, default: 0] >= majority * all && all > 0 {
      let fast = features.fastSpeed
      switch mode {
      case .walk where fast > 4: return nil
      case .run where fast > 8: return nil
      case .cycle where fast > 18: return nil
      case .car where features.topSpeed >= rail: return Decision(railOrAir(features.topSpeed), 0.8)
      case .walk: return Decision(mode, 0.95, probabilities: ModeProbabilities.measured(.walk, 0.95))
      case .cycle: return Decision(mode, 0.95, probabilities: ModeProbabilities.measured(.bike, 0.95))
      case .car: return Decision(mode, 0.95, probabilities: ModeProbabilities.measured(.motor, 0.95))
      default: return Decision(mode, 0.95)
      }
    }
    return nil
  }

  private static func railOrAir(_ speed: MetersPerSecond) -> TravelMode { speed >= flying ? .plane : .train }

  /// Returns the mode according to the positions alone.
  private static func reported(
    by features: MotionFeatures?, _ kind: Kind, _ steps: [Step], _ model: ModeModel
  ) -> Decision {
    guard let features else {
      let (seconds, metres) = between(steps[0], steps[steps.count - 1])
      let speed = seconds > 0 ? metres / seconds : 0
      if kind == .gap {
        if metres >= flight.way, speed >= flight.speed { return Decision(.plane, 0.8) }
        return speed >= driving ? Decision(.car, 0.4) : Decision(.unknown, 0)
      }
      return Decision(.walk, 0.5)
    }
    // Few positions lower the confidence.
    let known = steps.count >= 10 ? 1 : steps.count >= 4 ? 0.8 : 0.6
    if features.topSpeed >= rail { return Decision(railOrAir(features.topSpeed), 0.8 * known) }
    guard let movement = movement(along: steps) else { return Decision(.walk, 0.9 * known) }
    let probabilities = model.probabilities(of: movement)
    let mode = probabilities.bestMode
    // A slow part may be a bicycle. If the model classifies it as motorized, it is waiting, or a walk between two rides.
    let stored = ModeProbabilities.stored(probabilities, hasEngine: kind != .slow)
    if kind == .slow, mode == .motor { return Decision(.walk, 0.9 * known, probabilities: stored) }
    var decision = Decision(TravelMode(mode), probabilities[mode: mode] * known, probabilities: stored)
    decision.kinds = probabilities
    return decision
  }

  /// Changes the mode of a motorized part on rails to train.
  private static func decision(_ decision: Decision, on roads: TripRoads, _ steps: [Step], _ model: ModeModel) -> Decision {
    guard decision.mode == .car, !decision.isReported, decision.probabilities != nil,
      let kinds = decision.kinds ?? movement(along: steps).map(model.probabilities)
    else { return decision }
    let probability = roads.probabilityOfRails(steps, kinds)
    guard probability > 0.5 else { return decision }
    return Decision(.train, decision.confidence * probability, probabilities: decision.probabilities)
  }

  /// Returns the features of movement for the model; only parts without a report need them.
  private static func movement(along steps: [Step]) -> MovementFeatures? {
    var meter = MovementMeter()
    for step in steps where !step.isPlace { meter.add(step.coordinate, at: Date(millisecondsSince1970: step.time)) }
    return meter.features
  }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
