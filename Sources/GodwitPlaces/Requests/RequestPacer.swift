/// Lets requests go one after another with a time between them, in the order in which they came.
///
/// The public servers of OpenStreetMap allow one request a second for an application, all of its users and parts
/// together (<https://operations.osmfoundation.org/policies/nominatim/>).
public actor RequestPacer {
  /// Seconds between two requests.
  public nonisolated let interval: Double
  /// Maximum wait of a request in seconds. A request that would wait longer fails at once.
  public nonisolated let maximumWait: Double
  private let uptime: @Sendable () -> Double
  private let sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// Uptime from which the next request may go.
  private var next = -Double.infinity

  /// - Parameters:
  ///   - interval: seconds between two requests, ≥ 0.
  ///   - maximumWait: seconds; it bounds the queue.
  ///   - uptime: seconds of a clock that never goes back.
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

  /// The one of this process, one request a second. The only thing here that all share, because the servers' rule
  /// is about the whole application: two instances with a pacer each would break it.
  public static let process = RequestPacer()

  /// Returns when the caller's request may go.
  /// - Throws: ``Busy`` at once when it would be later than ``maximumWait``; what `sleep` throws, which leaves the turn to the next
  ///   caller if no other call came after.
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

  /// Too many requests wait already.
  public struct Busy: Error, Sendable, CustomStringConvertible {
    /// Seconds until there would be a turn.
    public let wait: Double
    /// A sentence or two.
    public var description: String { "The next turn would be in \(Int(wait.rounded(.up))) s. Retry later." }
  }
}
