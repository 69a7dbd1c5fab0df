import CZlib
import Foundation
import GodwitSQLite
import Testing

@testable import Godwit
@testable import GodwitJournal

// Each released schema has one file, which a test opens.
@Suite("Journals of released versions")
struct ReleasedJournalTests {
  @Test("a journal of e6eb766 is converted: its 30 records are sent in order, and its numbers continue")
  func e6eb766() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/e6eb766/tracker.journal.gz").path
    let file = try #require(gzopen(path, "rb"), "there is no \(path)")
    defer { gzclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = Int(gzread(file, &buffer, UInt32(buffer.count)))
    try #require(count > 0 && count < buffer.count)
    let folder = try TemporaryFolder()
    try Data(buffer.prefix(count)).write(to: URL(fileURLWithPath: folder.journal + ".old"))
    #expect(throws: FormerSchemaError.self) { try Journal(path: folder.journal + ".old") }
    #expect(try TrackerConversion.convert(from: folder.journal + ".old", to: folder.journal))
    let journal = try Journal(path: folder.journal)
    let endpoint = "http://127.0.0.1:9/api/overland"
    #expect(journal.id == UInt64(bitPattern: -352_287_722_833_096_887))
    #expect(journal.endpoints() == [endpoint] && journal.waiting(endpoint: endpoint) == 30)
    let records = try journal.next(endpoint: endpoint, limit: 100)
    #expect(records.map(\.sequence) == Array(1...30))
    #expect(records.allSatisfy { $0.record.context.deviceID == "walker" })
    // The server identifies the records by these numbers.
    let numbers = try journal.numbering(endpoint: endpoint)
    #expect(numbers.identifier == journal.id && numbers.last == 0 && numbers.coveredFrom == 1)
    try journal.acknowledge(endpoint: endpoint, through: 30, at: Date())
    try journal.append([records[0].record], recordedAt: Date())
    #expect(try journal.next(endpoint: endpoint, limit: 9).map(\.sequence) == [31])
  }
}
