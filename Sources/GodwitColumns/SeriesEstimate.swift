/// The rows with which encodings are compared: all rows of a short column, four runs of a long one.
struct SampledRows {
  /// Number of rows in a run. The first two rows of a run are used only to predict the others.
  private static let length = 130
  let runs: [Range<Int>]

  init(count: Int) {
    guard count > 4 * Self.length else {
      runs = [0..<count]
      return
    }
    runs = (0..<4).map { run in
      let start = (count - Self.length) * run / 3
      return start..<start + Self.length
    }
  }

  /// Returns the sampled values of a column, one run after the other.
  func values(_ column: [Int64]) -> [Int64] {
    if runs.count == 1 { return column }
    return runs.flatMap { column[$0] }
  }

  /// The ranges of the runs in the result of ``values(_:)``.
  var sampled: [Range<Int>] {
    guard runs.count > 1 else { return runs }
    return runs.indices.map { $0 * Self.length..<($0 + 1) * Self.length }
  }
}

/// Estimates the number of bits of the residuals of a series.
struct SeriesEstimate {
  let runs: [Range<Int>]

  /// The estimated bits of the sampled rows.
  /// - Parameters:
  ///   - series: the sampled values.
  ///   - pace: the sampled values of the other column for ``Predictor/paced``.
  func bits(_ series: [Int64], _ predictor: Predictor, level: Int64 = 0, pace: [Int64] = []) -> Double {
    series.withUnsafeBufferPointer { series in
      pace.withUnsafeBufferPointer { pace in
        // One counter for each value of a byte, so that a token needs no bounds check.
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { counts in
          counts.initialize(repeating: 0)
          var plain = 0
          for run in runs {
            for row in run.dropFirst(runs.count == 1 ? 1 : 2) {
              let token = Token.of(ZigZag.encoded(series.residual(row, predictor, level: level, pace: pace)))
              counts[Int(token)] &+= 1
              plain &+= Int(Token.bits(token))
            }
          }
          return Double(plain) + Self.entropy(counts[..<Token.count])
        }
      }
    }
  }

  /// The mean length of the steps of a column, in bits.
  func stepLength(_ series: [Int64]) -> Double {
    var (sum, rows) = (0, 0)
    for run in runs {
      for row in run.dropFirst(1) {
        sum += 64 - ZigZag.encoded(series[row] &- series[row - 1]).leadingZeroBitCount
        rows += 1
      }
    }
    return Double(sum) / Double(max(rows, 1))
  }

  /// The bits of tokens with these frequencies, plus some bits to store each frequency.
  private static func entropy(_ counts: Slice<UnsafeMutableBufferPointer<Int32>>) -> Double {
    var (total, bits) = (0, 0.0)
    for count in counts where count > 0 {
      total += Int(count)
      bits += 3 - Double(count) * logarithm(Double(count))
    }
    return bits + Double(total) * logarithm(Double(max(total, 1)))
  }

  /// The logarithm to base 2, interpolated linearly between the powers of 2. It is at most 0.09 too small.
  private static func logarithm(_ value: Double) -> Double { Double(value.exponent) + value.significand - 1 }
}

extension UnsafeBufferPointer<Int64> {
  /// The difference of a value and its prediction.
  /// - Parameter row: the row, from 1.
  @inline(__always)
  func residual(_ row: Int, _ predictor: Predictor, level: Int64, pace: UnsafeBufferPointer<Int64>) -> Int64 {
    switch predictor {
    case .level: return self[row] &- level
    case .delta: return self[row] &- self[row &- 1]
    case .linear:
      let step = self[row] &- self[row &- 1]
      return row == 1 ? step : step &- (self[row &- 1] &- self[row &- 2])
    case .paced:
      let step = self[row] &- self[row &- 1]
      if row == 1 { return step }
      let expected = Predictor.pacedStep(
        self[row &- 1] &- self[row &- 2], before: pace[row &- 1] &- pace[row &- 2], now: pace[row] &- pace[row &- 1])
      return step &- expected
    }
  }
}
