/// Seconds that only grow, whatever is done to the time of day.
public enum SteadyClock {
  private static let start = ContinuousClock.now
  /// Seconds since the first reading of this clock.
  @Sendable public static func uptime() -> Double {
    // In this order: the beginning is set at the first reading, and must not come after now.
    let start = start
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
