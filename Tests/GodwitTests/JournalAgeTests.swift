import Foundation
import GodwitModel
import GodwitSQLite
import Testing

@testable import GodwitJournal

private let day = 86_400.0

// The retention is measured in run time, because the wall clock may be wrong.
@Suite("Age and size of waiting records in the journal")
struct JournalAgeTests {
  private func journal(_ folder: TemporaryFolder, _ uptime: Uptime) throws -> Journal {
    try Journal(path: folder.journal, uptime: { uptime.seconds })
  }

  @Test("records older than the retention are removed and counted, and newer ones remain")
  func retention() throws {
    let folder = try TemporaryFolder()
    let uptime = Uptime()
    let journal = try journal(folder, uptime)
    try journal.register(endpoint: "a")
    try journal.append((0..<2500).map { record(Double($0)) }, recordedAt: start)
    uptime.advance(9000)
    try journal.append([record(9000)], recordedAt: start.addingTimeInterval(9000))
    #expect(try journal.removeRecords(waitingFor: "a", olderThan: 9001, at: start) == 0)
    #expect(try journal.removeRecords(waitingFor: "a", olderThan: 8999, at: start) == 2500)
    #expect(journal.waiting(endpoint: "a") == 1)
    #expect(try journal.next(endpoint: "a", limit: 10).map(\.sequence) == [2501])
    #expect(try journal.removeRecords(waitingFor: "a", olderThan: 8999, at: start) == 0)
    let loss = try #require(try journal.losses().first)
    #expect(loss.count == 2500 && loss.endpoint == "a" && loss.reason == .age && loss.first == start)
  }

  @Test("setting the clock and times without a tracker do not age records", arguments: [40, 11.0, -9000])
  func clock(_ days: Double) throws {
    let folder = try TemporaryFolder()
    let uptime = Uptime()
    do {
      let journal = try journal(folder, uptime)
      try journal.register(endpoint: "a")
      try journal.append((0..<3000).map { record(Double($0)) }, recordedAt: start)
    }
    // The machine was off, or its clock was corrected.
    uptime.advance(400 * day)
    let journal = try journal(folder, uptime)
    let now = start.addingTimeInterval(days * day)
    #expect(try journal.removeRecords(waitingFor: "a", olderThan: 10 * day, at: now) == 0)
    try journal.append([record(1)], recordedAt: now)
    #expect(journal.waiting(endpoint: "a") == 3001)
  }

  @Test("run time is added up over restarts, also of a tracker that records nothing")
  func addedUp() throws {
    let folder = try TemporaryFolder()
    let uptime = Uptime()
    do {
      let journal = try journal(folder, uptime)
      try journal.register(endpoint: "a")
      try journal.append([record(0)], recordedAt: start)
    }
    for _ in 0..<5 {
      let journal = try journal(folder, uptime)
      uptime.advance(2 * day)
      try journal.store([])
      // Killed here; nothing runs until the next start.
    }
    uptime.advance(1000 * day)
    let journal = try journal(folder, uptime)
    #expect(try journal.removeRecords(waitingFor: "a", olderThan: 10 * day + 1, at: start) == 0)
    #expect(try journal.removeRecords(waitingFor: "a", olderThan: 10 * day - 1, at: start) == 1)
  }

  @Test("records that one endpoint drops still reach the others")
  func others() throws {
    let folder = try TemporaryFolder()
    let uptime = Uptime()
    let journal = try journal(folder, uptime)
    for endpoint in ["down", "slow"] { try journal.register(endpoint: endpoint) }
    try journal.append((0..<10).map { record(Double($0)) }, recordedAt: start)
    uptime.advance(100)
    try journal.append([record(11)], recordedAt: start)
    #expect(try journal.removeRecords(waitingFor: "down", olderThan: 50, at: start) == 10)
    #expect(journal.waiting(endpoint: "down") == 1 && journal.waiting(endpoint: "slow") == 11)
    #expect(try journal.next(endpoint: "slow", limit: 100).count == 11)
    let again = try Journal(path: folder.journal)
    #expect(again.waiting(endpoint: "down") == 1 && again.waiting(endpoint: "slow") == 11)
  }

  @Test("a batch that arrives although it was removed during the upload does not count as lost")
  func inFlight() throws {
    let folder = try TemporaryFolder()
    let uptime = Uptime()
    let journal = try journal(folder, uptime)
    try journal.register(endpoint: "a")
    try journal.append((0..<300).map { record(Double($0)) }, recordedAt: start)
    let numbers = try journal.numbering(endpoint: "a")
    uptime.advance(100)
    try journal.append([record(301)], recordedAt: start)
    #expect(try journal.removeRecords(waitingFor: "a", olderThan: 50, at: start) == 300)
    try journal.acknowledge(
      endpoint: "a", through: 200, reported: ReportedNumbers(first: 1, number: numbers.last + 200, isCovered: true), at: start)
    #expect(try journal.losses().map(\.count) == [100])
    #expect(journal.waiting(endpoint: "a") == 1)
  }

  @Test("a batch that arrives although it was removed does not reduce the count of rejected records")
  func inFlightAndRejected() throws {
    let folder = try TemporaryFolder()
    let uptime = Uptime()
    let journal = try journal(folder, uptime)
    try journal.register(endpoint: "a")
    try journal.append((0..<5).map { record(Double($0)) }, recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 2, settingAside: [(1, "no"), (2, "no")], at: start)
    uptime.advance(100)
    try journal.append([record(6)], recordedAt: start)
    #expect(try journal.removeRecords(waitingFor: "a", olderThan: 50, at: start) == 3)
    #expect(try journal.removeQuarantined(olderThan: 50, at: start) == ["a": 2])
    try journal.acknowledge(
      endpoint: "a", through: 5, reported: ReportedNumbers(first: 3, number: 5, isCovered: true), at: start)
    let losses = try journal.losses()
    #expect(losses.map(\.reason) == [.rejected] && losses.map(\.count) == [2])
  }

  @Test("a journal over its size limit removes its oldest records, never the newest, until it is below the limit")
  func size() throws {
    let folder = try TemporaryFolder()
    let journal = try journal(folder, Uptime())
    try journal.register(endpoint: "a")
    for piece in 0..<20 {
      try journal.append((0..<1000).map { record(Double(piece * 1000 + $0)) }, recordedAt: start)
    }
    let full = try journal.usedBytes()
    #expect(try journal.shrink(to: full, at: start) == JournalRemoval())
    let lost = try #require(try journal.shrink(to: full / 2, at: start).waiting["a"])
    #expect(lost > 5000 && lost < 15_000 && lost % 1000 == 0)
    #expect(try journal.usedBytes() <= full / 2 && journal.waiting(endpoint: "a") == 20_000 - lost)
    #expect(try journal.next(endpoint: "a", limit: 1).map(\.sequence) == [Int64(lost) + 1])
    _ = try journal.shrink(to: 0, at: start)
    #expect(journal.waiting(endpoint: "a") == 1)
    #expect(try journal.newestFix()?.time == record(19_999).time)
    #expect(try journal.losses().map(\.reason) == [.size] && journal.losses().map(\.count) == [19_999])
  }

  @Test("quarantined records that are removed to free space are counted as lost")
  func quarantinedSize() throws {
    let folder = try TemporaryFolder()
    let journal = try journal(folder, Uptime())
    try journal.register(endpoint: "a")
    try journal.append((0..<5000).map { record(Double($0)) }, recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 5000, settingAside: [(3, "no"), (4, "no")], at: start)
    #expect(try journal.shrink(to: 0, at: start) == JournalRemoval(quarantined: ["a": 2]))
    #expect(try journal.losses().map(\.reason) == [.size] && journal.losses().map(\.count) == [2])
  }

  // NULL is not latitude 0.
  @Test("a row with only one coordinate is not a position, and is counted as damaged")
  func damagedRow() throws {
    let folder = try TemporaryFolder()
    let journal = try journal(folder, Uptime())
    try journal.register(endpoint: "a")
    try journal.append([record(0), record(1)], recordedAt: start)
    try journal.writing.withLock { try journal.writer.execute("UPDATE records SET latitude = NULL WHERE sequence = 1") }
    let read = try journal.next(endpoint: "a", limit: 10)
    _ = try journal.next(endpoint: "a", limit: 10)
    guard case .action(let action) = read[0].record.kind else {
      Issue.record("\(read[0])")
      return
    }
    #expect(action.name == "unreadable_record" && journal.damagedCount == 1)
  }

  @Test("the files of a journal are readable by their user only, also existing ones")
  func modes() throws {
    let folder = try TemporaryFolder()
    func modes() throws -> [Int] {
      try ["", "-wal", "-shm"].map {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.journal + $0)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
      }
    }
    do {
      let journal = try journal(folder, Uptime())
      try journal.append([record(0)], recordedAt: start)
      #expect(try modes() == [0o600, 0o600, 0o600])
      for suffix in ["", "-wal", "-shm"] {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.journal + suffix)
      }
      let other = try self.journal(folder, Uptime())
      #expect(try modes() == [0o600, 0o600, 0o600] && other.id == journal.id)
    }
  }
}
