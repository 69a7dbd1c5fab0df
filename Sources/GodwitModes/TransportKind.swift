internal import Foundation
public import GodwitModel

/// The kind of transport of a part of a track, as far as positions can determine it.
///
/// Running, boats and motorcycles are missing, because no public data set has enough labelled examples of them.
public enum TransportKind: Int, Sendable, Hashable, Codable, CaseIterable {
  case walk, bicycle, bus
  /// A car or a taxi.
  case car
  /// A train above ground.
  case train
  case subway

  /// The mode of the kind, one of three.
  public var mode: TransportMode {
    switch self {
    case .walk: .walk
    case .bicycle: .bike
    case .bus, .car, .train, .subway: .motor
    }
  }
}

/// Probabilities of the kinds of transport, with the sum 1.
public struct KindProbabilities: Sendable, Hashable {
  /// One probability for each kind, in the order of ``TransportKind``.
  private var values: [Double]

  /// - Parameter weights: A weight ≥ 0 for each kind. The weights are divided by their sum. Without a positive weight all kinds are
  ///   equally probable.
  init(weights: [Double]) {
    let sum = weights.reduce(0, +)
    values =
      sum > 0 && sum.isFinite && weights.count == TransportKind.allCases.count
      ? weights.map { $0 / sum }
      : [Double](repeating: 1 / Double(TransportKind.allCases.count), count: TransportKind.allCases.count)
  }

  /// Returns the probability of a kind, 0…1.
  public subscript(kind: TransportKind) -> Double { values[kind.rawValue] }

  /// Returns the probability of a mode, 0…1.
  public subscript(mode mode: TransportMode) -> Double {
    TransportKind.allCases.filter { $0.mode == mode }.reduce(0) { $0 + self[$1] }
  }

  /// The most probable kind.
  public var best: TransportKind { TransportKind.allCases.max { self[$0] < self[$1] } ?? .walk }

  /// The most probable mode.
  public var bestMode: TransportMode { TransportMode.allCases.max { self[mode: $0] < self[mode: $1] } ?? .walk }

  /// The probabilities in the order of ``TransportKind``.
  package var weights: [Double] { values }

  /// Returns the probabilities with additional evidence that the model does not use.
  /// - Parameters:
  ///   - train: Natural logarithm of the likelihood ratio of a train to kinds without rails.
  ///   - subway: The same for a subway.
  package func weighted(train: Double, subway: Double) -> KindProbabilities {
    var weights = values.map { $0 > 0 ? max($0, KindSequence.minimum) : 0 }
    weights[TransportKind.train.rawValue] *= exp(train)
    weights[TransportKind.subway.rawValue] *= exp(subway)
    return KindProbabilities(weights: weights)
  }

  /// The probability of a train or subway among the kinds with an engine, 0…1.
  package var rails: Double {
    let engine = self[mode: .motor]
    return engine > 0 ? (self[.train] + self[.subway]) / engine : 0
  }
}
