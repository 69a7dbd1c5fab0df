import Foundation
import GodwitModel
import GodwitSQLite
import GodwitSimulator
import Synchronization
import TestDisk
import Testing

@testable import GodwitServer
@testable import GodwitStore

/// What two devices have sent to a store, in uploads.
struct ExpectedStore: Sendable {
  /// The records of an upload: the seconds of their times.
  struct Upload: Sendable {
    enum State: Sendable { case submitted, acknowledged, deleting, deleted }
    var device: Int64
    var seconds: Range<Int>
    var state = State.submitted
  }
  var uploads: [Upload] = []

  /// What is wrong with a store; empty: nothing. Uploads that were not acknowledged are sent again.
  /// - Parameter scans: whether each page of the file is compared with its checksum as well.
  func problems(inStoreOf folder: String, scans: Bool = false) -> [String] {
    do {
      let reported = scans ? try PageReport.problems(ofFile: folder + "/godwit.sqlite") : []
      if !reported.isEmpty { return reported }
      let store = try SQLiteTrackStore(folder: folder)
      defer { store.close() }
      var problems = try problems(in: store, isComplete: false)
      let check = try store.read { try $0.text("PRAGMA integrity_check") }
      if check != "ok" { problems.append("integrity_check: \(check ?? "")") }
      // The devices go on.
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

  /// - Parameter isComplete: whether uploads that were not acknowledged must be there.
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
      if found.contains(where: { $0 > 1 }) { problems.append("\(upload) is there more than once: \(found)") }
      if Set(found).count > 1 { problems.append("\(upload) is there in part: \(found)") }
      switch upload.state {
      case .acknowledged: if found.contains(0) { problems.append("\(upload) is lost") }
      case .deleted: if found.contains(1) { problems.append("\(upload) is there again") }
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

/// The result of a submission, for a thread that waits.
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

/// Two devices that send to a store on a simulated disk, one operation after the other.
final class StoreWorkload {
  private let folder: String
  private let disk: SimulatedDisk
  private let recorder: CutRecorder<ExpectedStore>
  private let isUnsafe: Bool
  private var random: RandomSource
  private var store: SQLiteTrackStore?
  private var nextSecond = 0
  /// Of the last uploads.
  private var failure: (any Error)?

  /// A store with two devices, as it lies on a disk.
  private static let template = Result { () throws -> Data in
    let folder = MemoryFolder()
    let store = try SQLiteTrackStore(folder: folder.path)
    for name in ["a", "b"] { _ = try store.makeDevice(name) }
    store.close()
    return try Data(contentsOf: URL(fileURLWithPath: folder.path + "/godwit.sqlite"))
  }

  /// - Parameter isUnsafe: whether the writer syncs nothing.
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

  /// Sends uploads, checkpoints, deletes and rewrites.
  /// - Parameter fails: whether operations of the disk fail now and then.
  /// - Returns: what was wrong with the store at the end.
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

  /// A short life of the store, during which the disk has a fault.
  /// - Parameter rewrites: whether the whole file is rewritten as well.
  /// - Returns: whether an operation failed, and what was wrong with the store at the end.
  func run(during fault: SimulatedDisk.Fault, rewrites: Bool) throws -> (isReached: Bool, problems: [String]) {
    let life = try live(rewrites: rewrites, breaking: { disk.fail(fault) }, mending: { disk.fail(nil) })
    return (disk.failures > 0, life.problems)
  }

  /// What happened in a short life.
  struct ShortLife {
    /// Operations of the store that failed.
    var failures = 0
    /// Whether the store opened although something fails.
    var isOpen = false
    /// What was wrong with the store at the end.
    var problems: [String] = []
  }

  /// A short life of the store, in most of which something fails.
  /// - Parameters:
  ///   - rewrites: whether the whole file is rewritten as well.
  ///   - breaking: begins the failures.
  ///   - mending: ends them.
  func live(rewrites: Bool, breaking: () -> Void, mending: () -> Void) throws -> ShortLife {
    var life = ShortLife()
    func attempt(_ operation: () throws -> Void) { do { try operation() } catch { life.failures += 1 } }
    breaking()
    // The store may not open, and reports what failed.
    attempt { try open() }
    life.isOpen = store != nil
    for _ in 0..<2 { upload(1) }
    attempt { _ = try store?.clearDeleted() }
    upload(2)
    attempt { try seal() }
    if rewrites { attempt { _ = try store?.removeCopies() } }
    upload(1)
    store?.moveLog()
    life.failures += recorder.expected.uploads.count { $0.state == .submitted }
    mending()
    if let store {
      // Nothing was lost or is damaged while something failed, and the store goes on without being opened again.
      upload(1)
      if recorder.expected.uploads.last?.state != .acknowledged {
        life.problems.append("storing does not go on: \(failure.map { "\($0)" } ?? "no error")")
      }
      if let fault = store.health.fault { life.problems.append("the store reports \(fault)") }
      guard life.problems.isEmpty else { return life }
    }
    life.problems = try end()
    return life
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
    // The writer's connection is private, and idle until something is submitted.
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

  /// Sends some uploads that are stored in one transaction; some of them for the second time.
  private func upload(_ count: Int) {
    guard let store else { return }
    // While the writer waits here, the uploads gather.
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
      // An upload without an acknowledgement is sent again, and now and then one whose acknowledgement did not arrive.
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
