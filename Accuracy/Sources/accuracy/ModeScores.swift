import AccuracyData
import Foundation
import GodwitModel
import GodwitModes
import GodwitTracks

/// The assignment of people to ten groups: a file with lines "PERSON GROUP".
struct PersonGroups {
  let groups: [String: Int]

  init(path: String) throws {
    var groups: [String: Int] = [:]
    for line in try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 2, let group = Int(words[1]) else {
        throw DatasetError(path: path, reason: "\"\(line)\" is not a person and a group")
      }
      groups[words[0]] = group
    }
    self.groups = groups
  }

  /// Calls `body` with each person of some groups, and with the model that was trained without that person.
  /// - Parameters:
  ///   - data: the data set of the people.
  ///   - models: the folder with a model for each group.
  ///   - remainder: the remainder of a group's number divided by two, which selects groups; `nil` selects all groups.
  func forEachPerson(
    of data: GeoLife, models: String, remainder: Int? = nil, _ body: (_ person: String, _ model: ModeModel) throws -> Void
  ) throws {
    for group in Set(groups.values).sorted() where remainder == nil || group % 2 == remainder {
      let model = try ModeModel(text: String(contentsOfFile: "\(models)/\(group).txt", encoding: .utf8))
      for person in data.people where groups[person] == group { try body(person, model) }
    }
  }
}

/// Scores of the modes of transport of GeoLife's labelled segments.
enum ModeScores {
  /// The minimum duration of a segment in seconds.
  static let minimumDuration = 60.0

  /// A labelled segment with movement.
  struct Sample {
    var segment: GeoLife.Segment
    var kind: TransportKind
    var features: MovementFeatures
    var byRules: TransportMode?
  }

  static func samples(of person: String, in data: GeoLife) throws -> [Sample] {
    try data.segments(of: person).compactMap { segment in
      guard let kind = GeoLife.kind(of: segment.label), segment.end.timeIntervalSince(segment.start) >= minimumDuration else {
        return nil
      }
      var (meter, rules) = (MovementMeter(), MotionMeter())
      for position in segment.positions {
        guard let time = position.time else { continue }
        meter.add(position.coordinate, at: time)
        rules.add(position.coordinate, at: time)
      }
      guard let features = meter.features else { return nil }
      return Sample(segment: segment, kind: kind, features: features, byRules: rules.features.map(TransportMode.init))
    }
  }

  static func printFeatures(of data: GeoLife) throws {
    for person in data.people {
      for sample in try samples(of: person, in: data) {
        let times = [sample.segment.start, sample.segment.end].map { String(Int($0.timeIntervalSince1970)) }
        let values = sample.features.values.map { $0.isNaN ? "" : "\(Float($0))" }
        print(([person] + times + [String(sample.kind.rawValue)] + values).joined(separator: ","))
      }
    }
  }

  static func printTable(of data: GeoLife, groups: PersonGroups, models: String) throws {
    let three = TransportMode.allCases.map(\.rawValue)
    let five = ["walk", "bicycle", "bus", "car", "train"]
    var rules = ConfusionMatrix(classes: three)
    var scores = [(3, three), (5, five), (6, five + ["subway"])].flatMap { number, classes in
      ["each part alone", "with its neighbours and habits"].map { ($0, number, ConfusionMatrix(classes: classes)) }
    }
    var calibration = Calibration()
    var speed = ModelSpeed()
    try groups.forEachPerson(of: data, models: models) { person, model in
      let samples = try samples(of: person, in: data)
      speed.measure(samples, model)
      let parts = samples.map {
        KindSequence.Part(
          start: $0.segment.start, end: $0.segment.end, probabilities: model.probabilities(of: $0.features))
      }
      let together = KindSequence(model: model).probabilities(of: parts)
      for (index, sample) in samples.enumerated() {
        rules.add(truth: sample.kind.mode.index, given: (sample.byRules ?? .walk).index)
        calibration.add(together[index][together[index].best], isRight: together[index].best == sample.kind)
        for score in scores.indices {
          let given = scores[score].0 == "each part alone" ? parts[index].probabilities : together[index]
          switch scores[score].1 {
          case 3: scores[score].2.add(truth: sample.kind.mode.index, given: given.bestMode.index)
          case 5: scores[score].2.add(truth: min(sample.kind.rawValue, 4), given: given.bestOfFive)
          default: scores[score].2.add(truth: sample.kind.rawValue, given: given.best.rawValue)
          }
        }
      }
    }
    print("GeoLife, \(rules.total) labelled segments of a minute or more, each judged by a model that never saw its person")
    print(row("six rules", 3, rules))
    for (name, number, matrix) in scores { print(row(name, number, matrix)) }
    print("calibration: \(calibration)")
    print("speed: \(speed)")
  }

  private static func row(_ name: String, _ number: Int, _ matrix: ConfusionMatrix) -> String {
    let recalls = matrix.classes.enumerated().map { "\($1) \(matrix.recall($0).map(percent) ?? "–")" }.joined(separator: ", ")
    return
      "\(name), \(number) classes: right \(percent(matrix.accuracy)), balanced \(percent(matrix.balancedAccuracy)), "
      + "macro F1 \(percent(matrix.macroF1)); \(recalls)"
  }

  static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }
}

/// The number of positions per second that the model classifies on one core, with features, trees, neighbours and habits.
struct ModelSpeed: CustomStringConvertible {
  private var positions = 0
  private var time = Duration.zero

  /// Classifies the samples of a person again, and measures the time.
  mutating func measure(_ samples: [ModeScores.Sample], _ model: ModeModel) {
    positions += samples.reduce(0) { $0 + $1.segment.positions.count }
    time += ContinuousClock().measure {
      let parts = samples.compactMap { sample -> KindSequence.Part? in
        var meter = MovementMeter()
        for position in sample.segment.positions {
          guard let time = position.time else { continue }
          meter.add(position.coordinate, at: time)
        }
        return meter.features.map {
          KindSequence.Part(start: sample.segment.start, end: sample.segment.end, probabilities: model.probabilities(of: $0))
        }
      }
      _ = KindSequence(model: model).probabilities(of: parts)
    }
  }

  var description: String {
    let seconds = max(time / .seconds(1), .leastNormalMagnitude)
    return String(format: "%d positions in %.2f s, %.1f million a second", positions, seconds, Double(positions) / seconds / 1e6)
  }
}

/// The expected calibration error of probabilities over ten bins.
struct Calibration: CustomStringConvertible {
  private var bins = [(count: Int, right: Int, sum: Double)](repeating: (0, 0, 0), count: 10)

  mutating func add(_ probability: Double, isRight: Bool) {
    let bin = min(9, max(0, Int(probability * 10)))
    bins[bin].count += 1
    bins[bin].sum += probability
    if isRight { bins[bin].right += 1 }
  }

  var description: String {
    let total = Double(max(1, bins.reduce(0) { $0 + $1.count }))
    let error = bins.filter { $0.count > 0 }.reduce(0) { sum, bin in
      sum + abs(Double(bin.right) - bin.sum) / total
    }
    let rows = bins.filter { $0.count > 0 }.map { bin in
      "\(ModeScores.percent(bin.sum / Double(bin.count))) said, \(ModeScores.percent(Double(bin.right) / Double(bin.count))) right (\(bin.count))"
    }
    return "expected error \(ModeScores.percent(error)); " + rows.joined(separator: "; ")
  }
}

extension TransportMode {
  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension KindProbabilities {
  /// The probabilities of five classes, in which trains include subways.
  var ofFive: [Double] {
    var weights = TransportKind.allCases.map { self[$0] }
    weights[TransportKind.train.rawValue] += weights.removeLast()
    return weights
  }

  /// The most probable of five classes.
  var bestOfFive: Int {
    let weights = ofFive
    return weights.indices.max { weights[$0] < weights[$1] } ?? 0
  }
}
