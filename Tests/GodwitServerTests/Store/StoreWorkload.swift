import Foundation
import GodwitModel
import GodwitSQLite
import GodwitSimulator
import Synchronization
import TestDisk
import Testing

@testable import GodwitServer
@testable import GodwitStore

/// The expected contents of a store: the uploads of two devices.
struct ExpectedStore: Sendable {
  /// An upload. Its records are identified by the seconds of their times.
  struct Upload: Sendable {
    enum State: Sendable { case submitted, acknowledged, deleting, deleted }
    var device: Int64
    var seconds: Range<Int>
    var state = State.submitted
  }
  var uploads: [Upload] = []

  /// The problems of a store; empty if there is none. Sends uploads that were not acknowledged again.
  /// - Parameter scans: whether the checksum of each page of the file is verified as well.
  func problems(inStoreOf folder: String, scans: Bool = false) -> [String] {
    do {
      let reported = scans ? try PageReport.problems(ofFile: folder + "/godwit.sqlite") : []
      if !reported.isEmpty { return reported }
      let store = try SQLiteTrackStore(folder: folder)
      defer { store.close() }
      var problems = try problems(in: store, isComplete: false)
      let check = try store.read { try $0.text("PRAGMA integrity_check") }
      if check != "ok" { problems.append("integrity_check: \(check ?? "")") }
      // The devices continue to upload.
      var next = self
      for index in next.uploads.indices where next.uploads[index].state == .submitted {
        try Self.submit(next.uploads[index], to: store)
        next.uploads[index].state = .acknowledged
      }
      next.uploads.append(Upload(device: 1, seconds: 1_000_000..<1_000_003, state: .acknowledged))
      try Self.submit(next.uploads[next.uploads.count - 1], to: store)
      return try problems + next.problems(in: store, isComplete: true).map { "after more uploads: \($0)" }
    } catch {
      return ["\(error)"]
    }
  }

  private static func submit(_ upload: Upload, to store: SQLiteTrackStore) throws {
    let outcome = Outcome()
    store.submit(try StoreWorkload.submission(upload) { outcome.set($0) })
    _ = try outcome.get()
  }

  /// The problems of an open store; empty if there is none.
  /// - Parameter isComplete: whether uploads that were not acknowledged must be stored.
  func problems(in store: SQLiteTrackStore, isComplete: Bool) throws -> [String] {
    var (counts, totals) = ([Int64: [Int: Int]](), [Int64: Int64]())
    try store.read { db in
      for (device, points) in try db.all("SELECT id, points FROM devices", body: { ($0.integer(0), $0.integer(1)) }) {
        totals[device] = points
        try PointReader([.time], of: PointSpan(device: device, .min..<Int64.max), db).readEach { row in
          let second = try row.time("time").timeIntervalSince(walkStart)
          counts[device, default: [:]][Int(second), default: 0] += 1
        }
      }
    }
    var problems: [String] = []
    for upload in uploads {
      let found = upload.seconds.map { counts[upload.device]?[$0] ?? 0 }
      if found.contains(where: { $0 > 1 }) { problems.append("\(upload) is stored more than once: \(found)") }
      if Set(found).count > 1 { problems.append("\(upload) is stored in part: \(found)") }
      switch upload.state {
      case .acknowledged: if found.contains(0) { problems.append("\(upload) is lost") }
      case .deleted: if found.contains(1) { problems.append("\(upload) is stored again") }
      case .submitted: if isComplete, found.contains(0) { problems.append("\(upload) is not stored again") }
      case .deleting: break
      }
      for second in upload.seconds { counts[upload.device]?[second] = nil }
      totals[upload.device, default: 0] -= Int64(found.reduce(0, +))
    }
    if counts.values.contains(where: { !$0.isEmpty }) { problems.append("records that were never sent: \(counts)") }
    if totals.values.contains(where: { $0 != 0 }) { problems.append("the counts of points are wrong by \(totals)") }
    return problems
  }
}

/// The result of a submission, which a thread can wait for.
private final class Outcome: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let result = Mutex<Result<SubmissionResult, any Error>?>(nil)

  func set(_ value: Result<SubmissionResult, any Error>) {
    result.withLock { $0 = value }
    done.signal()
  }

  func get() throws -> SubmissionResult {
    done.wait()
    return try result.withLock { $0 }?.get() ?? SubmissionResult()
  }
}

/// Operations of two devices on a store on a simulated disk, one after the other.
final class StoreWorkload {
  private let folder: String
  private let disk: SimulatedDisk
  private let recorder: CutRecorder<ExpectedStore>
  private let isUnsafe: Bool
  private var random: RandomSource
  private var store: SQLiteTrackStore?
  private var nextSecond = 0
  /// The last error of the last uploads.
  private var failure: (any Error)?

  /// The database file of a store with two devices.
  private static let template = Result { () throws -> Data in
    let folder = MemoryFolder()
    let store = try SQLiteTrackStore(folder: folder.path)
    for name in ["a", "b"] { _ = try store.makeDevice(name) }
    store.close()
    return try Data(contentsOf: URL(fileURLWithPath: folder.path + "/godwit.sqlite"))
  }

  /// Creates a workload on a new simulated disk.
  /// - Parameter isUnsafe: whether the writer uses `synchronous=OFF`.
  init(seed: UInt64, in folder: String, isUnsafe: Bool = false) throws {
    self.folder = folder
    self.isUnsafe = isUnsafe
    random = RandomSource(seed: seed, stream: "store")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.template.get().write(to: URL(fileURLWithPath: folder + "/godwit.sqlite"))
    disk = try SimulatedDisk(folder: folder)
    recorder = CutRecorder(ExpectedStore(), on: disk, seed: seed, interval: 24)
  }

  deinit {
    store?.close()
    disk.end()
  }

  var cuts: [(disk: PowerCut, expected: ExpectedStore)] { recorder.cuts }

  /// Runs random uploads, checkpoints, deletions and rewrites.
  /// - Parameter fails: whether some disk operations fail.
  /// - Returns: the problems of the store at the end.
  func run(fails: Bool) throws -> [String] {
    try open()
    for _ in 0..<30 {
      if fails, random.happens(0.3) {
        disk.fail(.random(within: 20, &random))
      }
      do { try act() } catch { if !fails { throw error } }
      if random.happens(0.7) { disk.fail(nil) }
    }
    return try end()
  }

  /// Runs a fixed sequence of operations, during which the disk has a fault.
  /// - Parameter rewrites: whether the whole file is rewritten as well.
  /// - Returns: whether an operation failed, and the problems of the store at the end.
  func run(during fault: SimulatedDisk.Fault, rewrites: Bool) throws -> (isReached: Bool, problems: [String]) {
    let result = try runSequence(rewrites: rewrites, startFaults: { disk.fail(fault) }, endFaults: { disk.fail(nil) })
    return (disk.failures > 0, result.problems)
  }

  /// The result of a fixed sequence of operations.
  struct SequenceResult {
    /// The number of failed operations of the store.
    var failures = 0
    /// Whether the store opened despite the failures.
    var isOpen = false
    /// The problems of the store at the end.
    var problems: [String] = []
  }

  /// Runs a fixed sequence of operations with failures, and then checks the store without failures.
  /// - Parameters:
  ///   - rewrites: whether the whole file is rewritten as well.
  ///   - startFaults: starts the failures.
  ///   - endFaults: ends the failures.
  func runSequence(rewrites: Bool, startFaults: () -> Void, endFaults: () -> Void) throws -> SequenceResult {
    var result = SequenceResult()
    func attempt(_ operation: () throws -> Void) { do { try operation() } catch { result.failures += 1 } }
    startFaults()
    // The store may fail to open.
    attempt { try open() }
    result.isOpen = store != nil
    for _ in 0..<2 { upload(1) }
    attempt { _ = try store?.clearDeleted() }
    upload(2)
    attempt { try seal() }
    if rewrites { attempt { _ = try store?.removeCopies() } }
    upload(1)
    store?.moveLog()
    result.failures += recorder.expected.uploads.count { $0.state == .submitted }
    endFaults()
    if let store {
      // After the failures no data is lost or damaged, and the store continues without being reopened.
      upload(1)
      if recorder.expected.uploads.last?.state != .acknowledged {
        result.problems.append("storing does not continue: \(failure.map { "\($0)" } ?? "no error")")
      }
      if let fault = store.health.fault { result.problems.append("the store reports \(fault)") }
      guard result.problems.isEmpty else { return result }
    }
    result.problems = try end()
    return result
  }

  private func end() throws -> [String] {
    disk.fail(nil)
    disk.endCuts()
    store?.close()
    store = nil
    return recorder.expected.problems(inStoreOf: folder, scans: true)
  }

  private func open() throws {
    let opened = try SQLiteTrackStore(folder: folder)
    store = opened
    // The writer's connection is private, and idle until the first submission.
    let database = Mirror(reflecting: opened).descendant("writer", "file", "some", "database") as? Database
    try #require(database).execute("PRAGMA wal_autocheckpoint = 40\(isUnsafe ? "; PRAGMA synchronous = OFF" : "")")
  }

  private func act() throws {
    if store == nil { try open() }
    switch random.next() % 24 {
    case 0:
      store?.close()
      store = nil
    case 1: _ = try store?.clearDeleted()
    case 2: _ = try store?.removeCopies()
    case 3: store?.moveLog()
    case 4, 5: try delete()
    case 6, 7: try seal()
    default: upload(1 + Int(random.next() % 3))
    }
  }

  /// Sends uploads that are stored in one transaction. Some of them are sent for the second time.
  private func upload(_ count: Int) {
    guard let store else { return }
    // The writer is blocked, so that the uploads are stored in one transaction.
    let (isBusy, shouldContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    if count > 1 {
      store.write { _ in
        isBusy.signal()
        shouldContinue.wait()
      } completion: { _ in
        // The transaction may not have begun.
        isBusy.signal()
      }
      isBusy.wait()
    }
    var outcomes: [Outcome] = []
    for _ in 0..<count {
      let uploads = recorder.expected.uploads
      var index = uploads.count
      // An upload without an acknowledgement is sent again, and sometimes an acknowledged one, as if its response was lost.
      let open = uploads.lastIndex { $0.state == .submitted || ($0.state == .acknowledged && random.happens(0.2)) }
      if let open, random.happens(0.3) {
        index = open
      } else {
        let size = Int.random(in: 1...8, using: &random)
        let upload = ExpectedStore.Upload(device: Int64(1 + random.next() % 2), seconds: nextSecond..<nextSecond + size)
        nextSecond += size
        recorder.expect { $0.uploads.append(upload) }
      }
      let outcome = Outcome()
      outcomes.append(outcome)
      let recorder = recorder
      guard
        let submission = try? Self.submission(
          recorder.expected.uploads[index],
          { [index] result in
            if case .success = result { recorder.expect { $0.uploads[index].state = .acknowledged } }
            outcome.set(result)
          })
      else { return }
      store.submit(submission)
    }
    shouldContinue.signal()
    failure = nil
    for outcome in outcomes { do { _ = try outcome.get() } catch { failure = error } }
  }

  static func submission(
    _ upload: ExpectedStore.Upload, _ completion: @escaping @Sendable (Result<SubmissionResult, any Error>) -> Void
  ) throws -> Submission {
    let device = Device(id: upload.device, name: upload.device == 1 ? "a" : "b")
    return Submission(
      device: device, records: try upload.seconds.map { try step($0) }, received: walkStart, completion: completion)
  }

  /// Moves all points into blocks.
  private func seal() throws {
    guard let store else { return }
    let result = try SealingRun(database: store, days: 0, minimum: 1).run(at: walkStart.addingTimeInterval(1e7))
    if let problem = result.problems.values.first { throw problem }
  }

  /// Deletes the records of an upload.
  private func delete() throws {
    let uploads = recorder.expected.uploads
    guard let store, let index = uploads.firstIndex(where: { $0.state == .acknowledged || $0.state == .deleting }) else { return }
    let upload = uploads[index]
    recorder.expect { $0.uploads[index].state = .deleting }
    try store.writeAndWait { db in
      let times = upload.seconds.map { walkStart.addingTimeInterval(Double($0)).millisecondsSince1970 }
      if let first = times.first, let last = times.last { try PointSealer(ofDevice: upload.device, db).open(first..<last + 1) }
      for time in times { try db.run("DELETE FROM points WHERE device = ? AND time = ?", upload.device, time) }
      let count = try PointLookup.count(ofDevice: upload.device, .min..<Int64.max, db)
      try db.run("UPDATE devices SET points = ? WHERE id = ?", count, upload.device)
    }
    recorder.expect { $0.uploads[index].state = .deleted }
  }
}
