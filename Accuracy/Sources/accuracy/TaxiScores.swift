import AccuracyData
import Foundation
import GodwitModel
import GodwitRoads

/// Compares the matched roads of sparse tracks with the true routes of ``SparseTaxi``.
enum TaxiScores {
  /// A true line with a greater distance in metres from a recorded position does not cover the whole track.
  private static let maximumDistance = 250.0

  private struct Scores {
    var tracks = 0
    var positions = 0
    var intervals: [Double] = []
    var lines = LineScore()
    /// The score of the true arcs against the true line: its curves are straight in the arcs.
    var best = LineScore()
    var arcs = RouteScore()

    static func += (sum: inout Scores, other: Scores) {
      sum.tracks += other.tracks
      sum.positions += other.positions
      sum.intervals += other.intervals
      sum.lines.add(other.lines)
      sum.best.add(other.best)
      sum.arcs.add(other.arcs)
    }
  }

  static func printTable(of data: SparseTaxi) {
    print("\(data.roads.lengths.count) arcs; a line is found within \(Int(LineScore.tolerance)) m\n")
    print(
      "| set | tracks | positions | seconds between, median | arcs, km | correct | missing | too much | mismatch | lines, km | found | too much | found by the true arcs |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    var (all, whole) = (Scores(), Scores())
    for collection in data.collections {
      var scores = Scores()
      for track in collection.tracks {
        var score = measured(track, data.roads)
        if collection.hasPlaceholders { score.intervals = [] }
        scores += score
        if isWhole(track) { whole += score }
      }
      print(row(collection.name, scores))
      all += scores
    }
    print(row("all", all))
    print(row("true line near all positions", whole))
  }

  private static func measured(_ track: SparseTaxi.Track, _ roads: RoadArcs) -> Scores {
    var scores = Scores(tracks: 1, positions: track.fixes.count)
    scores.intervals = zip(track.fixes, track.fixes.dropFirst()).map { $1.time - $0.time }
    var matcher = RoadMatcher(roads.graph, travel: .motor)
    let routes = matcher.match(track.fixes)
    scores.lines.add(truth: track.line, given: routes.map { $0.line(in: roads.graph) })
    if let route = track.route {
      scores.arcs.add(truth: route, given: roads.arcs(of: routes), lengths: roads.lengths)
      scores.best.add(truth: track.line, given: roads.lines(of: route))
    }
    return scores
  }

  private static func isWhole(_ track: SparseTaxi.Track) -> Bool {
    track.positions.allSatisfy { LineScore.distance(of: $0, from: track.line) <= maximumDistance }
  }

  private static func row(_ name: String, _ scores: Scores) -> String {
    func percent(_ value: Double, _ sum: Double) -> String { sum > 0 ? String(format: "%.1f %%", value / sum * 100) : "–" }
    let (lines, best, arcs) = (scores.lines, scores.best, scores.arcs)
    let intervals = scores.intervals.sorted()
    let median = intervals.isEmpty ? "–" : "\(Int(intervals[intervals.count / 2]))"
    let fields = [
      name, "\(scores.tracks)", "\(scores.positions)", median, arcs.truth > 0 ? "\(Int(arcs.truth / 1000))" : "–",
      percent(arcs.correct, arcs.truth > 0 ? max(arcs.truth, arcs.given) : 0), percent(arcs.truth - arcs.correct, arcs.truth),
      percent(arcs.given - arcs.correct, arcs.truth), percent(arcs.mismatch * arcs.truth, arcs.truth),
      "\(Int(lines.truth / 1000))", percent(lines.found, lines.truth), percent(lines.wrong, lines.truth),
      percent(best.found, best.truth),
    ]
    return "| " + fields.joined(separator: " | ") + " |"
  }
}
