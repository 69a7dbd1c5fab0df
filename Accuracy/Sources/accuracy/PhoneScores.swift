import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitModes

/// Scores of the timeline and of the model on MobilityNet's phones, by setting.
enum PhoneScores {
  /// The minimum durations in seconds of a stay that is counted, and of a part whose kind is classified.
  private static let minimumStay = 300.0
  private static let minimumLeg = 60.0

  /// The scores of one setting of one system.
  private struct Scores {
    var periods = 0
    var stays = 0
    var missed = 0
    var inPieces = 0
    /// Absolute errors of departures and arrivals in seconds.
    var departures: [Double] = []
    var arrivals: [Double] = []
    /// Visits that are completely within a trip.
    var inTrips = 0
    var parts = PartScores()

    static func + (a: Scores, b: Scores) -> Scores {
      var sum = a
      sum.periods += b.periods
      sum.stays += b.stays
      sum.missed += b.missed
      sum.inPieces += b.inPieces
      sum.departures += b.departures
      sum.arrivals += b.arrivals
      sum.inTrips += b.inTrips
      sum.parts += b.parts
      return sum
    }
  }

  static func printTables(of data: MobilityNet) throws {
    var scores: [String: Scores] = [:]
    for phone in data.phones {
      for period in data.periods(of: phone) {
        let fixes = try data.fixes(of: period)
        let key = "\(MobilityNet.model(isApple: period.isApple)) | \(period.setting)"
        scores[key, default: Scores()] = scores[key, default: Scores()] + measured(fixes, in: period, data)
      }
    }
    let legs = data.legs.count { $0.mode != "STOPPED" }
    print("MobilityNet: \(data.trips.count) trips, \(legs) parts of them that move, on \(data.phones.count) phones\n")
    printStays(scores)
    print("")
    printModes(scores)
  }

  private static func printStays(_ scores: [String: Scores]) {
    print(
      "| phone | setting | days | stays | missed | in pieces | departure off, median | 95 % | arrival off, median | 95 % | stays in trips |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for (key, score) in rows(scores) {
      let times = [score.departures, score.arrivals].flatMap {
        [StayScores.text(of: $0, at: 0.5), StayScores.text(of: $0, at: 0.95)]
      }
      let counts = [score.periods, score.stays, score.missed, score.inPieces].map(String.init)
      print("| " + ([key] + counts + times + [String(score.inTrips)]).joined(separator: " | ") + " |")
    }
  }

  private static func printModes(_ scores: [String: Scores]) {
    print(
      "| phone | setting | parts | six rules | model, 3 classes | balanced | parts of six kinds | model, 6 classes | balanced |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (key, score) in rows(scores) where score.parts.three.total > 0 {
      let parts = score.parts
      let shares = [parts.rules.accuracy, parts.three.accuracy, parts.three.balancedAccuracy].map(ModeScores.percent)
      let six = [parts.six.accuracy, parts.six.balancedAccuracy].map(ModeScores.percent)
      print("| " + ([key, String(parts.three.total)] + shares + [String(parts.six.total)] + six).joined(separator: " | ") + " |")
    }
  }

  /// The rows of each setting and of all settings.
  private static func rows(_ scores: [String: Scores]) -> [(String, Scores)] {
    scores.sorted { $0.key < $1.key } + [("all | ", scores.values.reduce(Scores(), +))]
  }

  // MARK: One period

  private static func measured(_ fixes: [Fix], in period: MobilityNet.Period, _ data: MobilityNet) -> Scores {
    var scores = Scores()
    guard let first = fixes.first, let last = fixes.last else { return scores }
    scores.periods = 1
    let visits = visits(in: fixes)
    let trips = data.trips.filter { $0.start >= period.start && $0.end <= period.end }
    // The stays before, between and after the trips, within the times of the first and the last fix.
    var edge = max(period.start, first.time)
    for (index, end) in (trips.map(\.start) + [min(period.end, last.time)]).enumerated() {
      if end.timeIntervalSince(edge) >= minimumStay {
        add(visits, from: edge, to: end, hasArrival: index > 0, hasDeparture: index < trips.count, &scores)
      }
      if index < trips.count { edge = trips[index].end }
    }
    scores.inTrips = visits.count { visit in trips.contains { $0.start <= visit.start && $0.end >= visit.end } }
    for leg in data.legs where leg.start >= period.start && leg.end <= period.end { add(leg, fixes, &scores) }
    return scores
  }

  private static func visits(in fixes: [Fix]) -> [DateInterval] {
    let points = fixes.map { TimelinePoint($0.coordinate, at: $0.time, accuracy: $0.horizontalAccuracy) }
    return TimelineBuilder.Results(of: points).visits.map {
      DateInterval(
        start: Date(timeIntervalSince1970: Double($0.arrival) / 1000),
        end: Date(timeIntervalSince1970: Double(max($0.arrival, $0.end)) / 1000))
    }
  }

  /// Compares a true stay with the visits that overlap it: its departure with the end of the last one, its arrival with the start of the
  /// first one.
  private static func add(
    _ visits: [DateInterval], from start: Date, to end: Date, hasArrival: Bool, hasDeparture: Bool, _ scores: inout Scores
  ) {
    let found = visits.filter { min($0.end, end).timeIntervalSince(max($0.start, start)) > 60 }
    scores.stays += 1
    guard let first = found.first, let last = found.last else {
      scores.missed += 1
      return
    }
    if found.count > 1 { scores.inPieces += 1 }
    if hasArrival { scores.arrivals.append(abs(first.start.timeIntervalSince(start))) }
    if hasDeparture { scores.departures.append(abs(last.end.timeIntervalSince(end))) }
  }

  private static func add(_ leg: MobilityNet.Leg, _ fixes: [Fix], _ scores: inout Scores) {
    guard leg.end.timeIntervalSince(leg.start) >= minimumLeg, let mode = mode(of: leg.mode) else { return }
    let positions = fixes.filter { $0.time >= leg.start && $0.time <= leg.end }.map { ($0.coordinate, $0.time) }
    scores.parts.add(positions, mode: mode, kind: MobilityNet.kind(of: leg.mode))
  }

  /// Returns one of three classes, which include light rail. Light rail is none of the six kinds.
  private static func mode(of word: String) -> TransportMode? {
    word == "LIGHT_RAIL" ? .motor : MobilityNet.kind(of: word)?.mode
  }
}
