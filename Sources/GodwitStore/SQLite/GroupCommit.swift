internal import Foundation
internal import GodwitModel
internal import GodwitSQLite
internal import GodwitServices
internal import Synchronization

/// The writer: stores everything that is pending in one transaction, and calls back after the commit. While the disk is busy the
/// next group accumulates, so that groups grow with the load. Other writes use the same queue, so that no writer waits for the lock
/// of the file. The writer has a thread, or runs on the single queue of a server without threads.
///
/// `@unchecked Sendable`: `waiting`, `work`, `waitingRecords`, `phase` and `participants` are accessed only while `condition` is
/// locked. Only the writer uses the file and the filters.
final class GroupCommit: @unchecked Sendable {
  /// Maximum pending records; further requests are rejected. The limit is at most about 100 MB, and several seconds of work.
  static let maximumWaitingRecords = 200_000
  /// Maximum records in one transaction, unless a single request has more.
  static let maximumGroup = 20_000

  private enum Phase { case running, stopping, stopped }

  /// A write other than of records, in one transaction with others.
  struct Work: Sendable {
    /// Runs the write, and returns an action for after the commit.
    let run: @Sendable (SQLiteConnection) throws -> @Sendable () -> Void
    /// Called if nothing was written.
    let failed: @Sendable (any Error) -> Void
  }

  /// The writer's connection.
  private struct File {
    let database: Database
    /// The same connection as a ``SQLConnection``.
    let connection: SQLiteConnection
    let inserter: RecordInserter
    /// The files as they were when the database was opened.
    var files: DatabaseFiles

    /// Runs `body` in a transaction. Commits it only if the files are still those that were opened.
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
  /// The database; `nil` after the writer has ended.
  private var file: File?
  /// The queue on which the writer runs; `nil`: the writer has a thread.
  private let queue: WorkQueue?
  /// Whether the writer is running on the queue. Used only on the queue's thread.
  private var isCommitting = false
  /// Filters submissions before they are stored.
  private let filter: any SubmissionFilter
  /// Drops deleted records.
  private let deleted = DeletedRecordFilter()
  private let committed: @Sendable ([(Submission, SubmissionResult)]) -> Void

  /// Whether the database can write.
  let health: StoreHealth

  /// Number of transactions of records, for the metrics.
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

  /// Queues a write other than of records.
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

  /// Accepts no more work. The writer stores what is pending and ends.
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

  /// Stores what is pending on the calling thread, if the writer has no thread of its own. Does nothing when called by the writer itself.
  func commitPending() {
    // The queue and its callers share one thread.
    guard queue != nil, !isCommitting else { return }
    isCommitting = true
    run()
    isCommitting = false
  }

  /// The contents of one transaction of records and one of other writes.
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

  /// Returns the next batch. Waits for it, if the writer has a thread.
  /// - Returns: `nil` if nothing is pending; if the store is stopping, the file is closed.
  private func nextBatch() -> Batch? {
    condition.lock()
    defer { condition.unlock() }
    while waiting.isEmpty, work.isEmpty, phase == .running {
      if queue != nil { return nil }
      condition.wait()
    }
    guard let file, !waiting.isEmpty || !work.isEmpty else {
      // Nothing can be added any more, because submissions are rejected since the stop began.
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
        let known = deleted.version
        // Before the filter, which applies the private zones of a device's owner: a merged device has none.
        let present = try deleted.applied(to: group, at: version, connection)
        // A deletion may have removed rows whose numbers are cached.
        if deleted.version != known { inserter.discardInterned() }
        let filtered = try filter.applied(to: present, at: version, connection)
        try filtered.record?(connection)
        let group = filtered.submissions
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
      // A faulty request must not make the other requests fail.
      if group.count > 1 {
        for submission in group { store([submission], participants, in: &file) }
      } else {
        health.failed(error)
        for submission in group { submission.completion(.failure(error)) }
      }
    }
  }
}
