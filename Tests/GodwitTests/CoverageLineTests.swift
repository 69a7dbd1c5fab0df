import Foundation
import GodwitEngine
import GodwitModel
import Testing

@testable import GodwitJournal

@Suite("The coverage log, with the states of the fixes")
struct CoverageLineTests {
  // The beginning of a minute, so that the minutes of entries are easy to read.
  private let begin = Date(timeIntervalSince1970: 1_795_163_400 - 1_795_163_400.truncatingRemainder(dividingBy: 60))

  private func minute(_ number: Double) -> Date { begin.addingTimeInterval(number * 60) }

  /// Returns a journal with one fix per minute for ten minutes, and the coverage log of these minutes.
  private func journal(_ folder: TemporaryFolder) throws -> Journal {
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "home")
    try journal.register(endpoint: "work")
    for number in 0..<10 { try journal.append([record(Double(number))], recordedAt: minute(Double(number) + 0.5)) }
    try journal.store([
      CoverageEntry(start: minute(0), minutes: 10, reason: .recorded, fixes: 10),
      CoverageEntry(start: minute(10), minutes: 5, reason: .noSignal, fixes: 0),
    ])
    return journal
  }

  @Test("a run that is partly sent is two lines, each with its own fixes")
  func unsent() throws {
    let folder = try TemporaryFolder()
    let journal = try journal(folder)
    try journal.acknowledge(endpoint: "home", through: 10, at: minute(20))
    try journal.acknowledge(endpoint: "work", through: 7, at: minute(20))
    let lines = try journal.coverageLines()
    #expect(lines.map(\.entry.minutes) == [7, 3, 5])
    #expect(lines.map(\.entry.fixes) == [7, 3, 0])
    #expect(lines.map(\.unsent) == [[], ["work"], []])
    #expect(lines.map(\.entry.start) == [minute(0), minute(7), minute(10)])
  }

  @Test("a run that is not sent at all, or is sent completely, is one line")
  func whole() throws {
    let folder = try TemporaryFolder()
    let journal = try journal(folder)
    var lines = try journal.coverageLines()
    #expect(lines.map(\.entry.fixes) == [10, 0] && lines.first?.unsent == ["home", "work"])
    for endpoint in ["home", "work"] { try journal.acknowledge(endpoint: endpoint, through: 10, at: minute(20)) }
    lines = try journal.coverageLines()
    #expect(lines.map(\.entry.fixes) == [10, 0] && lines.first?.unsent == [])
  }

  @Test("fixes that an endpoint rejected have their own minutes, with the reason")
  func rejected() throws {
    let folder = try TemporaryFolder()
    let journal = try journal(folder)
    try journal.acknowledge(endpoint: "home", through: 10, settingAside: [(2, "too old"), (3, "too old")], at: minute(20))
    try journal.acknowledge(endpoint: "work", through: 10, settingAside: [(3, "no such place")], at: minute(20))
    let line = try #require(try journal.coverageLines(from: minute(0), to: minute(10)).first)
    #expect(
      line.rejected == [
        CoverageLine.Rejection(endpoint: "home", reason: "too old", count: 2),
        CoverageLine.Rejection(endpoint: "work", reason: "no such place", count: 1),
      ])
  }

  @Test("rejected fixes of many minutes are each counted in the line of their minute")
  func rejectedOften() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "home")
    // Not in chronological order.
    for number in [4, 1, 3, 0, 2, 1] { try journal.append([record(0)], recordedAt: minute(Double(number) + 0.5)) }
    try journal.store((0..<5).map { CoverageEntry(start: minute(Double($0)), minutes: 1, reason: .recorded, fixes: 1) })
    try journal.acknowledge(endpoint: "home", through: 6, settingAside: (1...6).map { ($0, "no") }, at: minute(20))
    #expect(try journal.coverageLines().map { $0.rejected.map(\.count) } == [[1], [2], [1], [1], [1]])
    #expect(try journal.coverageLines(from: minute(3)).map { $0.rejected.map(\.count) } == [[1], [1]])
  }
}
