internal import Foundation
internal import GodwitModel
internal import GodwitPostgres
internal import GodwitServices
internal import Synchronization

/// The two writing threads, each with a session. One stores all pending records in one transaction, and calls back after the commit.
/// Meanwhile the next group accumulates. The other thread does all other writes, which are sequential across all servers of the database.
///
/// `@unchecked Sendable`: `waiting`, `work`, `waitingRecords`, `running`, `isOpen` and `participants` are accessed only while
/// `condition` is locked. Each thread alone uses its session and filters.
final class PostgresWriter: @unchecked Sendable {
  /// A write other than of records, in one transaction with others.
  struct Work: Sendable {
    /// Runs the write, and returns an action for after the commit.
    let run: @Sendable (PostgresConnection) throws -> @Sendable () -> Void
    /// Called if nothing was written.
    let failed: @Sendable (any Error) -> Void
  }

  private let address: PostgresAddress
  private let condition = NSCondition()
  private var waiting: [Submission] = []
  private var work: [Work] = []
  private var participants: [any CommitParticipant]
  private var waitingRecords = 0
  private var isOpen = true
  /// Number of running threads.
  private var running = 2
  private let committed: @Sendable ([(Submission, SubmissionResult)]) -> Void

  /// Whether the database can write.
  let health: StoreHealth
  private let clock: ServerClock
  /// Number of transactions of records.
  let commits = Atomic<Int>(0)
  /// Time after a failed connection in which no attempt is made.
  private static let pause = Duration.seconds(1)
  /// Timeout of each statement in seconds. It is shorter than the timeout of a client's request.
  private static let limits = PostgresSession.Limits(statement: 15)

  /// - Parameters:
  ///   - address: the database.
  ///   - parts: the additions of the program.
  ///   - committed: called with each group after its commit, before the completions.
  init(_ address: PostgresAddress, parts: StoreParts, committed: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void) {
    self.address = address
    self.committed = committed
    clock = parts.clock
    health = StoreHealth(clock: parts.clock)
    participants = parts.participants()
    filter = parts.filter()
    let threads = [Thread { [self] in storeRecords() }, Thread { [self] in doWork() }]
    for (thread, name) in zip(threads, ["godwit-store", "godwit-writes"]) {
      thread.name = name
      thread.start()
    }
  }

  func submit(_ submission: Submission) {
    let rejection: StoreError? = condition.withLock {
      guard isOpen else { return .closed }
      guard waitingRecords <= GroupCommit.maximumWaitingRecords else { return .busy }
      waiting.append(submission)
      waitingRecords += submission.size
      if waiting.count == 1 { condition.broadcast() }
      return nil
    }
    if let rejection { submission.completion(.failure(rejection)) }
  }

  /// Queues a write other than of records.
  func perform(_ item: Work) {
    let isTaken = condition.withLock {
      if isOpen {
        work.append(item)
        condition.broadcast()
      }
      return isOpen
    }
    if !isTaken { item.failed(StoreError.closed) }
  }

  func addParticipant(_ participant: any CommitParticipant) { condition.withLock { participants.append(participant) } }

  /// Accepts no more work. The threads store what is pending and end.
  func beginStopping() {
    condition.withLock {
      isOpen = false
      condition.broadcast()
    }
  }

  /// Stores what is pending, and returns after the threads have ended.
  func stop() {
    beginStopping()
    condition.lock()
    while running > 0 { condition.wait() }
    condition.unlock()
  }

  private func ended() {
    condition.withLock {
      running -= 1
      condition.broadcast()
    }
  }

  // MARK: Sessions

  /// The session of a thread, with the state that was prepared for it.
  private struct Line<Kept> {
    var open: (session: PostgresSession, kept: Kept)?
    /// When the last attempt to connect failed, as the clock's uptime, and the error.
    var failure: (time: Duration, error: any Error)?
    let clock: ServerClock
    let prepare: (PostgresSession) throws -> Kept

    /// Runs `body` on the session. If the connection of a session that was already open is lost, `body` runs once more on a new session.
    /// - Parameters:
    ///   - address: the database.
    ///   - mayRepeat: whether it may run again.
    ///   - body: the operation.
    mutating func run(
      on address: PostgresAddress, mayRepeat: @autoclosure () -> Bool = true, _ body: (PostgresSession, Kept) throws -> Void
    ) throws {
      let wasOpen = open != nil
      do {
        try attempt(on: address, body)
      } catch let error as PostgresError where error.kind == .connection && wasOpen && open == nil && mayRepeat() {
        try attempt(on: address, body)
      }
    }

    private mutating func attempt(
      on address: PostgresAddress, _ body: (PostgresSession, Kept) throws -> Void
    ) throws {
      if let failure, clock.uptime - failure.time < PostgresWriter.pause { throw failure.error }
      let (session, kept) = try opened(address)
      do {
        try body(session, kept)
      } catch {
        if session.isAlive, session.isInTransaction { _ = try? session.execute("ROLLBACK") }
        if !session.isAlive || session.isInTransaction { open = nil }
        throw error
      }
    }

    private mutating func opened(_ address: PostgresAddress) throws -> (PostgresSession, Kept) {
      if let open { return open }
      do {
        let session = try PostgresSession(address, limits: PostgresWriter.limits)
        let made = (session, try prepare(session))
        open = made
        failure = nil
        return made
      } catch {
        failure = (clock.uptime, error)
        throw error
      }
    }
  }

  // MARK: Records

  /// Filters submissions before they are stored. Used only by the thread of records.
  private let filter: any SubmissionFilter
  /// Drops deleted records. Used only by the thread of records.
  private let deleted = DeletedRecordFilter()
  /// Used only by the thread of records.
  private var workers = PostgresWorkers()

  private func storeRecords() {
    var line = Line<PostgresInserter>(clock: clock) { try PostgresInserter($0) }
    while true {
      condition.lock()
      while waiting.isEmpty, isOpen { condition.wait() }
      if waiting.isEmpty {
        condition.unlock()
        return ended()
      }
      var records = 0
      var count = 0
      while count < waiting.count, count == 0 || records + waiting[count].size <= GroupCommit.maximumGroup {
        records += waiting[count].size
        count += 1
      }
      let group = Array(waiting[..<count])
      waiting.removeFirst(count)
      waitingRecords -= records
      let participants = participants
      condition.unlock()
      store(group, participants, &line)
    }
  }

  private func store(_ group: [Submission], _ participants: [any CommitParticipant], _ line: inout Line<PostgresInserter>) {
    var parts = [PostgresWorkers.Part(group: group)]
    do {
      try line.run(on: address) { session, inserter in
        if inserter.isDistributed { parts = try workers.parts(of: group, at: clock.uptime, session) }
      }
    } catch {
      health.failed(error)
      parts[0].failure = error
    }
    for part in parts {
      if let failure = part.failure {
        for submission in part.group { submission.completion(.failure(failure)) }
      } else {
        store(part, participants, &line)
      }
    }
  }

  private func store(_ part: PostgresWorkers.Part, _ participants: [any CommitParticipant], _ line: inout Line<PostgresInserter>)
  {
    let start = clock.uptime
    var results: [(Submission, SubmissionResult)] = []
    var process: Int64 = 0
    do {
      try line.run(on: address) { session, inserter in
        process = session.process
        results = try store(part.group, participants, session, inserter)
      }
    } catch {
      let failure = error as? PostgresError
      // A faulty request must not make the other requests fail.
      if part.group.count > 1, failure?.isPassing != true {
        for submission in part.group {
          store(PostgresWorkers.Part(worker: part.worker, group: [submission]), participants, &line)
        }
        return
      }
      // A worker that hangs makes the coordinator hang.
      let isOfWorker = failure?.kind == .timeout || line.open.map { failure?.isOfWorker($0.session) == true } ?? false
      if let worker = part.worker, isOfWorker {
        workers.failed(worker, error, process: process, since: start, at: clock.uptime)
      }
      health.failed(error)
      for submission in part.group { submission.completion(.failure(error)) }
      return
    }
    health.succeeded()
    commits.add(1, ordering: .relaxed)
    committed(results)
    for (submission, stored) in results { submission.completion(.success(stored)) }
  }

  private func store(
    _ group: [Submission], _ participants: [any CommitParticipant], _ session: PostgresSession, _ inserter: PostgresInserter
  ) throws -> [(Submission, SubmissionResult)] {
    let connection = PostgresConnection(session)
    var attempt = 1
    while true {
      let version = try FilterVersion.current(connection)
      let known = deleted.version
      // Before the filter, which applies the private zones of a device's owner: a merged device has none.
      let present = try deleted.applied(to: group, at: version, connection)
      // A deletion may have removed rows whose numbers are cached.
      if deleted.version != known { inserter.discardInterned() }
      let filtered = try filter.applied(to: present, at: version, connection)
      let group = filtered.submissions
      let prepared = try inserter.prepare(group)
      let usual = session.timeout
      if inserter.isDistributed { session.timeout = PostgresWorkers.timeout }
      defer { session.timeout = usual }
      do {
        try inserter.begin(group, prepared)
        // Until the commit no deletion can remove a device or a context of this group.
        guard try FilterVersion.locked(connection) == version else {
          try session.execute("ROLLBACK")
          guard attempt < 8 else { throw StoreError.contended(table: "zone_status") }
          attempt += 1
          continue
        }
        try filtered.record?(connection)
        for participant in participants { try participant.begin(group, connection) }
        var results = Array(zip(group, try inserter.insert(group, prepared)))
        for index in results.indices {
          for participant in participants { try participant.process(results[index].0, &results[index].1, connection) }
          try results[index].0.alongside?(results[index].1, connection)
        }
        for participant in participants { try participant.end(connection) }
        try inserter.finish(results)
        return results
      } catch {
        for participant in participants { participant.discardState() }
        guard let conflict = error as? PostgresError, conflict.isConflict, session.isAlive, attempt < 8 else { throw error }
        try session.execute("ROLLBACK")
        attempt += 1
      }
    }
  }

  // MARK: Work

  private func doWork() {
    // The prepared state: whether the store is distributed.
    var line = Line<Bool>(clock: clock) { try PostgresDistribution.prepareForWriting($0, isShared: true) }
    while true {
      condition.lock()
      while work.isEmpty, isOpen { condition.wait() }
      if work.isEmpty {
        condition.unlock()
        return ended()
      }
      let items = work
      work = []
      condition.unlock()
      perform(items, &line)
    }
  }

  private func perform(_ items: [Work], _ line: inout Line<Bool>) {
    var afterwards: [@Sendable () -> Void] = []
    // After a lost connection it is unknown whether the commit succeeded. Repeating this work could apply it twice.
    var hasBegun = false
    do {
      try line.run(on: address, mayRepeat: !hasBegun) { session, isDistributed in
        let connection = PostgresConnection(session)
        afterwards = try session.transaction("BEGIN; " + PostgresLock.writing.statement) {
          hasBegun = true
          if isDistributed { try PostgresDistribution.commitInTwoPhases(session) }
          return try items.map { try $0.run(connection) }
        }
      }
    } catch {
      let isPassing = (error as? PostgresError)?.isPassing == true
      let isOfWorker = line.open.map { $0.kept && (error as? PostgresError)?.isOfWorker($0.session) == true } ?? false
      if items.count > 1, !isPassing || isOfWorker {
        for item in items { perform([item], &line) }
      } else {
        health.failed(error)
        for item in items { item.failed(error) }
      }
      return
    }
    for action in afterwards { action() }
  }
}
