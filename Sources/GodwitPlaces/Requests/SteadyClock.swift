/// Seconds that only grow, whatever is done to the time of day.
public enum SteadyClock {
  private static let start = ContinuousClock.now
  /// Seconds since this clock was first asked.
  @Sendable public static func uptime() -> Double {
    // In this order: the beginning is set when it is first looked at, and must not come after now.
    let start = start
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
