/// How the values of a column are transformed before the prediction.
enum SeriesSource {
  /// The values are not transformed.
  case plain
  /// Each value is replaced by its position among the distinct values, which are stored in ascending order.
  case dictionary(DistinctValues)
  /// Another column is divided by 1, 1,000 or 1,000,000, rounded down, and subtracted or added. The number is its position among
  /// the references.
  case relative(Relation, to: Int)
}

/// The relation of a column to another one.
struct Relation: Equatable {
  /// Whether the other column is added, because the column decreases when the other one increases.
  var isSum: Bool
  /// The divisor is 1,000 to this power, 0...2, for columns of seconds beside columns of milliseconds or microseconds.
  var power: Int

  static let divisors: [Int64] = [1, 1_000, 1_000_000]

  /// Returns the difference of a value and the scaled value of the other column, or their sum.
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
    // The divisors are positive, so the division cannot overflow.
    let divisor = Self.divisors[power]
    let (quotient, rest) = other.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient &- 1 : quotient
  }
}

/// Predicts a value of a series from the previous values.
enum Predictor: UInt8, CaseIterable {
  /// A single value for the whole series.
  case level = 0
  /// The previous value.
  case delta = 1
  /// The previous value, plus the previous step.
  case linear = 2
  /// The previous value, plus the previous step multiplied by the ratio of two steps of another column, which is the time.
  case paced = 3

  /// The expected step of a series.
  /// - Parameters:
  ///   - step: the previous step.
  ///   - before: the step of the other column at the previous step.
  ///   - now: the step of the other column at the expected step.
  @inline(__always)
  static func pacedStep(_ step: Int64, before: Int64, now: Int64) -> Int64 {
    if before == now { return step }
    // Outside of these ranges the ratio is meaningless, or the product exceeds 63 bits.
    guard before > 0, now > 0, before < 1 << 31, now < 1 << 31, step < 1 << 31, step > -(1 << 31) else { return 0 }
    return step &* now / before
  }
}
