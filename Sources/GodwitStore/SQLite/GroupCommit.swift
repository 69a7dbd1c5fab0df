internal import Foundation
internal import GodwitModel
internal import GodwitSQLite
internal import Synchronization

/// The one thread that writes: it takes everything that waits, stores it in one transaction, and calls all
/// of them back after the commit. While the disk is busy with one group the next one gathers, so groups are
/// as large as the load. Other writers' work waits in the same line, so that no writer waits for the file's lock.
///
/// `@unchecked Sendable`: `waiting`, `work`, `waitingRecords`, `phase` and `participants` are touched only while `condition` is
/// locked; the file and the filters only by the thread.
final class GroupCommit: @unchecked Sendable {
  /// Records that may wait before further requests are refused: about 100 MB at worst, and several seconds of
  /// work.
  static let maximumWaitingRecords = 200_000
  /// Records in one transaction, unless a single request has more.
  static let maximumGroup = 20_000

  private enum Phase { case running, stopping, stopped }

  /// What is to be done beside the records: in one transaction with other such work.
  struct Work: Sendable {
    /// Does it, and says what to do after the commit.
    let run: @Sendable (SQLiteConnection) throws -> @Sendable () -> Void
    /// Nothing of it was done.
    let failed: @Sendable (any Error) -> Void
  }

  /// The writing side of the database.
  private struct File {
    let database: Database
    /// The same, for what is written once for both databases.
    let connection: SQLiteConnection
    let inserter: RecordInserter
    /// As they were when the database was opened.
    var files: DatabaseFiles

    /// Runs `body` in a transaction, which is committed only to the files that the database was opened with.
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
  /// Until the thread ends.
  private var file: File?
  /// Changes what comes before it is stored.
  private let filter: any SubmissionFilter
  /// Withholds what was deleted.
  private let deleted = DeletedRecordFilter()
  private let committed: @Sendable ([(Submission, SubmissionResult)]) -> Void

  /// Whether the database can store.
  let health: StoreHealth

  /// Transactions and the records in them, for the metrics.
  let commits = Atomic<Int>(0)

  /// - Parameters:
  ///   - database: the writing side.
  ///   - health: hears how the transactions went.
  ///   - parts: what the program adds.
  ///   - committed: told of each group after its commit, before the completions.
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
    let thread = Thread { [self] in run() }
    thread.name = "godwit-store"
    thread.start()
  }

  func submit(_ submission: Submission) {
    condition.lock()
    let refusal: (any Error)?
    if health.isDamaged {
      refusal = StoreFault(.damaged)
    } else if phase != .running {
      refusal = StoreError.closed
    } else if waitingRecords > Self.maximumWaitingRecords {
      refusal = StoreError.busy
    } else {
      refusal = nil
      waiting.append(submission)
      waitingRecords += submission.size
      if waiting.count == 1 { condition.signal() }
    }
    condition.unlock()
    if let refusal { submission.completion(.failure(refusal)) }
  }

  /// Does other work on the thread.
  func perform(_ item: Work) {
    condition.lock()
    let isOpen = phase == .running
    if isOpen {
      work.append(item)
      condition.signal()
    }
    condition.unlock()
    if !isOpen { item.failed(StoreError.closed) }
  }

  /// Adds a participant to the transactions of records, after those that there are.
  func addParticipant(_ participant: any CommitParticipant) {
    condition.lock()
    participants.append(participant)
    condition.unlock()
  }

  /// Takes no more; what waits is stored, and the thread ends.
  func beginStopping() {
    condition.lock()
    if phase == .running { phase = .stopping }
    condition.broadcast()
    condition.unlock()
  }

  /// Stores what waits, then ends the thread. Returns when the file is closed.
  func stop() {
    beginStopping()
    condition.lock()
    while phase != .stopped { condition.wait() }
    condition.unlock()
  }

  private func run() {
    var group: [Submission] = []
    while true {
      condition.lock()
      while waiting.isEmpty, work.isEmpty, phase == .running { condition.wait() }
      guard var file, !waiting.isEmpty || !work.isEmpty else {
        // Nothing is added from now on: every submission is refused since the stopping began.
        self.file = nil
        phase = .stopped
        condition.broadcast()
        condition.unlock()
        return
      }
      var records = 0
      var count = 0
      while count < waiting.count, count == 0 || records + waiting[count].size <= Self.maximumGroup {
        records += waiting[count].size
        count += 1
      }
      group = Array(waiting[..<count])
      waiting.removeFirst(count)
      waitingRecords -= records
      let others = work
      work = []
      let participants = participants
      condition.unlock()
      if !group.isEmpty { store(group, participants, in: &file) }
      if !others.isEmpty { perform(others, in: &file) }
      self.file?.files = file.files
      group.removeAll()
    }
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
        var contacts: [Int64: (received: Date?, newPoints: Int)] = [:]
        let version = try FilterVersion.current(connection)
        let filtered = try filter.applied(to: group, at: version, in: connection)
        try filtered.record?(connection)
        let known = deleted.version
        let group = try deleted.applied(to: filtered.submissions, at: version, in: connection)
        // A deletion may have removed rows whose numbers are remembered.
        if deleted.version != known { inserter.discardInterned() }
        for participant in participants { try participant.begin(group, in: connection) }
        for submission in group {
          var stored = try inserter.insert(submission)
          for participant in participants { try participant.process(submission, &stored, in: connection) }
          try submission.alongside?(stored, connection)
          results.append((submission, stored))
          let before = contacts[submission.device.id]
          contacts[submission.device.id] = (
            submission.isHistory ? before?.received : submission.received, (before?.newPoints ?? 0) + stored.savedPoints
          )
        }
        for (device, contact) in contacts {
          try inserter.noteContact(device: device, at: contact.received, newPoints: contact.newPoints)
        }
        for participant in participants { try participant.end(in: connection) }
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
      // One request that cannot be stored must not take the others with it.
      if group.count > 1 {
        for submission in group { store([submission], participants, in: &file) }
      } else {
        health.failed(error)
        for submission in group { submission.completion(.failure(error)) }
      }
    }
  }
}
