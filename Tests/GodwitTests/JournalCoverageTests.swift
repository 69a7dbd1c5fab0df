import Foundation
import GodwitEngine
import GodwitModel
import GodwitSQLite
import Testing

@testable import GodwitJournal

@Suite("The coverage log in the journal")
struct JournalCoverageTests {
  /// Returns the time `minutes` after the start, which is the beginning of a minute.
  private func minute(_ minutes: Int) -> Date { start.addingTimeInterval(Double(minutes) * 60) }

  private func line(_ begin: Int, _ minutes: Int, _ reason: CoverageEntry.Reason, _ fixes: Int = 0) -> CoverageEntry {
    CoverageEntry(start: minute(begin), minutes: minutes, reason: reason, fixes: fixes)
  }

  @Test("lines are in order after reopening, and a longer one with the same start replaces the former")
  func lines() throws {
    let folder = try TemporaryFolder()
    do {
      let journal = try Journal(path: folder.journal)
      #expect(try journal.coverageEnd() == nil)
      try journal.store([line(0, 5, .recorded, 300), line(5, 2, .paused)])
      try journal.store([line(5, 60, .paused), line(65, 1, .tooNear)])
      try journal.store([])
    }
    let journal = try Journal(path: folder.journal)
    #expect(try journal.coverage() == [line(0, 5, .recorded, 300), line(5, 60, .paused), line(65, 1, .tooNear)])
    #expect(try journal.coverageEnd() == minute(66))
  }

  @Test("every reason round-trips", arguments: CoverageEntry.Reason.allCases)
  func reasons(_ reason: CoverageEntry.Reason) throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.store([line(0, 1, reason, 2)])
    #expect(try journal.coverage() == [line(0, 1, reason, 2)])
  }

  @Test(
    "a time range returns the lines that intersect it",
    arguments: [(0, 1, [0]), (4, 6, [0, 5]), (5, 6, [5]), (9, 100, [5, 10]), (15, 100, []), (-5, 0, [])])
  func ranges(_ from: Int, _ to: Int, _ begins: [Int]) throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.store([line(0, 5, .recorded), line(5, 5, .off), line(10, 5, .paused)])
    #expect(try journal.coverage(from: minute(from), to: minute(to)).map(\.start) == begins.map { minute($0) })
  }

  @Test("above the limit the oldest lines are removed")
  func bounded() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.store((0..<Journal.maximumCoverageLines).map { line($0, 1, .recorded, 1) })
    try journal.store((0..<10).map { line(Journal.maximumCoverageLines + $0, 1, .off) })
    let kept = try journal.coverage()
    #expect(kept.count <= Journal.maximumCoverageLines + 1 && kept.count >= Journal.maximumCoverageLines)
    #expect(kept.last == line(Journal.maximumCoverageLines + 9, 1, .off))
  }

  @Test("a line that ends after the start of the next one, because the clock was ahead, is cut there")
  func cut() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.store([line(0, 60, .recorded, 1), line(60, 9000, .off)])
    try journal.store([line(100, 0, .off)])
    try journal.store([line(100, 5, .off)])
    #expect(try journal.coverage() == [line(0, 60, .recorded, 1), line(60, 40, .off), line(100, 5, .off)])
  }

  @Test("a line with a reason of a newer program is skipped")
  func unknownReason() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.store([line(0, 1, .recorded, 1), line(1, 1, .off)])
    try journal.writing.withLock { try journal.writer.run("UPDATE coverage SET reason = 'eclipse' WHERE reason = 'off'") }
    #expect(try journal.coverage() == [line(0, 1, .recorded, 1)])
    #expect(try journal.coverageEnd() == minute(2))
  }

  @Test("a purge deletes waiting records and keeps the coverage log")
  func purge() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "a")
    try journal.append((0..<5).map { record(Double($0)) }, remembering: ["trip": "t"], recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 2, settingAside: [(1, "no")], bytes: 7, at: start)
    try journal.store([line(0, 5, .recorded, 300)])
    try journal.purge()
    #expect(journal.waiting(endpoint: "a") == 0)
    #expect(try journal.next(endpoint: "a", limit: 10).isEmpty && journal.quarantined(endpoint: "a").isEmpty)
    #expect(try journal.newestFix() == nil)
    #expect(try journal.writer.integer("SELECT count(*) FROM contexts") == 0)
    #expect(try journal.coverage().count == 1 && journal.remembered("trip") == "t")
    #expect(try journal.sentBytes(endpoint: "a", on: start) == 7)
    try journal.append([record(9)], recordedAt: start)
    let again = try Journal(path: folder.journal)
    #expect(try again.next(endpoint: "a", limit: 10).map(\.sequence) == [6])
  }

  @Test("the last thousand changes of settings are logged with their origin, the newest first")
  func settings() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    func change(_ number: Int) -> SettingChange {
      SettingChange(name: "main.batch_size", old: .number(Double(number)), new: .number(Double(number + 1)))
    }
    try journal.log([change(1), change(2)], source: "user", at: start)
    try journal.log([change(3)], source: "server home", at: start.addingTimeInterval(1))
    let events = try Journal(path: folder.journal).settingsEvents()
    #expect(events.map(\.source) == ["server home", "user", "user"])
    #expect(events.map(\.old) == ["3", "2", "1"] && events.map(\.new) == ["4", "3", "2"])
    #expect(events.map(\.time) == [start.addingTimeInterval(1), start, start])
    #expect(try journal.settingsEvents(limit: 1).count == 1)
    try journal.log((0..<1200).map { change($0) }, source: "user", at: start)
    #expect(try journal.settingsEvents(limit: 5000).count == 1000)
    #expect(try journal.settingsEvents(limit: 1).first?.new == "1200")
  }

  @Test("bytes are counted by endpoint and day in UTC")
  func usage() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    for endpoint in ["a", "b"] { try journal.register(endpoint: endpoint) }
    try journal.append((0..<4).map { record(Double($0)) }, recordedAt: start)
    // The start is 08:00 UTC.
    let midnight = Date(timeIntervalSince1970: 1_800_057_600)
    try journal.acknowledge(endpoint: "a", through: 1, bytes: 100, at: start)
    try journal.acknowledge(endpoint: "a", through: 2, bytes: 10, at: midnight.addingTimeInterval(-1))
    try journal.acknowledge(endpoint: "b", through: 1, bytes: 5, at: start)
    #expect(try journal.sentBytes(endpoint: "a", on: start) == 110)
    #expect(try journal.sentBytes(endpoint: "b", on: start) == 5)
    #expect(try journal.sentBytes(endpoint: "a", on: midnight) == 0)
    try journal.acknowledge(endpoint: "a", through: 3, bytes: 1, at: midnight)
    #expect(try Journal(path: folder.journal).sentBytes(endpoint: "a", on: midnight) == 1)
    #expect(try journal.sentBytes(endpoint: "nobody", on: start) == 0)
  }
}

@Suite("Contexts of records in the journal")
struct JournalContextTests {
  private func count(_ journal: Journal) throws -> Int64? {
    try journal.writing.withLock { try journal.writer.integer("SELECT count(*) FROM contexts") }
  }

  private func record(_ second: Int, battery: Double, extras: String? = nil) -> Record {
    var made = GodwitTests.record(Double(second))
    made.context = DeviceContext(batteryLevel: battery, deviceID: "walker")
    made.extras = extras
    return made
  }

  @Test("an unchanged context is stored once, also when it returns to a former one")
  func once() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    let written = (0..<1000).map { record($0, battery: $0 / 100 % 2 == 0 ? 0.5 : 0.6, extras: $0 == 999 ? "{}" : nil) }
    for piece in stride(from: 0, to: 1000, by: 7) {
      try journal.append(Array(written[piece..<min(piece + 7, 1000)]), recordedAt: start)
    }
    #expect(try count(journal) == 3)
    let read = try journal.next(endpoint: "a", limit: 1000)
    #expect(read.map(\.record.context) == written.map(\.context))
    #expect(read.map(\.record.extras) == written.map(\.extras))
  }

  @Test("contexts without records are removed, and used ones remain")
  func removed() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "a")
    let many = Int(RecordAppender.contextSpan) * 3
    let written = (0..<many).map { record($0, battery: Double($0 / 50 % 100) / 100) }
    try journal.append(written, recordedAt: start)
    let before = try #require(try count(journal))
    try journal.acknowledge(endpoint: "a", through: Int64(many - 10), at: start)
    try journal.removeQuarantined(olderThan: 0, at: start)
    let after = try #require(try count(journal))
    #expect(after < before / 2)
    let read = try journal.next(endpoint: "a", limit: 100)
    #expect(read.map(\.record.context) == written.suffix(10).map(\.context))
  }

  @Test("a context of a failed transaction is written again")
  func failed() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.append([record(0, battery: 0.9)], recordedAt: start)
    try journal.writing.withLock {
      try journal.writer.execute(
        "CREATE TRIGGER no BEFORE INSERT ON stored_values BEGIN SELECT RAISE(ABORT, 'no stored_values today'); END")
    }
    #expect(throws: (any Error).self) {
      try journal.append([record(1, battery: 0.5)], remembering: ["trip": "t"], recordedAt: start)
    }
    try journal.append([record(2, battery: 0.5)], recordedAt: start)
    let read = try journal.next(endpoint: "a", limit: 10)
    #expect(read.map(\.sequence) == [1, 2])
    #expect(read.map(\.record.context.batteryLevel) == [0.9, 0.5])
  }
}
