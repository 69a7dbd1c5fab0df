import Foundation
import GodwitModel
import GodwitSQLite
import Testing

@testable import GodwitJournal

@Suite("Batches of the journal")
struct JournalBatchTests {
  /// A request for a batch, and its expected numbers, last covered number, and time from which more records are available.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var after: Int64 = 0
    var limit = 100
    var latestOnly = false
    /// The current time in seconds after the start; records must be older than `delay`.
    var now: Double?
    var delay = 0.0
    var numbers: [Int64]
    var through: Int64
    var notBefore: Double?
    var testDescription: String { name }
  }

  /// Returns a journal with ten records, one per second; the third and the eighth are visits.
  private func journal(
    _ folder: TemporaryFolder, uptime: Uptime = Uptime(), clock: (Int) -> Double = { Double($0) }
  ) throws -> Journal {
    let journal = try Journal(path: folder.journal, uptime: { uptime.seconds })
    try journal.register(endpoint: "a")
    for number in 1...10 {
      var made = record(Double(number))
      if number == 3 || number == 8, case .fix(let fix) = made.kind {
        made = Record(kind: .visit(Visit(time: fix.time, coordinate: fix.coordinate, arrival: fix.time)))
      }
      try journal.append([made], recordedAt: start.addingTimeInterval(clock(number)))
    }
    return journal
  }

  @Test(
    "a batch has the requested records, its acknowledgement, and whether there are more",
    arguments: [
      Case(name: "everything", numbers: Array(1...10), through: 10),
      Case(name: "a limit", limit: 4, numbers: [1, 2, 3, 4], through: 4),
      Case(name: "after a cursor", after: 7, numbers: [8, 9, 10], through: 10),
      Case(name: "nothing left", after: 10, numbers: [], through: 10),
      Case(name: "the latest fix, and records that are not fixes", latestOnly: true, numbers: [3, 8, 10], through: 10),
      Case(name: "the latest fix, limited", limit: 2, latestOnly: true, numbers: [3, 8], through: 8),
      Case(name: "the latest fix after a cursor", after: 8, latestOnly: true, numbers: [10], through: 10),
      Case(name: "only what is old enough", now: 15, delay: 9, numbers: Array(1...6), through: 6, notBefore: 16),
      Case(name: "old enough to the second", now: 15, delay: 5, numbers: Array(1...10), through: 10),
      Case(name: "nothing old enough", now: 5, delay: 9, numbers: [], through: 0, notBefore: 10),
      Case(name: "old enough, limited", limit: 2, now: 15, delay: 9, numbers: [1, 2], through: 2),
      Case(
        name: "the latest that is old enough", latestOnly: true, now: 15, delay: 9, numbers: [3, 6], through: 6,
        notBefore: 16),
    ])
  func batches(_ wanted: Case) throws {
    let folder = try TemporaryFolder()
    let journal = try journal(folder)
    if wanted.after > 0 { try journal.acknowledge(endpoint: "a", through: wanted.after, at: start) }
    let batch = try journal.batch(
      endpoint: "a", limit: wanted.limit, latestOnly: wanted.latestOnly,
      recordedBefore: wanted.now.map { start.addingTimeInterval($0 - wanted.delay) }, delay: wanted.delay)
    #expect(batch.records.map(\.sequence) == wanted.numbers)
    #expect(batch.through == wanted.through)
    #expect(batch.notBefore == wanted.notBefore.map { start.addingTimeInterval($0) })
  }

  @Test("setting the clock back loses no record of an endpoint with a delay", arguments: [false, true])
  func clockSetBack(_ latestOnly: Bool) throws {
    let folder = try TemporaryFolder()
    let uptime = Uptime()
    // The first four are recorded with a clock that is an hour ahead, until it is corrected.
    let journal = try journal(folder, uptime: uptime) { $0 <= 4 ? 3600 + Double($0) : Double($0) }
    func batch(_ seconds: Double) throws -> Journal.Batch {
      try journal.batch(
        endpoint: "a", limit: 100, latestOnly: latestOnly, recordedBefore: start.addingTimeInterval(seconds - 60), delay: 60)
    }
    let early = try batch(120)
    #expect(early.records.isEmpty && early.through == 0 && early.notBefore == start.addingTimeInterval(181))
    let all: [Int64] = latestOnly ? [3, 8, 10] : Array(1...10)
    #expect(try batch(3700).records.map(\.sequence) == all)
    // The running time shows that the records have waited for the delay.
    uptime.advance(60)
    #expect(try batch(180).records.isEmpty)
    uptime.advance(1)
    #expect(try batch(181).records.map(\.sequence) == all)
  }

  @Test("rejected records are kept for the retention, and then removed")
  func rejected() throws {
    let folder = try TemporaryFolder()
    let uptime = Uptime()
    let journal = try journal(folder, uptime: uptime)
    uptime.advance(100)
    try journal.acknowledge(endpoint: "a", through: 10, settingAside: [(2, "no")], at: start)
    uptime.advance(100)
    #expect(try journal.removeQuarantined(olderThan: 101, at: start).isEmpty)
    #expect(try journal.quarantined(endpoint: "a").map(\.sequence) == [2])
    #expect(try journal.losses().isEmpty)
    #expect(try journal.removeQuarantined(olderThan: 99, at: start) == ["a": 1])
    #expect(try journal.quarantined(endpoint: "a").isEmpty && journal.quarantinedCount() == 0)
    #expect(try journal.writer.integer("SELECT count(*) FROM records WHERE sequence = 2") == 0)
    let loss = try #require(try journal.losses().first)
    #expect(loss.reason == .rejected && loss.count == 1 && loss.endpoint == "a" && loss.first == loss.last)
  }

  @Test("the time of the oldest waiting record is reported")
  func oldest() throws {
    let folder = try TemporaryFolder()
    let journal = try journal(folder)
    #expect(try journal.oldestWaiting(endpoint: "a") == start.addingTimeInterval(1))
    try journal.acknowledge(endpoint: "a", through: 6, at: start)
    #expect(try journal.oldestWaiting(endpoint: "a") == start.addingTimeInterval(7))
    try journal.acknowledge(endpoint: "a", through: 10, at: start)
    #expect(try journal.oldestWaiting(endpoint: "a") == nil)
  }
}
