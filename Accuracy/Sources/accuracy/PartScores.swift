import AccuracyData
import Foundation
import GodwitModel
import GodwitModes

/// What the six rules and the model make of parts of tracks with known means of transport, each by itself.
struct PartScores {
  var rules = ConfusionMatrix(classes: TransportMode.allCases.map(\.rawValue))
  var three = ConfusionMatrix(classes: TransportMode.allCases.map(\.rawValue))
  var five = ConfusionMatrix(classes: ["walk", "bicycle", "bus", "car", "train"])
  var six = ConfusionMatrix(classes: ["walk", "bicycle", "bus", "car", "train", "subway"])

  static func += (sum: inout PartScores, other: PartScores) {
    sum.rules += other.rules
    sum.three += other.three
    sum.five += other.five
    sum.six += other.six
  }

  /// Adds a part. Without two positions there is nothing to judge by, and nothing is counted.
  /// - Parameters:
  ///   - positions: in the order of time.
  ///   - mode: the true one of three classes.
  ///   - kind: the true kind; `nil` for one that the model does not know, which counts for three classes only.
  /// - Returns: the kind that the model gives.
  @discardableResult
  mutating func add(_ positions: [(place: Coordinate, time: Date)], mode: TransportMode, kind: TransportKind?) -> TransportKind? {
    var (meter, motion) = (MovementMeter(), MotionMeter())
    for position in positions {
      meter.add(position.place, at: position.time)
      motion.add(position.place, at: position.time)
    }
    guard let features = meter.features else { return nil }
    let probabilities = ModeModel.standard.probabilities(of: features)
    rules.add(truth: mode.index, given: (motion.features.map(TransportMode.init) ?? .walk).index)
    three.add(truth: mode.index, given: probabilities.bestMode.index)
    if let kind {
      five.add(truth: min(kind.rawValue, 4), given: probabilities.bestOfFive)
      six.add(truth: kind.rawValue, given: probabilities.best.rawValue)
    }
    return probabilities.best
  }
}
