package import GodwitModel

/// The modes of parts of one device's tracks that its user stated, as examples for other parts.
///
/// A part between the same places with a similar speed is probably a repetition: what the model makes of it is multiplied by how often
/// the examples had each mode. An example counts as much as the model's probabilities of both parts agree (coefficient of
/// Bhattacharyya, 1943), because a mistake is repeated for parts that look the same.
///
/// Radius, ratio and prior are those that the even groups of people of GeoLife chose; Documentation/Accuracy.md has the figures.
package struct ModeHabits: Sendable {
  /// A part of a track.
  package struct Part: Sendable, Hashable {
    package var start: Coordinate
    package var end: Coordinate
    /// The mean speed in motion.
    package var speed: MetersPerSecond
    /// What the model makes of it: one probability for each of its classes.
    package var probabilities: [Double]

    package init(start: Coordinate, end: Coordinate, speed: MetersPerSecond, probabilities: [Double]) {
      self.start = start
      self.end = end
      self.speed = speed
      self.probabilities = probabilities
    }
  }

  /// The distance of both ends up to which parts are similar, in either direction.
  static let radius: Meters = 500
  /// The ratio of their speeds up to which they are.
  static let maximumRatio = 1.35
  /// Examples of each usual mode that count as seen before the first one.
  static let prior = 0.25
  /// The model alone makes no mode impossible that it gives a probability.
  static let minimum = 1e-4
  /// Degrees of latitude that are more than the radius.
  private static let band = radius / 110_000

  private struct Example: Sendable {
    var part: Part
    /// `nil`: of no mode.
    var mode: Int?
  }

  private let modes: Int
  private var examples: [Example] = []

  /// - Parameter modes: the number of modes. They are numbered from 0.
  package init(modes: Int) { self.modes = modes }

  package var isEmpty: Bool { examples.isEmpty }

  /// Adds an example.
  /// - Parameter mode: 0 up to the number of modes; others are ignored.
  /// - Returns: its number, for ``set(_:to:)``.
  package mutating func add(_ part: Part, mode: Int) -> Int {
    examples.append(Example(part: part, mode: (0..<modes).contains(mode) ? mode : nil))
    return examples.count - 1
  }

  /// Changes the mode of an example.
  /// - Parameters:
  ///   - number: of the example.
  ///   - mode: `nil`: it is no example any more.
  package mutating func set(_ number: Int, to mode: Int?) {
    guard examples.indices.contains(number) else { return }
    examples[number].mode = mode.flatMap { (0..<modes).contains($0) ? $0 : nil }
  }

  /// The probabilities of the modes of a part, changed by the similar examples.
  /// - Parameters:
  ///   - part: what is judged.
  ///   - likelihoods: one for each mode, ≥ 0: what the model makes of the part. 0 is impossible, whatever the examples are.
  ///   - usual: for each mode whether it is possible without an example.
  /// - Returns: one for each mode, with the sum 1; `nil` if no example is similar.
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

  /// 0…1.
  private static func agreement(_ a: Part, _ b: Part) -> Double {
    zip(a.probabilities, b.probabilities).reduce(0) { $0 + ($1.0 * $1.1).squareRoot() }
  }
}
