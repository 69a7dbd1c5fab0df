internal import Foundation
internal import GodwitPostgres

/// Sessions for reading, opened as they are needed and used by one caller at a time.
///
/// `@unchecked Sendable`: `idle`, `inUse`, `failure` and `isTrying` are touched only while `condition` is locked; a session is in
/// `idle` or with exactly one caller.
final class PostgresPool: @unchecked Sendable {
  private let address: PostgresAddress
  private let condition = NSCondition()
  private var idle: [PostgresSession] = []
  private var inUse = 0
  /// Since when the server does not answer, and the error.
  private var failure: (moment: ContinuousClock.Instant, error: PostgresError)?
  /// Whether a thread finds out whether the server is back. No other thread waits for it meanwhile.
  private var isTrying = false

  /// Sessions at most: a server's readers are few, and each is a process at PostgreSQL.
  private static let limit = 12
  /// Sessions that are kept without a reader.
  private static let kept = 4
  /// How long a caller waits for another to be done.
  private static let patience = 10.0
  /// How long it is taken for granted that a server that was not there is not there.
  private static let pause = Duration.seconds(1)

  init(_ address: PostgresAddress) { self.address = address }

  /// Runs `body` on a session, in one read transaction: it sees one state of the database. Where the session turns out to have
  /// been lost while it was idle, `body` runs once more, on another.
  func read<Result>(_ body: (PostgresSession) throws -> Result) throws -> Result {
    try use { session in
      try session.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { try body(session) }
    }
  }

  /// The same without a transaction, for what is one statement, or begins its own.
  /// - Parameters:
  ///   - patience: seconds that an answer is waited for, where that is not as long as for everything.
  ///   - body: what is to be done.
  func use<Result>(patience: Int? = nil, _ body: (PostgresSession) throws -> Result) throws -> Result {
    let (session, wasIdle) = try take()
    do {
      let usual = session.patience
      if let patience { session.patience = patience }
      defer {
        session.patience = usual
        give(session)
      }
      return try body(session)
    } catch let error as PostgresError where error.kind == .timeout && !session.isAlive {
      // It hangs, and would hang for the others as well.
      condition.withLock {
        idle.removeAll()
        failure = (.now, error)
      }
      throw error
    } catch let error as PostgresError where error.kind == .connection && wasIdle {
      // The others were lost with it.
      condition.withLock { idle.removeAll() }
      let (fresh, _) = try take()
      defer { give(fresh) }
      return try body(fresh)
    }
  }

  /// Closes what is idle.
  func close() { condition.withLock { idle.removeAll() } }

  private func take() throws -> (session: PostgresSession, wasIdle: Bool) {
    condition.lock()
    let end = Date(timeIntervalSinceNow: Self.patience)
    while idle.isEmpty, inUse >= Self.limit {
      guard condition.wait(until: end) else {
        condition.unlock()
        throw StoreError.busy
      }
    }
    inUse += 1
    if let session = idle.popLast() {
      condition.unlock()
      return (session, true)
    }
    let known = failure.flatMap { isTrying || $0.moment.duration(to: .now) < Self.pause ? $0.error : nil }
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
          if let error = error as? PostgresError, error.kind == .connection { failure = (.now, error) }
        }
        condition.signal()
      }
      throw error
    }
  }

  private func give(_ session: PostgresSession) {
    condition.withLock {
      inUse -= 1
      if session.isAlive, !session.isInTransaction, idle.count < Self.kept { idle.append(session) }
      condition.signal()
    }
  }
}
