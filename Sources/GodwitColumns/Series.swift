/// What is subtracted from a column before it is predicted, or in whose steps it is counted.
enum SeriesSource {
  /// Nothing.
  case plain
  /// The place of each value among the distinct values, which are stored sorted.
  case dictionary(DistinctValues)
  /// Another column, divided by 1, 1,000 or 1,000,000 and rounded down: it is subtracted or added. The number is its place among the
  /// columns that can be followed.
  case relative(Relation, to: Int)
}

/// How a column follows another one.
struct Relation: Equatable {
  /// Whether the other column is added: the column decreases where the other one increases.
  var isSum: Bool
  /// The divisor is 1,000 to this power, 0...2: columns of seconds beside columns of milliseconds or microseconds.
  var power: Int

  static let divisors: [Int64] = [1, 1_000, 1_000_000]

  /// The part of the column that the other one does not have.
  @inline(__always)
  func difference(_ value: Int64, _ other: Int64) -> Int64 {
    isSum ? value &+ scaled(other) : value &- scaled(other)
  }

  /// The inverse of ``difference(_:_:)``.
  @inline(__always)
  func restored(_ difference: Int64, _ other: Int64) -> Int64 {
    isSum ? difference &- scaled(other) : difference &+ scaled(other)
  }

  @inline(__always)
  private func scaled(_ other: Int64) -> Int64 {
    if power == 0 { return other }
    // The divisors are positive, so nothing overflows.
    let divisor = Self.divisors[power]
    let (quotient, rest) = other.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient &- 1 : quotient
  }
}

/// What a value of a series is expected to be, from the values before it.
enum Predictor: UInt8, CaseIterable {
  /// One value for the whole series.
  case level = 0
  /// The value before.
  case delta = 1
  /// The value before, and the step that led to it again.
  case linear = 2
  /// The same with the step multiplied by the ratio of the two steps of another column: the time.
  case paced = 3

  /// The expected step of a series whose last step is known.
  /// - Parameters:
  ///   - step: the last step.
  ///   - before: the step of the other column that belongs to `step`.
  ///   - now: the step of the other column that belongs to the expected one.
  @inline(__always)
  static func pacedStep(_ step: Int64, before: Int64, now: Int64) -> Int64 {
    if before == now { return step }
    // Outside of these ranges the ratio says nothing, or the product has more than 63 bits.
    guard before > 0, now > 0, before < 1 << 31, now < 1 << 31, step < 1 << 31, step > -(1 << 31) else { return 0 }
    return step &* now / before
  }
}
