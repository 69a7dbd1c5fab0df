internal import Foundation
internal import GodwitModel
internal import GodwitSQLite
internal import GodwitServices
internal import Synchronization

/// The writer: stores everything that is pending in one transaction, and calls back after the commit. While the
/// disk is busy the next group gathers, so groups grow with the load. Other writes use the same queue, so that no
/// writer waits for the file's lock. It is a thread, or runs on the one queue of a server that has no threads.
///
/// `@unchecked Sendable`: `waiting`, `work`, `waitingRecords`, `phase` and `participants` are accessed only while
/// `condition` is locked; the file and the filters only by the writer.
final class GroupCommit: @unchecked Sendable {
  /// Maximum pending records before further requests are refused: at most about 100 MB, and several seconds of work.
  static let maximumWaitingRecords = 200_000
  /// Records in one transaction, unless a single request has more.
  static let maximumGroup = 20_000

  private enum Phase { case running, stopping, stopped }

  /// A write other than records, in one transaction with others.
  struct Work: Sendable {
    /// Runs the write, and returns an action for after the commit.
    let run: @Sendable (SQLiteConnection) throws -> @Sendable () -> Void
    /// Called if nothing was written.
    let failed: @Sendable (any Error) -> Void
  }

  /// The writer's connection.
  private struct File {
    let database: Database
    /// The same connection, for code that both databases share.
    let connection: SQLiteConnection
    let inserter: RecordInserter
    /// The files at the opening of the database.
    var files: DatabaseFiles

    /// Runs `body` in a transaction, which is committed only if the files are those that were opened.
    mutating func transaction<Result>(_ body: () throws -> Result) throws -> Result {
      try database.transaction {
        let result = try body()
        guard files.areTheSame() else { throw StoreFault(.moved) }
        return result
      }
    }
  }

  private let condition = NSCondition()
  private var waiting: [Submission] = []
  private var work: [Work] = []
  private var participants: [any CommitParticipant]
  private var waitingRecords = 0
  private var phase = Phase.running
  /// `nil` after the writer's end.
  private var file: File?
  /// Runs the writer; `nil`: it has a thread.
  private let queue: WorkQueue?
  /// Whether the writer runs on the queue now; used by the queue's thread only.
  private var isCommitting = false
  /// Filters submissions before they are stored.
  private let filter: any SubmissionFilter
  /// Drops deleted records.
  private let deleted = DeletedRecordFilter()
  private let committed: @Sendable ([(Submission, SubmissionResult)]) -> Void

  /// Whether the database can write.
  let health: StoreHealth

  /// Transactions and the records in them, for the metrics.
  let commits = Atomic<Int>(0)

  /// - Parameters:
  ///   - database: the writer's connection.
  ///   - health: receives the results of transactions.
  ///   - parts: the additions of the program.
  ///   - committed: called with each group after its commit, before the completions.
  init(
    database: Database, health: StoreHealth, parts: StoreParts,
    committed: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void
  ) throws {
    self.health = health
    participants = parts.participants()
    filter = parts.filter()
    file = File(
      database: database, connection: SQLiteConnection(database), inserter: try RecordInserter(database),
      files: DatabaseFiles(path: database.path))
    self.committed = committed
    queue = parts.queues.single
    guard queue == nil else { return }
    let thread = Thread { [self] in run() }
    thread.name = "godwit-store"
    thread.start()
  }

  func submit(_ submission: Submission) {
    condition.lock()
    let rejection: (any Error)?
    if health.isDamaged {
      rejection = StoreFault(.damaged)
    } else if phase != .running {
      rejection = StoreError.closed
    } else if waitingRecords > Self.maximumWaitingRecords {
      rejection = StoreError.busy
    } else {
      rejection = nil
      waiting.append(submission)
      waitingRecords += submission.size
      if waiting.count == 1 { condition.signal() }
    }
    condition.unlock()
    if let rejection { submission.completion(.failure(rejection)) } else { startOnQueue() }
  }

  /// Queues other work for the thread.
  func perform(_ item: Work) {
    condition.lock()
    let isOpen = phase == .running
    if isOpen {
      work.append(item)
      condition.signal()
    }
    condition.unlock()
    if isOpen { startOnQueue() } else { item.failed(StoreError.closed) }
  }

  /// Adds a participant to the transactions of records, after the existing ones.
  func addParticipant(_ participant: any CommitParticipant) {
    condition.lock()
    participants.append(participant)
    condition.unlock()
  }

  /// Accepts no more work; the writer stores what is pending and ends.
  func beginStopping() {
    condition.lock()
    if phase == .running { phase = .stopping }
    condition.broadcast()
    condition.unlock()
    startOnQueue()
  }

  /// Stores what is pending, and returns after the file is closed.
  func stop() {
    beginStopping()
    commitPending()
    condition.lock()
    while phase != .stopped { condition.wait() }
    condition.unlock()
  }

  // MARK: The writer

  private func startOnQueue() {
    queue?.async { [weak self] in self?.commitPending() }
  }

  /// Stores what is pending on this thread, if the writer has none of its own. Does nothing within a call of the writer.
  func commitPending() {
    // The queue and its callers are on one thread.
    guard queue != nil, !isCommitting else { return }
    isCommitting = true
    run()
    isCommitting = false
  }

  /// What one transaction of records and one of other work store.
  private struct Batch {
    var submissions: [Submission]
    var work: [Work]
    var participants: [any CommitParticipant]
    var file: File
  }

  private func run() {
    while var batch = nextBatch() {
      if !batch.submissions.isEmpty { store(batch.submissions, batch.participants, in: &batch.file) }
      if !batch.work.isEmpty { perform(batch.work, in: &batch.file) }
      file?.files = batch.file.files
    }
  }

  /// Waits for work, if the writer has a thread.
  /// - Returns: `nil`: there is none, and the writer has stopped if it was asked to.
  private func nextBatch() -> Batch? {
    condition.lock()
    defer { condition.unlock() }
    while waiting.isEmpty, work.isEmpty, phase == .running {
      if queue != nil { return nil }
      condition.wait()
    }
    guard let file, !waiting.isEmpty || !work.isEmpty else {
      // Nothing is added from now on: submissions are refused since the stop began.
      self.file = nil
      phase = .stopped
      condition.broadcast()
      return nil
    }
    var records = 0
    var count = 0
    while count < waiting.count, count == 0 || records + waiting[count].size <= Self.maximumGroup {
      records += waiting[count].size
      count += 1
    }
    let batch = Batch(submissions: Array(waiting[..<count]), work: work, participants: participants, file: file)
    waiting.removeFirst(count)
    waitingRecords -= records
    work = []
    return batch
  }

  private func perform(_ work: [Work], in file: inout File) {
    let connection = file.connection
    do {
      let afterwards = try file.transaction { try work.map { try $0.run(connection) } }
      for action in afterwards { action() }
    } catch {
      if work.count > 1 {
        for item in work { perform([item], in: &file) }
      } else {
        health.failed(error)
        for item in work { item.failed(error) }
      }
    }
  }

  private func store(_ group: [Submission], _ participants: [any CommitParticipant], in file: inout File) {
    let (connection, inserter) = (file.connection, file.inserter)
    do {
      var results: [(Submission, SubmissionResult)] = []
      results.reserveCapacity(group.count)
      try file.transaction {
        inserter.beginTransaction()
        var contacts: [Int64: (received: Date?, newPoints: Int)] = [:]
        let version = try FilterVersion.current(connection)
        let filtered = try filter.applied(to: group, at: version, connection)
        try filtered.record?(connection)
        let known = deleted.version
        let group = try deleted.applied(to: filtered.submissions, at: version, connection)
        // A deletion may have removed rows whose numbers are cached.
        if deleted.version != known { inserter.discardInterned() }
        for participant in participants { try participant.begin(group, connection) }
        for submission in group {
          var stored = try inserter.insert(submission)
          for participant in participants { try participant.process(submission, &stored, connection) }
          try submission.alongside?(stored, connection)
          results.append((submission, stored))
          let before = contacts[submission.device.id]
          contacts[submission.device.id] = (
            submission.isHistory ? before?.received : submission.received, (before?.newPoints ?? 0) + stored.savedPoints
          )
        }
        for (device, contact) in contacts {
          try inserter.recordContact(device: device, at: contact.received, newPoints: contact.newPoints)
        }
        for participant in participants { try participant.end(connection) }
      }
      health.succeeded()
      commits.add(1, ordering: .relaxed)
      committed(results)
      for (submission, stored) in results { submission.completion(.success(stored)) }
    } catch {
      inserter.discardInterned()
      filter.discardState()
      deleted.discardState()
      for participant in participants { participant.discardState() }
      // A faulty request must not make the others fail.
      if group.count > 1 {
        for submission in group { store([submission], participants, in: &file) }
      } else {
        health.failed(error)
        for submission in group { submission.completion(.failure(error)) }
      }
    }
  }
}
