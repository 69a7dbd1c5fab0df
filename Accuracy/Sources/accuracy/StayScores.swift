import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel

/// Compares the stays of the timeline and of other programs with the diaries of ``StayDiaries``.
enum StayScores {
  /// Stays that another program found.
  private struct Program {
    var name: String
    var stays: [String: [StayScore.Stay]] = [:]
  }

  /// Prints the scores for some users.
  /// - Parameters:
  ///   - users: the users, separated by commas.
  ///   - others: a file of lines "program,user,start,end", or `nil`.
  static func printTable(of data: StayDiaries, users: String, others: String?) throws {
    let names = users.split(separator: ",").map(String.init)
    for name in names where !data.users.contains(name) {
      throw DatasetError(path: name, reason: "there is no such user; expected \(data.users.joined(separator: ", "))")
    }
    var programs = try others.map(read) ?? []
    var timeline = Program(name: "Godwit")
    var samples: [String: [StayDiaries.Sample]] = [:]
    for name in names {
      samples[name] = try data.samples(of: name)
      timeline.stays[name] = stays(in: samples[name] ?? [])
    }
    programs.insert(timeline, at: 0)
    let count = samples.values.reduce(0) { $0 + $1.count }
    print("\(count) positions of \(names.joined(separator: ", "))\n")
    print(
      "| program | right | balanced | F1 | stays of the diary | missed | in pieces | found | arrival off, median | 95 % | departure off, median | 95 % |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for program in programs {
      var score = StayScore()
      for name in names { score.add(samples[name] ?? [], found: program.stays[name] ?? []) }
      let found = names.reduce(0) { $0 + (program.stays[$1]?.count ?? 0) }
      let shares = [score.accuracy * 100, score.balancedAccuracy, score.f1]
      let texts = zip(["%.1f %%", "%.3f", "%.3f"], shares).map { String(format: $0, $1) }
      let counts = [score.stays, score.missed, score.inPieces, found].map(String.init)
      let times = [score.arrivals, score.departures].flatMap { [text(of: $0, at: 0.5), text(of: $0, at: 0.95)] }
      print("| " + ([program.name] + texts + counts + times).joined(separator: " | ") + " |")
    }
  }

  /// Formats a quantile of seconds in seconds or minutes.
  static func text(of seconds: [Double], at share: Double) -> String {
    guard let value = StayScore.quantile(seconds, share) else { return "–" }
    return value < 120 ? "\(Int(value)) s" : String(format: "%.1f min", value / 60)
  }

  /// Returns the visits of the timeline.
  private static func stays(in samples: [StayDiaries.Sample]) -> [StayScore.Stay] {
    let points = samples.compactMap { sample in
      Coordinate(latitude: sample.latitude, longitude: sample.longitude).map {
        TimelinePoint($0, at: Date(timeIntervalSince1970: Double(sample.time)))
      }
    }
    return TimelineBuilder.Results(of: points).visits.map { StayScore.Stay(start: $0.arrival / 1000, end: $0.end / 1000) }
  }

  private static func read(_ path: String) throws -> [Program] {
    var programs: [Program] = []
    for line in try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline) {
      let fields = line.split(separator: ",").map(String.init)
      guard fields.count == 4, let start = Double(fields[2]), let end = Double(fields[3]), start <= end, abs(end) < 1e11 else {
        throw DatasetError(path: path, reason: "\"\(line)\" is not a program, a user, a start and an end")
      }
      let index = programs.firstIndex { $0.name == fields[0] } ?? programs.endIndex
      if index == programs.endIndex { programs.append(Program(name: fields[0])) }
      programs[index].stays[fields[1], default: []].append(StayScore.Stay(start: Int64(start), end: Int64(end)))
    }
    return programs
  }
}
