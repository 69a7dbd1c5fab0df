public import Foundation

/// Classifies consecutive parts of one device's tracks together. It uses the probabilities of the transitions between kinds, and
/// the kinds that the device uses often.
///
/// Parts that follow each other after a short pause form a chain (forward-backward algorithm: Rabiner, A tutorial on hidden Markov
/// models, Proceedings of the IEEE 77, 1989). The fractions of the kinds are those of the device. They are estimated from the same
/// parts without labels (Saerens, Latinne, Decaestecker: Adjusting the outputs of a classifier to new a priori probabilities,
/// Neural Computation 14, 2002), and from parts that a user has confirmed.
public struct KindSequence: Sendable {
  /// Maximum seconds between two parts of a chain.
  public static let maximumPause = 300.0
  /// Weight of the training set's fractions, in parts of the device.
  static let strength = 50.0
  /// Number of iterations of the estimate. Further iterations have no effect.
  static let rounds = 6
  /// Minimum probability of a kind from the trees.
  static let minimum = 1e-4

  /// Exponent of the results. Neighbours and habits depend on the same positions, so that without this exponent only 95 % of the
  /// parts with a probability of 99 % would be correct. With it the expected calibration error on people of GeoLife outside the
  /// training set is 1 %.
  static let certainty = 0.65

  /// A part of a track with one kind of transport.
  public struct Part: Sendable, Hashable {
    public var start: Date
    public var end: Date
    /// Probabilities of the model for this part alone.
    public var probabilities: KindProbabilities
    /// The kind, if the user has confirmed or corrected it.
    public var confirmed: TransportKind?

    public init(start: Date, end: Date, probabilities: KindProbabilities, confirmed: TransportKind? = nil) {
      self.start = start
      self.end = end
      self.probabilities = probabilities
      self.confirmed = confirmed
    }
  }

  private let model: ModeModel

  public init(model: ModeModel) { self.model = model }

  /// Returns the probabilities of all parts of one device.
  /// - Parameter parts: Parts sorted by time.
  /// - Returns: Probabilities for each part. A confirmed part has its kind with probability 1.
  public func probabilities(of parts: [Part]) -> [KindProbabilities] {
    let chains = self.chains(of: parts)
    var shares = model.shares
    var smoothed: [[Double]] = []
    for _ in 0..<Self.rounds {
      smoothed = chains.flatMap { self.smoothed(parts[$0], shares) }
      var sums = model.shares.map { $0 * Self.strength }
      for weights in smoothed { for kind in weights.indices { sums[kind] += weights[kind] } }
      let total = sums.reduce(0, +)
      shares = sums.map { $0 / total }
    }
    return smoothed.map { weights in KindProbabilities(weights: weights.map { pow($0, Self.certainty) }) }
  }

  private func chains(of parts: [Part]) -> [Range<Int>] {
    var chains: [Range<Int>] = []
    var start = 0
    for index in parts.indices.dropFirst()
    where parts[index].start.timeIntervalSince(parts[index - 1].end) > Self.maximumPause {
      chains.append(start..<index)
      start = index
    }
    if !parts.isEmpty { chains.append(start..<parts.count) }
    return chains
  }

  private func smoothed(_ parts: ArraySlice<Part>, _ shares: [Double]) -> [[Double]] {
    let followers = model.followers.map { row in
      Self.normalized(row.indices.map { row[$0] * shares[$0] / model.shares[$0] })
    }
    let evidence = parts.map { self.evidence(of: $0) }
    var forward: [[Double]] = []
    for weights in evidence {
      let expected = forward.last.map { Self.product($0, followers) } ?? shares
      forward.append(Self.normalized(zip(expected, weights).map { $0 * $1 }))
    }
    var result = forward
    var backward = [Double](repeating: 1, count: shares.count)
    for index in evidence.indices.reversed() {
      result[index] = Self.normalized(zip(forward[index], backward).map { $0 * $1 })
      let weighted = zip(evidence[index], backward).map { $0 * $1 }
      backward = Self.normalized(followers.map { row in zip(row, weighted).reduce(0) { $0 + $1.0 * $1.1 } })
    }
    return result
  }

  /// Returns the likelihood of the positions for each kind, up to a constant factor: the model's probability divided by the
  /// fraction in the training set.
  private func evidence(of part: Part) -> [Double] {
    if let confirmed = part.confirmed { return TransportKind.allCases.map { $0 == confirmed ? 1 : 0 } }
    return zip(part.probabilities.weights, model.shares).map { max($0, Self.minimum) / $1 }
  }

  private static func product(_ weights: [Double], _ rows: [[Double]]) -> [Double] {
    weights.indices.map { column in weights.indices.reduce(0) { $0 + weights[$1] * rows[$1][column] } }
  }

  private static func normalized(_ weights: [Double]) -> [Double] {
    let sum = weights.reduce(0, +)
    return sum > 0 ? weights.map { $0 / sum } : weights.map { _ in 1 / Double(weights.count) }
  }
}
