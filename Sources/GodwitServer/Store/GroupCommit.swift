internal import Foundation
internal import GodwitModel
internal import GodwitSQLite
internal import Synchronization

/// The one thread that writes: it takes everything that waits, stores it in one transaction, and calls all
/// of them back after the commit. While the disk is busy with one group the next one gathers, so groups are
/// as large as the load.
///
/// `@unchecked Sendable`: `waiting`, `waitingBytes` and `phase` are touched only while `condition` is locked;
/// the database and the inserter only by the thread.
final class GroupCommit: @unchecked Sendable {
  /// Records that may wait before further requests are refused: about 100 MB at worst, and several seconds of
  /// work.
  static let maximumWaitingRecords = 200_000
  /// Records in one transaction, unless a single request has more.
  static let maximumGroup = 20_000

  private enum Phase { case running, stopping, stopped }

  private let condition = NSCondition()
  private var waiting: [Submission] = []
  private var waitingRecords = 0
  private var phase = Phase.running
  private let database: Database
  private let inserter: RecordInserter
  private let committed: @Sendable ([(Submission, Stored)]) -> Void

  /// Transactions and the records in them, for the metrics.
  let commits = Atomic<Int>(0)

  /// - Parameter committed: told of each group after its commit, before the completions.
  init(database: Database, committed: @escaping @Sendable ([(Submission, Stored)]) -> Void) throws {
    self.database = database
    inserter = try RecordInserter(database)
    self.committed = committed
    let thread = Thread { [self] in run() }
    thread.name = "godwit-store"
    thread.start()
  }

  func submit(_ submission: Submission) {
    condition.lock()
    let refusal: StoreError?
    if phase != .running {
      refusal = .closed
    } else if waitingRecords > Self.maximumWaitingRecords {
      refusal = .busy
    } else {
      refusal = nil
      waiting.append(submission)
      waitingRecords += submission.records.count
      if waiting.count == 1 { condition.signal() }
    }
    condition.unlock()
    if let refusal { submission.completion(.failure(refusal)) }
  }

  /// Stores what waits, then ends the thread. Returns when it has ended.
  func stop() {
    condition.lock()
    if phase == .running { phase = .stopping }
    condition.broadcast()
    while phase != .stopped { condition.wait() }
    condition.unlock()
  }

  private func run() {
    var group: [Submission] = []
    while true {
      condition.lock()
      while waiting.isEmpty, phase == .running { condition.wait() }
      if waiting.isEmpty {
        phase = .stopped
        condition.broadcast()
        condition.unlock()
        return
      }
      var records = 0
      var count = 0
      while count < waiting.count, count == 0 || records + waiting[count].records.count <= Self.maximumGroup {
        records += waiting[count].records.count
        count += 1
      }
      group = Array(waiting[..<count])
      waiting.removeFirst(count)
      waitingRecords -= records
      condition.unlock()
      store(group)
      group.removeAll()
    }
  }

  private func store(_ group: [Submission]) {
    do {
      var results: [(Submission, Stored)] = []
      results.reserveCapacity(group.count)
      try database.transaction {
        var contacts: [Int64: (received: Date, newPoints: Int)] = [:]
        for submission in group {
          let stored = try inserter.insert(submission)
          results.append((submission, stored))
          let before = contacts[submission.device.id]?.newPoints ?? 0
          contacts[submission.device.id] = (submission.received, before + stored.savedPoints)
        }
        for (device, contact) in contacts {
          try inserter.noteContact(device: device, at: contact.received, newPoints: contact.newPoints)
        }
      }
      commits.add(1, ordering: .relaxed)
      committed(results)
      for (submission, stored) in results { submission.completion(.success(stored)) }
    } catch {
      inserter.forgetInterned()
      // One request that cannot be stored must not take the others with it.
      if group.count > 1 {
        for submission in group { store([submission]) }
      } else {
        for submission in group { submission.completion(.failure(error)) }
      }
    }
  }
}
