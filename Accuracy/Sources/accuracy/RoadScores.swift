import AccuracyData
import Foundation
import GodwitRoads

/// Compares the matched roads of tracks, and those of another program, with the true routes of ``RoadTracks``.
enum RoadScores {
  /// Seconds between the positions of thinned tracks; 0 keeps all.
  private static let intervals = [0, 10, 30, 60, 120]

  /// Prints the scores of some tracks.
  /// - Parameters:
  ///   - range: the numbers of the first and the last track, "0-49".
  ///   - others: a file of lines "track,interval,arc arc …", or `nil`.
  static func printTable(of data: RoadTracks, range: String, others: String?) throws {
    let numbers = range.split(separator: "-").compactMap { Int($0) }
    guard numbers.count == 2, numbers[0] >= 0, numbers[0] <= numbers[1], numbers[1] < data.names.count else {
      throw DatasetError(path: range, reason: "it is no range of tracks between 0 and \(data.names.count - 1), such as 0-49")
    }
    let others = try others.map(read)
    var scores = [RouteScore](repeating: RouteScore(), count: intervals.count)
    var otherScores = scores
    var counts = [Int](repeating: 0, count: intervals.count)
    var times = [Duration](repeating: .zero, count: intervals.count)
    var distances = [RoadDistances](repeating: RoadDistances(), count: intervals.count)
    var bytes = 0
    for name in data.names[numbers[0]...numbers[1]] {
      let track = try data.track(name)
      bytes = max(bytes, track.roads.graph.byteCount)
      for (index, interval) in intervals.enumerated() {
        let fixes = thinned(track.fixes, Double(interval))
        var routes: [MatchedRoute] = []
        times[index] += ContinuousClock().measure {
          var matcher = RoadMatcher(track.roads.graph, travel: .motor)
          routes = matcher.match(fixes)
        }
        counts[index] += fixes.count
        distances[index].add(fixes, track)
        scores[index].add(truth: track.route, given: track.roads.arcs(of: routes), lengths: track.roads.lengths)
        guard let others else { continue }
        guard let arcs = others["\(name),\(interval)"] else {
          throw DatasetError(path: name, reason: "the other program has no route at \(interval) s")
        }
        guard arcs.allSatisfy(track.roads.lengths.indices.contains) else {
          throw DatasetError(path: name, reason: "the other program has an arc that is not there")
        }
        otherScores[index].add(truth: track.route, given: arcs, lengths: track.roads.lengths)
      }
    }
    print("\(numbers[1] - numbers[0] + 1) tracks, \(Int(scores[0].truth / 1000)) km; the largest graph has \(bytes >> 10) KiB\n")
    print(
      "| seconds between positions | positions | correct | missing | too much | the other program, correct | missing | too much | a second |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for (index, interval) in intervals.enumerated() {
      let texts = text(of: scores[index]) + text(of: otherScores[index])
      let name = interval == 0 ? "all" : "\(interval)"
      let seconds = times[index] / .seconds(1)
      print("| \(name) | \(counts[index]) | " + texts.joined(separator: " | ") + " | \(Int(Double(counts[index]) / seconds)) |")
    }
    print("\nDistances, by those of the true routes\n\n\(RoadDistances.header)\n|---|---|---|---|---|")
    for (index, interval) in intervals.enumerated() { print(distances[index].row(interval == 0 ? "all" : "\(interval)")) }
  }

  /// Returns the correct share, and the missing and the surplus length divided by the true length.
  private static func text(of score: RouteScore) -> [String] {
    guard score.truth > 0 else { return ["–", "–", "–"] }
    let missing = (score.truth - score.correct) / score.truth
    let added = (score.given - score.correct) / score.truth
    return [score.share, missing, added].map { String(format: "%.2f %%", $0 * 100) }
  }

  private static func thinned(_ fixes: [RoadFix], _ interval: Double) -> [RoadFix] {
    var kept: [RoadFix] = []
    for fix in fixes where interval == 0 || kept.last.map({ fix.time >= $0.time + interval }) ?? true { kept.append(fix) }
    return kept
  }

  private static func read(_ path: String) throws -> [String: [Int]] {
    var routes: [String: [Int]] = [:]
    for line in try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline) {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let arcs = fields.count == 3 ? fields[2].split(separator: " ").compactMap { Int($0) } : []
      guard fields.count == 3, arcs.count == fields[2].split(separator: " ").count else {
        throw DatasetError(path: path, reason: "\"\(line.prefix(60))\" is not a track, an interval and arcs")
      }
      routes["\(fields[0]),\(fields[1])"] = arcs
    }
    return routes
  }
}
