internal import GodwitModel
internal import GodwitModes
package import GodwitStore

/// The modes of a device's trips that users corrected or confirmed. They are examples for the modes of other trips, see ``ModeHabits``.
///
/// The examples are applied when the timeline is read, before the corrections. Therefore undoing a correction has an immediate effect, and
/// nothing is computed again. A part with its own correction is not changed, and neither is a part whose mode the device reported.
package struct TripHabits {
  /// Maximum number of corrections that are used, the newest first.
  package static let maximum = 1_000

  /// A part of a computed trip.
  private struct Key: Hashable {
    var start: Int64
    var end: Int64

    init(_ segment: FoundTrip.Segment) { (start, end) = (segment.start, segment.end) }
  }

  /// A part whose mode a user set, and its index among the examples.
  private struct Stated {
    var mode: TravelMode
    var example: Int?
  }

  private var habits = ModeHabits(modes: TravelMode.allCases.count)
  private var stated: [Key: Stated] = [:]

  package var isEmpty: Bool { stated.isEmpty }

  /// No examples.
  init() {}

  /// Reads the examples of a device.
  /// - Throws: the store's error.
  package init(ofDevice device: Int64, _ db: any SQLConnection) throws {
    let corrections = try CorrectionTable.ofModes(ofDevice: device, limit: Self.maximum, db)
    let first = corrections.map(\.id).min()
    self.init(corrections, of: try first.map { try TimelineRows(db).trips(ofDevice: device, correctedSince: $0) } ?? [])
  }

  /// - Parameters:
  ///   - corrections: the corrections, in the order of their creation. Only modes and confirmations have an effect.
  ///   - trips: the computed trips to which they apply, in the order of their starts.
  package init(_ corrections: [TimelineCorrection], of trips: [FoundTrip]) {
    for correction in corrections where correction.undone == nil {
      let times = correction.body.reach
      let rules = CorrectionRules(Self.overlapping(times, trips).map { .trip(ShownTrip($0)) })
      switch correction.body.action {
      case .mode(let mode):
        for (entry, part) in rules.parts(in: times) {
          if let trip = rules.entries[entry].trip?.trip { state(mode, part, of: trip) }
        }
      case .confirm where correction.body.target.kind == .trip:
        // The shown modes are confirmed: modes that were corrected before, or that the previous examples changed.
        for trip in rules.matches(correction.body).compactMap({ $0.trip?.trip }) {
          let shown = applied(to: trip)
          for part in trip.segments.indices { state(shown.segments[part].mode, part, of: trip) }
        }
      default: break
      }
    }
  }

  /// Returns the trips that overlap a time.
  private static func overlapping(_ times: ClosedRange<Int64>, _ trips: [FoundTrip]) -> ArraySlice<FoundTrip> {
    let end = trips.partitioningIndex { $0.start > times.upperBound }
    var start = end
    while start > 0, trips[start - 1].end >= times.lowerBound { start -= 1 }
    return trips[start..<end]
  }

  private mutating func state(_ mode: TravelMode, _ index: Int, of trip: FoundTrip) {
    let key = Key(trip.segments[index])
    let number = Self.number(of: mode)
    if let example = stated[key]?.example {
      habits.set(example, to: number)
      stated[key]?.mode = mode
    } else {
      let example = number.flatMap { number in Self.part(index, of: trip).map { habits.add($0, mode: number) } }
      stated[key] = Stated(mode: mode, example: example)
    }
  }

  // MARK: Applying

  /// Returns a computed trip with the modes that result from the examples.
  package func applied(to trip: FoundTrip) -> FoundTrip {
    guard !isEmpty else { return trip }
    var changed = trip
    for (index, segment) in trip.segments.enumerated() {
      if let own = stated[Key(segment)] {
        changed.segments[index].isLearned = own.mode != segment.mode
        changed.segments[index].mode = own.mode
      } else if let result = mode(of: index, trip) {
        changed.segments[index].isLearned = result.mode != segment.mode
        changed.segments[index].mode = result.mode
        changed.segments[index].confidence = result.confidence
      }
    }
    return changed
  }

  /// Returns the mode of a part that results from the examples; `nil` if no example is similar, or the device reported the mode.
  private func mode(of index: Int, _ trip: FoundTrip) -> (mode: TravelMode, confidence: Double)? {
    let segment = trip.segments[index]
    guard !segment.isReported, let part = Self.part(index, of: trip) else { return nil }
    let seconds = Double(segment.end - segment.start) / 1000
    let likelihoods = TravelMode.allCases.map { mode in
      segment.distance <= mode.fastest * seconds ? Self.likelihood(of: mode, part.probabilities) : 0
    }
    // The modes that positions can distinguish. Rails change the mode of a part with an engine to train.
    let usual: [TravelMode] = [.walk, .cycle, segment.mode == .train ? .train : .car]
    guard
      let results = habits.probabilities(
        of: part, likelihoods: likelihoods, usual: TravelMode.allCases.map { usual.contains($0) })
    else { return nil }
    // Of modes with equal probabilities, the first one in order is used, so that the result is deterministic.
    let best = results.indices.reduce(0) { results[$1] > results[$0] ? $1 : $0 }
    // If there were few positions, the confidence is lower than the probability. The ratio is kept.
    let probability = part.probabilities.max() ?? 0
    let known = probability > 0 ? min(1, segment.confidence / probability) : 1
    return (TravelMode.allCases[best], (results[best] * known * 100).rounded() / 100)
  }

  /// The likelihood of a mode according to the model. Running is similar to walking and cycling. Trains and boats have an engine.
  private static func likelihood(of mode: TravelMode, _ probabilities: [Double]) -> Double {
    switch mode {
    case .walk: probabilities[0]
    case .cycle: probabilities[1]
    case .run: probabilities[0] + probabilities[1]
    case .car, .train, .boat: probabilities[2]
    case .plane, .unknown: 0
    }
  }

  /// The number of a mode among the examples; `nil` if the mode cannot be an example.
  private static func number(of mode: TravelMode) -> Int? {
    mode == .plane || mode == .unknown ? nil : TravelMode.allCases.firstIndex(of: mode)
  }

  /// Returns the features of a part for the comparison; `nil` if the model did not classify the part.
  private static func part(_ index: Int, of trip: FoundTrip) -> ModeHabits.Part? {
    let segment = trip.segments[index]
    let next = index + 1 < trip.segments.count ? trip.segments[index + 1].from : trip.to
    guard let probabilities = segment.probabilities, probabilities.count == 3, segment.moving > 0,
      let start = place(segment.from ?? trip.from), let end = place(next ?? [])
    else { return nil }
    return ModeHabits.Part(start: start, end: end, speed: segment.distance / segment.moving, probabilities: probabilities)
  }

  private static func place(_ position: [Int32]) -> Coordinate? {
    position.count == 2 ? FixedPosition(latitude: position[0], longitude: position[1]).coordinate : nil
  }
}
