/// Spaces requests in time, in the order of their calls.
///
/// The public servers of OpenStreetMap permit one request per second for an application, with all of its users and parts together
/// (<https://operations.osmfoundation.org/policies/nominatim/>).
public actor RequestPacer {
  /// Seconds between two requests.
  public nonisolated let interval: Double
  /// Maximum wait of a request in seconds. A request that would wait longer fails at once.
  public nonisolated let maximumWait: Double
  private let uptime: @Sendable () -> Double
  private let sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// Uptime from which the next request is permitted.
  private var next = -Double.infinity

  /// - interval: Seconds between two requests, ≥ 0.
  ///   - maximumWait: Maximum wait in seconds. It limits the length of the queue.
  ///   - uptime: Seconds of a monotonic clock.
  ///   - sleep: Waits for a number of seconds. Throws if the task is cancelled.
  ///   - sleep: waits so many seconds; throws when the task is cancelled.
  public init(
    interval: Double = 1, maximumWait: Double = 60, uptime: @escaping @Sendable () -> Double = SteadyClock.uptime,
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  ) {
    self.interval = interval
    self.maximumWait = maximumWait
    self.uptime = uptime
    self.sleep = sleep
  }

  /// The pacer of this process, with one request per second. It is shared, because the servers' limit applies to the whole
  /// application: two instances with their own pacers would exceed it.
  public static let process = RequestPacer()

  /// Waits for the caller's turn.
  /// - Throws: ``Busy`` at once if the wait would exceed ``maximumWait``. The error of `sleep`; in this case the turn is returned,
  ///   unless another call is already waiting after it.
  public func turn() async throws {
    let now = uptime()
    let mine = max(now, next)
    guard mine - now <= maximumWait else { throw Busy(wait: mine - now) }
    next = mine + interval
    guard mine > now else { return }
    do { try await sleep(mine - now) } catch {
      if next == mine + interval { next = mine }
      throw error
    }
  }

  /// The error if too many requests are already waiting.
  public struct Busy: Error, Sendable, CustomStringConvertible {
    /// Seconds until the next free turn.
    public let wait: Double
    /// One or two sentences.
    public var description: String { "The next turn would be in \(Int(wait.rounded(.up))) s. Retry later." }
  }
}
