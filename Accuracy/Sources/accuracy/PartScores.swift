import AccuracyData
import Foundation
import GodwitModel
import GodwitModes

/// The results of the six rules and of the model for single parts of tracks with known means of transport.
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

  /// Adds a part. A part with fewer than two positions is not counted.
  /// - Parameters:
  ///   - positions: the positions in order of time.
  ///   - mode: the true class of three.
  ///   - kind: the true kind; `nil` for a kind that the model does not know, which counts only for three classes.
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
