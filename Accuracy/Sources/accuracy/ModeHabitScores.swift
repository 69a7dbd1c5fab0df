import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitModes
import GodwitTracks

/// The effect of corrections of modes on later trips, with GeoLife's labels as the corrections. The parameters of ``ModeHabits`` were
/// chosen with the even groups of people; the odd groups were used once.
enum ModeHabitScores {
  private static let halves = [("even groups", 0), ("odd groups", 1)]

  static func printTable(of data: GeoLife, groups: PersonGroups, models: String) throws {
    print("GeoLife, labelled segments of a minute or more, each judged by a model that never saw its person")
    for (name, remainder) in halves {
      var scores: [(classes: Int, examples: HabitScore.Examples, score: HabitScore)] = [3, 5, 6].flatMap { classes in
        HabitScore.Examples.allCases.map { (classes, $0, HabitScore()) }
      }
      var timeline = HabitTimeline()
      try groups.forEachPerson(of: data, models: models, remainder: remainder) { person, model in
        let samples = try ModeScores.samples(of: person, in: data)
        for index in scores.indices {
          let classes = scores[index].classes
          scores[index].score.add(samples.compactMap { sample($0, model, classes) }, scores[index].examples)
        }
        try timeline.add(person, of: data, model)
      }
      for (classes, examples, score) in scores {
        print("\(name), \(classes) classes, examples are \(text(examples)): \(text(score))")
      }
      print("\(name), \(timeline.text)")
    }
  }

  /// Converts a segment to a sample with probabilities of three, five or six classes.
  private static func sample(_ sample: ModeScores.Sample, _ model: ModeModel, _ classes: Int) -> HabitScore.Sample? {
    guard let first = sample.segment.positions.first, let last = sample.segment.positions.last else { return nil }
    let kinds = model.probabilities(of: sample.features)
    let (weights, truth): ([Double], Int) =
      switch classes {
      case 3: (TransportMode.allCases.map { kinds[mode: $0] }, sample.kind.mode.index)
      case 5: (kinds.ofFive, min(sample.kind.rawValue, 4))
      default: (kinds.weights, sample.kind.rawValue)
      }
    return HabitScore.Sample(
      ModeHabits.Part(
        start: first.coordinate, end: last.coordinate, speed: sample.features.movingSpeed, probabilities: weights),
      truth: truth)
  }

  private static func text(_ examples: HabitScore.Examples) -> String {
    switch examples {
    case .firstHalf: "all of the first half"
    case .wrongOfFirstHalf: "the wrong ones of the first half"
    case .corrected: "all wrong ones before"
    }
  }

  private static func text(_ score: HabitScore) -> String {
    let (alone, with) = (
      Double(score.rightAlone) / Double(max(1, score.parts)), Double(score.right) / Double(max(1, score.parts))
    )
    return
      "\(score.parts) parts, right \(ModeScores.percent(alone)) alone, \(ModeScores.percent(with)) with them; "
      + "\(score.similar) have a similar example, \(score.changedToRight) changed to right, \(score.changedToWrong) to wrong"
  }
}

/// The parts of the timeline's trips with a label for half of their time, as shown to a user that immediately corrects each wrong one.
private struct HabitTimeline {
  private var parts = 0
  private var wrongAlone = 0
  private var wrong = 0
  private var toRight = 0
  private var toWrong = 0

  var text: String {
    "the timeline's parts, each wrong one corrected: \(parts) parts, wrong \(wrongAlone) alone, \(wrong) with the corrections before; "
      + "\(toRight) changed to right, \(toWrong) to wrong"
  }

  mutating func add(_ person: String, of data: GeoLife, _ model: ModeModel) throws {
    let trips = try TimelineModeScores.trips(of: data.positions(of: person), model).sorted { $0.start < $1.start }
    let labels = try data.segments(of: person)
    var corrections: [TimelineCorrection] = []
    var habits = TripHabits([], of: trips)
    for trip in trips {
      let shown = habits.applied(to: trip)
      let before = corrections.count
      for (computed, segment) in zip(trip.segments, shown.segments) {
        guard let truth = truth(of: segment, labels), let alone = TransportMode(computed.mode),
          let given = TransportMode(segment.mode)
        else { continue }
        parts += 1
        if alone != truth { wrongAlone += 1 }
        if given == truth, alone != truth { toRight += 1 }
        if given != truth, alone == truth { toWrong += 1 }
        guard given != truth else { continue }
        wrong += 1
        corrections.append(Self.correction(segment, truth, corrections.count + 1))
      }
      if corrections.count > before { habits = TripHabits(corrections, of: trips) }
    }
  }

  /// Returns the mode of the label that covers at least half of a part's time.
  private func truth(of segment: FoundTrip.Segment, _ labels: [GeoLife.Segment]) -> TransportMode? {
    for label in labels {
      guard let kind = GeoLife.kind(of: label.label) else { continue }
      let common = min(segment.end, label.end.millisecondsSince1970) - max(segment.start, label.start.millisecondsSince1970)
      if common > 0, 2 * common >= segment.end - segment.start { return kind.mode }
    }
    return nil
  }

  private static func correction(_ segment: FoundTrip.Segment, _ truth: TransportMode, _ id: Int) -> TimelineCorrection {
    TimelineCorrection(
      id: Int64(id), device: 1, created: Date(millisecondsSince1970: segment.end),
      body: TimelineCorrection.Body(
        .mode(TravelMode(truth)), of: TimelineCorrection.Target(.trip, start: segment.start, end: segment.end)))
  }
}
