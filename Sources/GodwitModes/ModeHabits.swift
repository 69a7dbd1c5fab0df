package import GodwitModel

/// The modes that a user has set for parts of a device's tracks, as examples for other parts.
///
/// A part between the same places with a similar speed is probably a repetition. The model's probabilities are multiplied by the
/// frequencies of the modes in the similar examples. The weight of an example is the agreement of the model's probabilities for
/// both parts (Bhattacharyya coefficient, 1943), because a misclassification is repeated for similar parts.
///
/// Radius, ratio and prior were chosen with the even-numbered groups of people of GeoLife. Documentation/Accuracy.md has the
/// figures.
package struct ModeHabits: Sendable {
  /// A part of a track.
  package struct Part: Sendable, Hashable {
    package var start: Coordinate
    package var end: Coordinate
    /// Mean speed in motion.
    package var speed: MetersPerSecond
    /// Probabilities of the model, one for each of its classes.
    package var probabilities: [Double]

    package init(start: Coordinate, end: Coordinate, speed: MetersPerSecond, probabilities: [Double]) {
      self.start = start
      self.end = end
      self.speed = speed
      self.probabilities = probabilities
    }
  }

  /// Maximum distance of the ends of similar parts in metres, in either direction.
  static let radius: Meters = 500
  /// Maximum ratio of the speeds of similar parts.
  static let maximumRatio = 1.35
  /// Pseudo-count of each usual mode.
  static let prior = 0.25
  /// Minimum probability of the model for a mode that it considers possible.
  static let minimum = 1e-4
  /// Degrees of latitude that exceed the radius.
  private static let band = radius / 110_000

  private struct Example: Sendable {
    var part: Part
    /// `nil` for an example without a mode.
    var mode: Int?
  }

  private let modes: Int
  private var examples: [Example] = []

  /// - Parameter modes: Number of modes. They are numbered from 0.
  package init(modes: Int) { self.modes = modes }

  package var isEmpty: Bool { examples.isEmpty }

  /// Adds an example.
  /// - Parameter mode: 0 up to the number of modes. Other numbers are ignored.
  /// - Returns: The number of the example, for ``set(_:to:)``.
  package mutating func add(_ part: Part, mode: Int) -> Int {
    examples.append(Example(part: part, mode: (0..<modes).contains(mode) ? mode : nil))
    return examples.count - 1
  }

  /// Changes the mode of an example.
  /// - Parameters:
  ///   - number: Number of the example.
  ///   - mode: The new mode; `nil` to ignore the example.
  package mutating func set(_ number: Int, to mode: Int?) {
    guard examples.indices.contains(number) else { return }
    examples[number].mode = mode.flatMap { (0..<modes).contains($0) ? $0 : nil }
  }

  /// Returns the probabilities of the modes of a part, adjusted by the similar examples.
  /// - Parameters:
  ///   - part: The part to classify.
  ///   - likelihoods: The model's likelihood for each mode, ≥ 0. A mode with 0 is impossible, independent of the examples.
  ///   - usual: Whether each mode is possible without an example.
  /// - Returns: The probability of each mode, with the sum 1; `nil` if no example is similar.
  package func probabilities(of part: Part, likelihoods: [Double], usual: [Bool]) -> [Double]? {
    guard likelihoods.count == modes, usual.count == modes else { return nil }
    var sums = [Double](repeating: 0, count: modes)
    for example in examples {
      if let mode = example.mode, Self.isSimilar(example.part, part) { sums[mode] += Self.agreement(example.part, part) }
    }
    guard sums.contains(where: { $0 > 0 }) else { return nil }
    let weights = sums.indices.map { mode in
      likelihoods[mode] > 0 ? max(likelihoods[mode], Self.minimum) * (sums[mode] + (usual[mode] ? Self.prior : 0)) : 0
    }
    let total = weights.reduce(0, +)
    return total > 0 && total.isFinite ? weights.map { $0 / total } : nil
  }

  // MARK: Similarity

  private static func isSimilar(_ a: Part, _ b: Part) -> Bool {
    guard a.speed <= maximumRatio * b.speed, b.speed <= maximumRatio * a.speed else { return false }
    return (isNear(a.start, b.start) && isNear(a.end, b.end)) || (isNear(a.start, b.end) && isNear(a.end, b.start))
  }

  private static func isNear(_ a: Coordinate, _ b: Coordinate) -> Bool {
    abs(a.latitude - b.latitude) <= band && GreatCircle.distance(a, b) <= radius
  }

  /// Returns the agreement of the model's probabilities for two parts, 0…1.
  private static func agreement(_ a: Part, _ b: Part) -> Double {
    zip(a.probabilities, b.probabilities).reduce(0) { $0 + ($1.0 * $1.1).squareRoot() }
  }
}
