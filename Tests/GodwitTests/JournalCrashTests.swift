import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitSQLite
import Testing

@testable import Godwit
@testable import GodwitJournal

@Suite("The journal when the machine fails")
struct JournalCrashTests {
  /// The files of an open journal with five transactions of ten records.
  private struct Remains {
    var file: Data
    var log: Data
    static let transactions = 5
    static let size = 10

    init() throws {
      let folder = try TemporaryFolder()
      let journal = try Journal(path: folder.journal)
      try journal.register(endpoint: "a")
      // The file has the earlier content, and the log gets the transactions.
      try journal.writing.withLock { try journal.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      for transaction in 0..<Self.transactions {
        let records = (0..<Self.size).map { record(Double(transaction * Self.size + $0)) }
        try journal.append(records, remembering: ["transaction": "\(transaction)"], recordedAt: start)
      }
      file = try Data(contentsOf: URL(fileURLWithPath: folder.journal))
      log = try Data(contentsOf: URL(fileURLWithPath: folder.journal + "-wal"))
    }

    /// Opens a journal with the file and `log`, and appends a record.
    /// - Returns: the number of complete transactions in the journal.
    func open(log: Data) throws -> Int {
      let folder = try TemporaryFolder()
      try file.write(to: URL(fileURLWithPath: folder.journal))
      try log.write(to: URL(fileURLWithPath: folder.journal + "-wal"))
      let (journal, aside) = try Journal.openMovingDamagedAside(path: folder.journal)
      #expect(aside == nil)
      let found = try journal.next(endpoint: "a", limit: 1000)
      let whole = found.count / Self.size
      #expect(found.count == whole * Self.size && found.map(\.sequence) == (0..<found.count).map { Int64($0 + 1) })
      // The value that was stored with the last records is there.
      #expect(try journal.remembered("transaction") == (whole == 0 ? nil : "\(whole - 1)"))
      try journal.append([record(1000)], recordedAt: start)
      #expect(try journal.next(endpoint: "a", limit: 1000).last?.sequence == Int64(found.count + 1))
      return whole
    }
  }

  @Test("a truncated log leaves whole transactions, and all complete ones")
  func torn() throws {
    let remains = try Remains()
    var found: [Int] = []
    for end in stride(from: 0, through: remains.log.count, by: 1021) {
      found.append(try remains.open(log: remains.log.prefix(end)))
    }
    #expect(try remains.open(log: remains.log) == Remains.transactions)
    #expect(found == found.sorted() && Set(found).isSuperset(of: 0..<Remains.transactions))
  }

  @Test("a lost sector of the log loses the transactions after it, and none before")
  func missingSector() throws {
    let remains = try Remains()
    var before = 0
    for sector in stride(from: 512, to: remains.log.count - 512, by: 2048) {
      var log = remains.log
      log.replaceSubrange(sector..<sector + 512, with: Data(repeating: 0, count: 512))
      let found = try remains.open(log: log)
      // A sector that was already zero is no change.
      if log != remains.log {
        #expect(found >= before && found < Remains.transactions)
        before = found
      }
    }
  }

  @Test("an append without disk space leaves no change, and the next one works")
  func full() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.append((0..<10).map { record(Double($0)) }, recordedAt: start)
    try journal.fill()
    let error = #expect(throws: SQLiteError.self) {
      try journal.append((0..<1000).map { record(Double($0)) }, remembering: ["trip": "t"], recordedAt: start)
    }
    #expect(error?.isFull == true && error?.description.contains("Free some space") == true)
    #expect(try journal.waiting(endpoint: "a") == 10 && journal.remembered("trip") == nil)
    try journal.makeRoom()
    try journal.append([record(10)], recordedAt: start)
    #expect(try journal.next(endpoint: "a", limit: 100).map(\.sequence) == Array(1...11))
  }

  /// A call, and whether the journal has unflushed records after it.
  struct Sync: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var interval = 30.0
    var act: @Sendable (Journal) throws -> Void
    var isUnsynced: Bool
  }

  @Test(
    "a journal with a sync interval syncs once in it, and before each upload",
    arguments: [
      Sync(testDescription: "the first", act: { _ in }, isUnsynced: false),
      Sync(testDescription: "within the interval", act: { try $0.append([record(1)], recordedAt: start + 29) }, isUnsynced: true),
      Sync(
        testDescription: "after the interval",
        act: {
          try $0.append([record(1)], recordedAt: start + 29)
          try $0.append([record(2)], recordedAt: start + 30)
        }, isUnsynced: false),
      Sync(
        testDescription: "no further record",
        act: {
          try $0.append([record(1)], recordedAt: start + 29)
          try $0.sync(at: start + 31)
        }, isUnsynced: false),
      Sync(
        testDescription: "too early",
        act: {
          try $0.append([record(1)], recordedAt: start + 1)
          try $0.sync(at: start + 2)
        }, isUnsynced: true),
      Sync(
        testDescription: "at the end",
        act: {
          try $0.append([record(1)], recordedAt: start + 1)
          try $0.sync()
        }, isUnsynced: false),
      Sync(
        testDescription: "before an upload",
        act: {
          try $0.append([record(1)], recordedAt: start + 1)
          _ = try $0.batch(endpoint: "a", limit: 10)
        }, isUnsynced: false),
      Sync(
        testDescription: "the clock is set back", act: { try $0.append([record(1)], recordedAt: start - 3600) },
        isUnsynced: false),
      Sync(
        testDescription: "a decision", act: { try $0.append([], remembering: ["tracking": "on"], recordedAt: start + 1) },
        isUnsynced: false),
      Sync(
        testDescription: "no interval", interval: 0, act: { try $0.append([record(1)], recordedAt: start + 0.1) },
        isUnsynced: false),
    ])
  func syncs(_ sync: Sync) throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal, syncInterval: sync.interval)
    try journal.append([record(0)], recordedAt: start)
    try sync.act(journal)
    #expect(journal.flush.isPending == sync.isUnsynced)
  }
}

extension Journal {
  /// Prevents the file from growing, as on a full disk.
  func fill() throws {
    try writing.withLock {
      let pages = try writer.integer("PRAGMA page_count") ?? 0
      try writer.execute("PRAGMA max_page_count = \(pages)")
    }
  }

  func makeRoom() throws {
    try writing.withLock { try writer.execute("PRAGMA max_page_count = 4294967294") }
  }

  /// Makes every write fail, as on a disk that is read-only.
  func setReadOnly(_ isReadOnly: Bool) throws {
    try writing.withLock { try writer.execute("PRAGMA query_only = \(isReadOnly ? 1 : 0)") }
  }
}

@Suite("The tracker on a full disk", .timeLimit(.minutes(20)))
struct FullDiskTests {
  private func fixes(_ range: Range<Int>) -> [Fix] {
    range.compactMap { if case .fix(let fix) = record(Double($0)).kind { fix } else { nil } }
  }

  /// Runs a tracker that tracks and sends nothing.
  private func track(
    _ folder: TemporaryFolder, _ clock: VirtualClock, _ body: (Tracker, ScriptedSensor) async throws -> Void
  ) async throws {
    let sensor = ScriptedSensor()
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    var endpoint = Endpoint(id: EndpointID("home"), url: url)
    endpoint.interval = .never
    let unreachable = HTTPClient { _ in throw URLError(.cannotConnectToHost) }
    let tracker = try Tracker(
      configuration: Tracker.Configuration(
        journalPath: folder.journal, endpoints: [endpoint], environment: clock.environment(unreachable)), sensor: sensor)
    let running = Task { try await tracker.run() }
    await tracker.caughtUp()
    tracker.startTracking()
    await tracker.caughtUp()
    try await body(tracker, sensor)
    running.cancel()
    _ = await running.result
  }

  private func wait(_ tracker: Tracker, until isSo: @Sendable (Tracker.Status) -> Bool) async {
    for await status in tracker.statuses where isSo(status) { return }
  }

  @Test(
    "records that cannot be written wait in memory, are reported, and are written when there is space", .timeLimit(.minutes(20)))
  func waits() async throws {
    let folder = try TemporaryFolder()
    let clock = VirtualClock()
    try await track(folder, clock) { tracker, sensor in
      sensor.notify(.fixes(fixes(0..<10)))
      await tracker.caughtUp()
      try tracker.journal.fill()
      for piece in 0..<30 { sensor.notify(.fixes(fixes(10 + piece * 100..<110 + piece * 100))) }
      await wait(tracker) { $0.unwritten > 0 && $0.endpoints.first?.status.waiting == 3010 }
      // The coverage log of some minutes cannot be written either.
      for _ in 0..<12 {
        clock.advance(60)
        sensor.notify(.tick)
      }
      await wait(tracker) { $0.heartbeat == clock.now }
      let status = await tracker.status
      #expect(status.lost == 0)
      // While the disk is full, the newest fix is not committed.
      #expect(try status.lastCommitted == tracker.journal.newestFix() && status.lastCommitted != status.lastFix)
      #expect(status.journalProblem?.contains("Free some space") == true)
      try tracker.journal.makeRoom()
      sensor.notify(.fixes(fixes(3010..<3011)))
      await tracker.caughtUp()
      let after = await tracker.status
      #expect(after.unwritten == 0 && after.lost == 0 && after.journalProblem == nil)
      let times = try tracker.journal.next(endpoint: "home", limit: 5000).map(\.record.time)
      #expect(times == fixes(0..<3011).map(\.time))
      // No minute is missing in the coverage log.
      let lines = try tracker.journal.coverage()
      #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.end == $1.start })
    }
  }

  @Test("records above the memory limit are lost, counted and reported", .timeLimit(.minutes(20)))
  func bounded() async throws {
    let folder = try TemporaryFolder()
    let clock = VirtualClock()
    try await track(folder, clock) { tracker, sensor in
      try tracker.journal.fill()
      let many = RecordWriter.maximumUnwritten / 2
      for part in 0..<3 {
        // The clock is advanced before the fixes, because the heartbeat is the time at which the tracker handles them.
        clock.advance(1)
        let time = clock.now
        sensor.notify(.fixes(fixes(part * many..<(part + 1) * many)))
        await wait(tracker) { $0.heartbeat >= time && $0.unwritten > 0 }
      }
      await wait(tracker) { $0.unwritten + $0.lost + tracker.journal.waiting(endpoint: "home") >= 3 * many }
      let status = await tracker.status
      #expect(status.unwritten <= RecordWriter.maximumUnwritten && status.lost > 0)
      #expect(status.unwritten + status.lost + tracker.journal.waiting(endpoint: "home") == 3 * many)
    }
  }

  @Test("a problem is not reported any more when the coverage log is written", .timeLimit(.minutes(20)))
  func solved() async throws {
    let folder = try TemporaryFolder()
    let clock = VirtualClock()
    try await track(folder, clock) { tracker, sensor in
      try tracker.journal.setReadOnly(true)
      // A failed purge leaves nothing to write.
      tracker.purge()
      await tracker.caughtUp()
      #expect(await tracker.status.journalProblem != nil)
      try tracker.journal.setReadOnly(false)
      for _ in 0..<12 {
        clock.advance(60)
        sensor.notify(.tick)
      }
      await tracker.caughtUp()
      #expect(await tracker.status.journalProblem == nil)
    }
  }

  @Test("a purge does not wait for unwritten records", .timeLimit(.minutes(20)))
  func purged() async throws {
    let folder = try TemporaryFolder()
    try await track(folder, VirtualClock()) { tracker, sensor in
      try tracker.journal.fill()
      sensor.notify(.fixes(fixes(0..<3000)))
      await wait(tracker) { $0.unwritten > 0 }
      async let caught: Void = tracker.caughtUp()
      tracker.purge()
      await caught
      #expect(await tracker.status.unwritten == 0)
    }
  }
}
