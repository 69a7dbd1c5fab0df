package import GodwitModel

/// The probabilities of walking, of a bicycle and of an engine as they are stored for a part of a trip, with four digits.
package enum ModeProbabilities {
  private static let units = 10_000.0

  /// Those of the model.
  /// - Parameter hasEngine: `false`: the part is as slow as a walk, so that what looks like an engine is a walk or waiting.
  package static func stored(_ probabilities: KindProbabilities, hasEngine: Bool) -> [Double] {
    let (walk, bicycle, engine) = (probabilities[mode: .walk], probabilities[mode: .bike], probabilities[mode: .motor])
    return (hasEngine ? [walk, bicycle, engine] : [walk + engine, bicycle, 0]).map(rounded)
  }

  /// Those of a part whose mode the motion chip measured.
  /// - Parameter probability: of this mode.
  package static func measured(_ mode: TransportMode, _ probability: Double) -> [Double] {
    let modes: [TransportMode] = [.walk, .bike, .motor]
    return modes.map { rounded($0 == mode ? probability : (1 - probability) / 2) }
  }

  /// Those of two parts that become one, weighted by their distances.
  package static func joined(
    _ a: (probabilities: [Double]?, distance: Meters), _ b: (probabilities: [Double]?, distance: Meters)
  ) -> [Double]? {
    guard let first = a.probabilities, let second = b.probabilities else { return a.probabilities ?? b.probabilities }
    let whole = a.distance + b.distance
    guard whole > 0 else { return first }
    return zip(first, second).map { rounded(($0 * a.distance + $1 * b.distance) / whole) }
  }

  /// What is possible is never rounded to the impossible 0.
  private static func rounded(_ value: Double) -> Double { value > 0 ? max(1, (value * units).rounded()) / units : 0 }
}
