import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitModes

/// Scores of driving and being on foot in ``Deliveries``: the timeline, the model on windows, and a limit of the speed.
enum DeliveryScores {
  private enum State: Int { case onFoot, driving, neither }

  /// The maximum number of milliseconds between a true change and a found one.
  private static let tolerance: Int64 = 15_000
  /// The assumed start of all pieces, in seconds since 1970: the beginning of 2022.
  private static let start = 1_640_995_200.0

  /// The input of all classifiers: a piece.
  private struct Piece {
    var positions: [Deliveries.Position]
    var places: [Coordinate]
    var dates: [Date]

    init(_ positions: [Deliveries.Position]) {
      let metres = GreatCircle.earthRadius * .pi / 180
      self.positions = positions
      // Within 10 degrees of the assumed centre.
      places = positions.compactMap { Coordinate(latitude: $0.y / metres, longitude: $0.x / metres) }
      dates = positions.map { Date(timeIntervalSince1970: DeliveryScores.start + Double($0.time) / 1000) }
    }
  }

  private struct Classifier {
    var name: String
    var classify: (Piece) -> [State]
  }

  private struct Scores {
    var matrix = ConfusionMatrix(classes: ["on foot", "driving", "neither"])
    var changes = ChangeScore(tolerance: DeliveryScores.tolerance)
  }

  /// Prints the scores of the development and the held-out pieces, with the classifiers that were chosen with the development pieces.
  /// - Parameter split: a file of lines "development FIRST-LAST" and "held-out FIRST-LAST" with the numbers of pieces.
  static func printTable(of data: Deliveries, split: String) throws {
    let ranges = try ranges(in: split, data.files.count)
    guard let development = ranges["development"], let heldOut = ranges["held-out"] else {
      throw DatasetError(path: split, reason: "it has no line \"development FIRST-LAST\" or none \"held-out FIRST-LAST\"")
    }
    let (chosenBy, measured) = try (pieces(development, of: data), pieces(heldOut, of: data))
    let classifiers = [
      Classifier(name: "all on foot") { $0.positions.map { _ in .onFoot } }, best(of: speeds, chosenBy),
      Classifier(name: "the timeline", classify: timeline), best(of: windows, chosenBy), best(of: sequences, chosenBy),
    ]
    print("| | | positions | right | balanced | F1 on foot | F1 driving | neither | changes | recall | precision |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for (name, pieces) in [("development", chosenBy), ("held-out", measured)] {
      for classifier in classifiers {
        let score = scores(of: classifier, pieces)
        let (matrix, changes) = (score.matrix, score.changes)
        let neither = Double(matrix.counts.reduce(0) { $0 + $1[State.neither.rawValue] }) / Double(max(matrix.total, 1))
        let shares = [matrix.accuracy, matrix.balancedAccuracy, matrix.f1(0), matrix.f1(1), neither]
        let fields =
          [name, classifier.name, "\(matrix.total)"] + shares.map(ModeScores.percent) + ["\(changes.truth)"]
          + [changes.recall, changes.precision].map(ModeScores.percent)
        print("| " + fields.joined(separator: " | ") + " |")
      }
    }
  }

  private static func ranges(in path: String, _ count: Int) throws -> [String: ClosedRange<Int>] {
    var ranges: [String: ClosedRange<Int>] = [:]
    for line in try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map(String.init)
      let numbers = words.last?.split(separator: "-").compactMap { Int($0) } ?? []
      guard words.count == 2, numbers.count == 2, numbers[0] >= 0, numbers[0] <= numbers[1], numbers[1] < count else {
        throw DatasetError(path: path, reason: "\"\(line)\" is not a name and a range of pieces between 0 and \(count - 1)")
      }
      ranges[words[0]] = numbers[0]...numbers[1]
    }
    return ranges
  }

  private static func pieces(_ range: ClosedRange<Int>, of data: Deliveries) throws -> [Piece] {
    try data.files[range].map { Piece(try data.positions(of: $0)) }
  }

  private static func scores(of classifier: Classifier, _ pieces: [Piece]) -> Scores {
    var scores = Scores()
    for piece in pieces {
      let states = classifier.classify(piece)
      for (position, state) in zip(piece.positions, states) {
        scores.matrix.add(truth: position.isDriving ? 1 : 0, given: state.rawValue)
      }
      scores.changes.add(
        truth: ChangeScore.changes(piece.positions.map { ($0.time, $0.isDriving) }),
        given: ChangeScore.changes(zip(piece.positions, states).map { ($0.time, $1 == .driving) }))
    }
    return scores
  }

  /// Returns the classifier with the best accuracy.
  private static func best(of classifiers: [Classifier], _ pieces: [Piece]) -> Classifier {
    // The list of classifiers is never empty.
    let shares = classifiers.map { scores(of: $0, pieces).matrix.accuracy }
    return classifiers[shares.indices.max { shares[$0] < shares[$1] } ?? 0]
  }

  // MARK: Classifiers

  /// Limits of the speed over a number of positions before and after.
  private static var speeds: [Classifier] {
    [1, 2, 3, 4, 6].flatMap { count in
      stride(from: 0.5, through: 8, by: 0.25).map { limit in
        Classifier(name: "\(limit) m/s over \(2 * count) steps") { piece in
          piece.positions.indices.map { index in
            let (a, b) = (piece.positions[max(0, index - count)], piece.positions[min(piece.positions.count - 1, index + count)])
            let metres = ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).squareRoot()
            return metres >= limit * Double(b.time - a.time) / 1000 && b.time > a.time ? .driving : .onFoot
          }
        }
      }
    }
  }

  /// Classifies by the timeline: a visit and a walk are on foot, all other modes are driving.
  private static func timeline(_ piece: Piece) -> [State] {
    let states = TimelineStates(of: zip(piece.places, piece.dates).map { TimelinePoint($0, at: $1) })
    return piece.dates.map { date in
      switch states.state(at: date.millisecondsSince1970) {
      case .walk, .visit: .onFoot
      case .bicycle, .engine: .driving
      case .unknown, .nothing: .neither
      }
    }
  }

  /// Classifiers that apply the model to the positions within some seconds of each position. Without movement it is on foot.
  private static var windows: [Classifier] {
    [15.0, 30, 60, 120].map { half in
      Classifier(name: "the model, \(Int(2 * half)) s around each position") { piece in
        piece.dates.map { date in
          let probabilities = probabilities(of: piece) { abs($0.timeIntervalSince(date)) <= half }
          return probabilities?.bestMode ?? .walk == .walk ? .onFoot : .driving
        }
      }
    }
  }

  /// Classifiers that apply the model to parts of the same length, with the sequence of all parts.
  private static var sequences: [Classifier] {
    [20.0, 30, 60, 120].map { length in
      Classifier(name: "the model, parts of \(Int(length)) s with their neighbours") { piece in
        guard let first = piece.dates.first, let last = piece.dates.last else { return [] }
        var parts: [KindSequence.Part] = []
        for start in stride(from: 0, through: last.timeIntervalSince(first), by: length) {
          let (from, to) = (first.addingTimeInterval(start), first.addingTimeInterval(start + length))
          if let probabilities = probabilities(of: piece, where: { $0 >= from && $0 <= to }) {
            parts.append(KindSequence.Part(start: from, end: to, probabilities: probabilities))
          }
        }
        let together = KindSequence(model: .standard).probabilities(of: parts)
        return piece.dates.map { date in
          let index = parts.firstIndex { $0.start <= date && date < $0.end }
          return index.map { together[$0].bestMode } ?? .walk == .walk ? .onFoot : .driving
        }
      }
    }
  }

  private static func probabilities(of piece: Piece, where isInside: (Date) -> Bool) -> KindProbabilities? {
    var meter = MovementMeter()
    for (place, date) in zip(piece.places, piece.dates) where isInside(date) { meter.add(place, at: date) }
    return meter.features.map(ModeModel.standard.probabilities)
  }
}
