import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitModes
import GodwitTracks

/// Compares the modes of the timeline's trips on GeoLife with the labels. The timeline finds the parts of trips from all positions of a
/// person.
enum TimelineModeScores {
  /// The results in the periods of labels.
  private struct Scores {
    /// Seconds and metres, by the mode of the label and the found mode.
    var seconds = ConfusionMatrix(classes: TransportMode.allCases.map(\.rawValue))
    var metres = ConfusionMatrix(classes: TransportMode.allCases.map(\.rawValue))
    /// Seconds of labels, and of those that are in a trip with a known mode.
    var labelled = 0.0
    var found = 0.0
  }

  static func printTable(of data: GeoLife, groups: PersonGroups, models: String) throws {
    var scores = Scores()
    try groups.forEachPerson(of: data, models: models) { person, model in
      try add(trips(of: data.positions(of: person), model), try data.segments(of: person), &scores)
    }
    print("GeoLife, the parts of the timeline's trips in labelled times, each judged by a model that never saw its person")
    for (name, matrix) in [("time", scores.seconds), ("distance", scores.metres)] {
      let recalls = matrix.classes.enumerated().map { "\($1) \(matrix.recall($0).map(ModeScores.percent) ?? "–")" }
      print(
        "of the \(name) \(ModeScores.percent(matrix.accuracy)) are right, balanced \(ModeScores.percent(matrix.balancedAccuracy)); "
          + recalls.joined(separator: ", "))
    }
    print("in a trip: \(ModeScores.percent(scores.found / max(1, scores.labelled))) of the labelled time")
  }

  /// Returns the trips that the timeline finds.
  static func trips(of positions: [TrackPoint], _ model: ModeModel) -> [FoundTrip] {
    let points = positions.compactMap { position in position.time.map { TimelinePoint(position.coordinate, at: $0) } }
    return TimelineBuilder.Results(of: points).tracks.flatMap { TripMaker.trips(of: $0, by: model, along: nil) }
  }

  private static func add(_ trips: [FoundTrip], _ labels: [GeoLife.Segment], _ scores: inout Scores) {
    let segments = trips.flatMap(\.segments)
    for label in labels {
      guard let truth = GeoLife.kind(of: label.label)?.mode else { continue }
      let (start, end) = (label.start.millisecondsSince1970, label.end.millisecondsSince1970)
      scores.labelled += Double(end - start) / 1000
      for segment in segments where segment.start < end && segment.end > start {
        guard let mode = TransportMode(segment.mode) else { continue }
        let common = Double(min(segment.end, end) - max(segment.start, start)) / 1000
        scores.found += common
        scores.seconds.add(truth: truth.index, given: mode.index, Int(common.rounded()))
        let share = common * 1000 / Double(max(1, segment.end - segment.start))
        scores.metres.add(truth: truth.index, given: mode.index, Int((segment.distance * share).rounded()))
      }
    }
  }
}

extension TransportMode {
  /// Converts a mode to one of three classes. Returns `nil` for an unknown mode.
  init?(_ mode: TravelMode) {
    switch mode {
    case .walk, .run: self = .walk
    case .cycle: self = .bike
    case .car, .train, .plane, .boat: self = .motor
    case .unknown: return nil
    }
  }
}
