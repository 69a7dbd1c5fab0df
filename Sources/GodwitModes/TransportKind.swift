internal import Foundation
public import GodwitModel

/// The means of transport of a part of a track, as far as positions determine it with a probability.
///
/// Running, boats and motorcycles are not among them: no public set has enough of them with labels.
public enum TransportKind: Int, Sendable, Hashable, Codable, CaseIterable {
  case walk, bicycle, bus
  /// A car or a taxi.
  case car
  /// A train above ground.
  case train
  case subway

  /// The kind among three.
  public var mode: TransportMode {
    switch self {
    case .walk: .walk
    case .bicycle: .bike
    case .bus, .car, .train, .subway: .motor
    }
  }
}

/// A probability for each kind of transport. They sum to 1.
public struct KindProbabilities: Sendable, Hashable {
  /// One for each kind, in the order of ``TransportKind``.
  private var values: [Double]

  /// - Parameter weights: numbers ≥ 0, one for each kind, that are divided by their sum. Without a positive one all kinds are
  ///   equally probable.
  init(weights: [Double]) {
    let sum = weights.reduce(0, +)
    values =
      sum > 0 && sum.isFinite && weights.count == TransportKind.allCases.count
      ? weights.map { $0 / sum }
      : [Double](repeating: 1 / Double(TransportKind.allCases.count), count: TransportKind.allCases.count)
  }

  /// The probability of a kind, 0…1.
  public subscript(kind: TransportKind) -> Double { values[kind.rawValue] }

  /// The probability of one of three modes, 0…1.
  public subscript(mode mode: TransportMode) -> Double {
    TransportKind.allCases.filter { $0.mode == mode }.reduce(0) { $0 + self[$1] }
  }

  /// The most probable kind.
  public var best: TransportKind { TransportKind.allCases.max { self[$0] < self[$1] } ?? .walk }

  /// The most probable of three modes.
  public var bestMode: TransportMode { TransportMode.allCases.max { self[mode: $0] < self[mode: $1] } ?? .walk }

  /// In the order of ``TransportKind``.
  package var weights: [Double] { values }

  /// The probabilities after evidence that the model does not have.
  /// - Parameters:
  ///   - train: the natural logarithm of how much more probable a train makes it than the kinds without rails do.
  ///   - subway: the same of a subway.
  package func weighted(train: Double, subway: Double) -> KindProbabilities {
    var weights = values.map { $0 > 0 ? max($0, KindSequence.minimum) : 0 }
    weights[TransportKind.train.rawValue] *= exp(train)
    weights[TransportKind.subway.rawValue] *= exp(subway)
    return KindProbabilities(weights: weights)
  }

  /// The probability of rails if the part has an engine, 0…1.
  package var rails: Double {
    let engine = self[mode: .motor]
    return engine > 0 ? (self[.train] + self[.subway]) / engine : 0
  }
}
