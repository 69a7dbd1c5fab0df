import Foundation
import GodwitModel
import GodwitServices
import GodwitStore
import Synchronization

/// The store of a server, in which each write and the report of its result wait until a test performs them.
final class SteppedStore: StoreDatabase {
  /// Runs a write, and calls back with the closure that reports its result to the server.
  private typealias Work = @Sendable (@escaping @Sendable (@escaping @Sendable () -> Void) -> Void) -> Void

  private struct State {
    var work: [Work] = []
    var results: [@Sendable () -> Void] = []
    /// The number of reads that succeed before one fails; `nil`: all succeed.
    var readable: Int?
    var hasFailed = false
  }

  private let store: any StoreDatabase
  /// Whether the server treats the database as one with several servers.
  private let isShared: Bool
  private let state = Mutex(State())

  init(_ store: any StoreDatabase, isShared: Bool) { (self.store, self.isShared) = (store, isShared) }

  var hasWork: Bool { state.withLock { !$0.work.isEmpty } }
  var hasResult: Bool { state.withLock { !$0.results.isEmpty } }

  /// Makes a read fail.
  /// - Parameter count: the number of reads that succeed before it.
  func failRead(after count: Int) { state.withLock { $0.readable = count } }

  /// Whether a read has failed since the last call.
  func popFailure() -> Bool {
    state.withLock { state in
      defer { state.hasFailed = false }
      return state.hasFailed
    }
  }

  /// Runs the next write, and returns after its commit.
  func commit() async {
    guard let work = state.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) else { return }
    let result = await withCheckedContinuation { continuation in work { continuation.resume(returning: $0) } }
    state.withLock { $0.results.append(result) }
  }

  /// Reports the next result to the server.
  func report() {
    let result = state.withLock { $0.results.isEmpty ? nil : $0.results.removeFirst() }
    result?()
  }

  // MARK: StoreDatabase

  var dialect: SQLDialect { isShared ? .postgres : .sqlite }
  var queues: WorkQueues { store.queues }
  func commitPending() {}

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    state.withLock { [store] state in
      state.work.append { done in store.write(body) { result in done { completion(result) } } }
    }
  }

  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    let fails = state.withLock { state in
      guard let readable = state.readable else { return false }
      state.hasFailed = readable == 0
      state.readable = readable > 0 ? readable - 1 : nil
      return readable == 0
    }
    if fails { throw StoreError.closed }
    return try store.read(body)
  }

  var clock: ServerClock { store.clock }
  var health: StoreHealth { store.health }
  var hasRoom: Bool { store.hasRoom }
  func checkIntegrity(at now: Date) { store.checkIntegrity(at: now) }
  func moveLog() { store.moveLog() }
  func removeCopies() throws -> Bool { try store.removeCopies() }
  func reclaimSpace() throws { try store.reclaimSpace() }
  func clearDeleted() throws -> Bool { try store.clearDeleted() }
  func addParticipant(_ participant: any CommitParticipant) { store.addParticipant(participant) }
  func observeCommits(_ observer: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void) {
    store.observeCommits(observer)
  }

  // MARK: TrackStore

  func submit(_ submission: Submission) { store.submit(submission) }
  func devices() throws -> [DeviceSummary] { try store.devices() }
  func device(named name: String) throws -> Device? { try store.device(named: name) }
  func device(tokenHash: [UInt8]) throws -> Device? { try store.device(tokenHash: tokenHash) }
  func addDevice(named name: String, tokenHash: [UInt8], at now: Date) throws -> Device {
    try store.addDevice(named: name, tokenHash: tokenHash, at: now)
  }
  func revokeTokens(ofDeviceNamed name: String, at now: Date) throws -> Int? {
    try store.revokeTokens(ofDeviceNamed: name, at: now)
  }
  func points(_ query: PointQuery) throws -> [StoredPoint] { try store.points(query) }
  func events(device: Int64, from: Date?, to: Date?) throws -> [Record] {
    try store.events(device: device, from: from, to: to)
  }
  func rejections(device: Int64?, limit: Int) throws -> [StoredRejectedRecord] {
    try store.rejections(device: device, limit: limit)
  }
  func journals(device: Int64?) throws -> [JournalSummary] { try store.journals(device: device) }
  func close() {}
}
