internal import Foundation

/// The times at which the fixes of a replay are reported, on the clock of the consumer.
struct ReplaySchedule: Sendable {
  /// Maximum wait between two fixes, in seconds of the consumer. Longer waits are shortened.
  static let maximumWait = 3600.0

  /// The time of the consumer's clock at a fix, and the time of that fix. The times of later fixes are relative to it.
  private var origin: (consumer: ContinuousClock.Instant, track: Date)?

  /// Returns the time at which the next fix is reported.
  /// - Parameters:
  ///   - fix: the time of the fix in the file.
  ///   - factor: the multiple of the recorded speed.
  ///   - now: the time of the consumer's clock.
  mutating func time(of fix: Date, factor: Double, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let start = origin ?? (now, fix)
    origin = start
    let seconds = min(fix.timeIntervalSince(start.track) / factor, 1e8)
    let time = start.consumer.advanced(by: .seconds(max(0, seconds)))
    let latest = now.advanced(by: .seconds(Self.maximumWait))
    guard time > latest else { return time }
    origin = (latest, fix)
    return latest
  }
}
