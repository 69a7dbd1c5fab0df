/// Scales the values of a series.
enum SeriesScale {
  /// Replaces the values by their distances from the first value, in units of the greatest common divisor of all steps.
  /// - Returns: the divisor, 1 or more.
  @discardableResult
  static func divide(_ series: inout [Int64]) -> Int64 {
    guard let first = series.first else { return 1 }
    let divisor = greatestCommonDivisor(ofSteps: series)
    guard divisor > 1 else {
      for row in series.indices { series[row] = series[row] &- first }
      return 1
    }
    // A distance may have more than 64 bits. Steps are computed modulo 2^64, and are multiples of the divisor as such.
    var (before, value): (Int64, Int64) = (first, 0)
    for row in series.indices {
      value &+= (series[row] &- before) / divisor
      before = series[row]
      series[row] = value
    }
    return divisor
  }

  /// An approximate median of a series, from at most 255 of its values.
  static func middle(_ series: [Int64]) -> Int64 {
    let some = stride(from: 0, to: series.count, by: series.count / 128 + 1).map { series[$0] }.sorted()
    return some.isEmpty ? 0 : some[some.count / 2]
  }

  private static func greatestCommonDivisor(ofSteps series: [Int64]) -> Int64 {
    var divisor: UInt64 = 0
    for row in 1..<max(series.count, 1) {
      var other = (series[row] &- series[row - 1]).magnitude
      if divisor > 0, other % divisor == 0 { continue }
      while other != 0 { (divisor, other) = (other, divisor % other) }
      if divisor == 1 { return 1 }
    }
    return divisor == 0 ? 1 : Int64(exactly: divisor) ?? 1
  }
}
