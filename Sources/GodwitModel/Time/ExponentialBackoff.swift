/// Delays between attempts: the first delay, doubled after each further failure, up to the maximum.
package struct ExponentialBackoff: Sendable {
  /// Seconds.
  package let first: Double
  package let maximum: Double

  package init(first: Double, maximum: Double) {
    self.first = first
    self.maximum = maximum
  }

  /// Seconds until the next attempt.
  /// - Parameter failures: consecutive failures; less than one counts as one.
  package func pause(after failures: Int) -> Double {
    min(maximum, first * Double(1 << min(max(0, failures - 1), 32)))
  }
}
