package import GodwitModel

/// The probabilities of walking, a bicycle and an engine in the form that is stored for a part of a trip, with four decimals.
package enum ModeProbabilities {
  private static let units = 10_000.0

  /// Returns the model's probabilities.
  /// - Parameter hasEngine: `false` if the part is as slow as walking, so that an apparent engine is walking or waiting.
  package static func stored(_ probabilities: KindProbabilities, hasEngine: Bool) -> [Double] {
    let (walk, bicycle, engine) = (probabilities[mode: .walk], probabilities[mode: .bike], probabilities[mode: .motor])
    return (hasEngine ? [walk, bicycle, engine] : [walk + engine, bicycle, 0]).map(rounded)
  }

  /// Returns the probabilities of a part whose mode the motion chip measured.
  /// - Parameter probability: Probability of this mode.
  package static func measured(_ mode: TransportMode, _ probability: Double) -> [Double] {
    let modes: [TransportMode] = [.walk, .bike, .motor]
    return modes.map { rounded($0 == mode ? probability : (1 - probability) / 2) }
  }

  /// Returns the probabilities of two combined parts, weighted by their distances.
  package static func joined(
    _ a: (probabilities: [Double]?, distance: Meters), _ b: (probabilities: [Double]?, distance: Meters)
  ) -> [Double]? {
    guard let first = a.probabilities, let second = b.probabilities else { return a.probabilities ?? b.probabilities }
    let whole = a.distance + b.distance
    guard whole > 0 else { return first }
    return zip(first, second).map { rounded(($0 * a.distance + $1 * b.distance) / whole) }
  }

  /// Rounds a probability. A positive one is never rounded to 0, which means impossible.
  private static func rounded(_ value: Double) -> Double { value > 0 ? max(1, (value * units).rounded()) / units : 0 }
}
