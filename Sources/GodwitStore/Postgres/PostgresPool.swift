internal import Foundation
internal import GodwitPostgres
internal import GodwitServices

/// A pool of sessions for reading. Sessions are opened on demand, and one caller uses each at a time.
///
/// `@unchecked Sendable`: `idle`, `inUse`, `failure` and `isTrying` are accessed only while `condition` is locked; a
/// session is in `idle` or with exactly one caller.
final class PostgresPool: @unchecked Sendable {
  private let address: PostgresAddress
  private let clock: ServerClock
  private let isDistributed: Bool
  private let condition = NSCondition()
  private var idle: [PostgresSession] = []
  private var inUse = 0
  /// When the server last failed to answer, as the clock's uptime, and the error.
  private var failure: (time: Duration, error: PostgresError)?
  /// Whether a thread is reconnecting. Other threads fail at once in the meantime.
  private var isTrying = false

  /// Maximum sessions. A server has few readers, and each session is a process of PostgreSQL.
  private static let limit = 12
  /// Sessions of a distributed store that only calls with a short timeout use, so that reads that wait for a worker do not delay uploads.
  private static let reserved = 4
  /// Maximum idle sessions.
  private static let kept = 4
  /// Seconds that a caller waits for a session.
  private static let timeout = 10
  /// Time after a failure in which no attempt is made.
  private static let pause = Duration.seconds(1)

  init(_ address: PostgresAddress, clock: ServerClock, isDistributed: Bool = false) {
    self.address = address
    self.clock = clock
    self.isDistributed = isDistributed
  }

  /// Runs `body` on a session, in one read transaction: `body` sees one state of the database. If the session was lost while idle,
  /// `body` runs once more on another session.
  func read<Result>(_ body: (PostgresSession) throws -> Result) throws -> Result {
    try use { session in
      try session.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { try body(session) }
    }
  }

  /// Runs `body` on a session without a transaction, for a single statement, or for a transaction of its own.
  /// - Parameters:
  ///   - timeout: timeout in seconds, if different from the default.
  ///   - body: the operation.
  func use<Result>(timeout: Int? = nil, _ body: (PostgresSession) throws -> Result) throws -> Result {
    let (session, wasIdle) = try take(isShort: timeout != nil)
    do {
      let usual = session.timeout
      if let timeout { session.timeout = timeout }
      defer {
        session.timeout = usual
        give(session)
      }
      return try body(session)
    } catch let error as PostgresError where error.kind == .timeout && !session.isAlive {
      // A session that does not answer would block other callers too.
      condition.withLock {
        idle.removeAll()
        // In a distributed store, usually a worker does not answer, and reads of other devices succeed.
        if !isDistributed { failure = (clock.uptime, error) }
      }
      throw error
    } catch let error as PostgresError where error.kind == .connection && wasIdle {
      // The other idle sessions were probably lost as well.
      condition.withLock { idle.removeAll() }
      let (fresh, _) = try take(isShort: timeout != nil)
      defer { give(fresh) }
      return try body(fresh)
    }
  }

  /// Closes idle sessions.
  func close() { condition.withLock { idle.removeAll() } }

  private func take(isShort: Bool) throws -> (session: PostgresSession, wasIdle: Bool) {
    condition.lock()
    // Real time, because other threads use the sessions meanwhile.
    let end = Date(timeIntervalSinceNow: Double(Self.timeout))
    let limit = isShort || !isDistributed ? Self.limit : Self.limit - Self.reserved
    while inUse >= limit {
      guard condition.wait(until: end) else {
        condition.unlock()
        throw StoreError.noSession(seconds: Self.timeout)
      }
    }
    inUse += 1
    if let session = idle.popLast() {
      condition.unlock()
      return (session, true)
    }
    let known = failure.flatMap { isTrying || clock.uptime - $0.time < Self.pause ? $0.error : nil }
    if failure != nil, known == nil { isTrying = true }
    condition.unlock()
    do {
      if let known { throw known }
      let session = try PostgresSession(address)
      condition.withLock {
        failure = nil
        isTrying = false
      }
      return (session, false)
    } catch {
      condition.withLock {
        inUse -= 1
        if known == nil {
          isTrying = false
          if let error = error as? PostgresError, error.kind == .connection { failure = (clock.uptime, error) }
        }
        condition.broadcast()
      }
      throw error
    }
  }

  private func give(_ session: PostgresSession) {
    condition.withLock {
      inUse -= 1
      if session.isAlive, !session.isInTransaction, idle.count < Self.kept { idle.append(session) }
      condition.broadcast()
    }
  }
}
