internal import Foundation
internal import GodwitModel
internal import GodwitServices
internal import Synchronization

/// Detects that the date was set far ahead while the server runs, so that a wrong date does not delete data that has not expired.
///
/// The date at the start of the server is not examined.
final class DateJump: Sendable {
  private struct State {
    /// The date at the uptime 0, in seconds since 1970.
    var origin: Double
    /// The uptime at which the date was found to be set ahead; `nil`: it was not, or it was set back since.
    var found: Duration?
  }
  private let state: Mutex<State>
  private let clock: ServerClock

  /// Seconds by which the date must change.
  private static let minimum = 3 * DayLength.seconds
  /// The time for which a jump is recent: in it a wrong date is corrected, or an administrator notices it.
  private static let wait = Duration.seconds(6 * 3600)

  init(_ clock: ServerClock) {
    self.clock = clock
    state = Mutex(State(origin: Self.origin(clock)))
  }

  private static func origin(_ clock: ServerClock) -> Double {
    let uptime: Double = clock.uptime / .seconds(1)
    return clock.now.timeIntervalSince1970 - uptime
  }

  /// Whether the date was set ahead by more than three days in the last six hours of uptime, and was not set back since. A change is
  /// detected when this property is read.
  var isRecent: Bool {
    let (origin, uptime) = (Self.origin(clock), clock.uptime)
    return state.withLock { state in
      if abs(origin - state.origin) > Self.minimum {
        state.found = origin > state.origin ? uptime : nil
        state.origin = origin
      }
      return state.found.map { uptime - $0 < Self.wait } ?? false
    }
  }
}
