/// A monotonic clock, independent of the system time.
public enum SteadyClock {
  private static let start = ContinuousClock.now
  /// Returns the seconds since the first call.
  @Sendable public static func uptime() -> Double {
    // The start is read first, because its first access sets it and it must not be later than now.
    let start = start
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
