/// Delays between attempts: the first delay, doubled after each further failure, up to the maximum.
package struct ExponentialBackoff: Sendable {
  /// Delay after the first failure, and maximum delay, in seconds.
  package let first: Double
  package let maximum: Double

  package init(first: Double, maximum: Double) {
    self.first = first
    self.maximum = maximum
  }

  /// Returns the seconds until the next attempt.
  /// - Parameter failures: Number of consecutive failures. A number below 1 counts as 1.
  package func pause(after failures: Int) -> Double {
    min(maximum, first * Double(1 << min(max(0, failures - 1), 32)))
  }
}
