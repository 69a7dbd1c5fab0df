import Foundation
import Godwit
import GodwitJournal
import GodwitModel
import Testing

/// A temporary folder that is deleted with the last reference to it.
final class TemporaryFolder: Sendable {
  let url: URL
  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-journal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: url) }
  var journal: String { url.appendingPathComponent("journal").path }
}

let start = Date(timeIntervalSince1970: 1_800_000_000)

/// Returns a record with a fix `seconds` after the start.
func record(_ seconds: Double) -> Record {
  // Valid: inside the ranges.
  Record(kind: .fix(Fix(time: start.addingTimeInterval(seconds), coordinate: Coordinate(latitude: 45.1, longitude: 14.2)!)))
}

@Suite("The journal")
struct JournalTests {
  @Test("a query of positions returns those in its time range, without other records")
  func fixesOfATime() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "a")
    let action = Record(kind: .action(Action(time: start.addingTimeInterval(15), name: "will_terminate")))
    try journal.append([record(30), record(0), record(10), action, record(20)], recordedAt: start)
    func seconds(_ from: Double, _ to: Double, limit: Int = 10) throws -> [Double] {
      try journal.fixes(from: start.addingTimeInterval(from), to: start.addingTimeInterval(to), limit: limit)
        .map { $0.time.timeIntervalSince(start) }
    }
    #expect(try seconds(10, 30) == [10, 20])
    #expect(try seconds(0, 31, limit: 2) == [30, 0], "the order is that of recording")
    #expect(try seconds(40, 50).isEmpty && seconds(0, 31, limit: -1).isEmpty)
    try journal.acknowledge(endpoint: "a", through: 3, at: start)
    #expect(try seconds(0, 31) == [20], "records that every endpoint has are deleted")
  }

  @Test("records of every kind round-trip, with identifiers, also after reopening")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let place = try #require(Coordinate(latitude: -12.345678901, longitude: 170.5))
    let fix = Fix(
      time: start.addingTimeInterval(0.125), coordinate: place, horizontalAccuracy: 5.5, altitude: -3, verticalAccuracy: 7,
      speed: 0, speedAccuracy: 0.3, course: 359.9, courseAccuracy: 2)
    let kinds: [Record.Kind] = [
      .fix(fix), .visit(Visit(time: start, coordinate: place, horizontalAccuracy: 9, arrival: start, departure: nil)),
      .trip(
        Trip(
          start: start, end: start.addingTimeInterval(60), mode: "bus", startFix: nil, endFix: nil, duration: 60, distance: 700,
          steps: 3)),
      .action(Action(time: start, name: "will_terminate")),
    ]
    let context = DeviceContext(
      batteryLevel: 0, batteryState: .full, motion: [.running], wifi: "", tripID: "t", deviceID: "d", uniqueID: "u")
    let written = kinds.map { Record(kind: $0, context: context, extras: #"{"a":1}"#) }
    var id: UInt64 = 0
    do {
      let journal = try Journal(path: folder.journal)
      id = journal.id
      try journal.append(written, recordedAt: start)
    }
    let journal = try Journal(path: folder.journal)
    #expect(journal.id == id)
    try journal.register(endpoint: "a")
    let read = try journal.next(endpoint: "a", limit: 10)
    #expect(read.map(\.sequence) == [1, 2, 3, 4])
    for (index, entry) in read.enumerated() {
      var expected = written[index]
      expected.id = RecordID(journal: id, sequence: RecordNumber(clamping: entry.sequence))
      expected.received = start
      #expect(entry.record == expected)
    }
  }

  @Test("each endpoint has its own cursor; a record is removed when all passed it; numbers are never reused")
  func cursors() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    for endpoint in ["a", "b"] { try journal.register(endpoint: endpoint) }
    try journal.append((0..<10).map { record(Double($0)) }, recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 7, at: start)
    #expect(journal.waiting(endpoint: "a") == 3 && journal.waiting(endpoint: "b") == 10)
    #expect(try journal.next(endpoint: "b", limit: 100).count == 10)
    try journal.acknowledge(endpoint: "b", through: 10, at: start)
    try journal.acknowledge(endpoint: "a", through: 10, at: start)
    #expect(journal.waiting(endpoint: "a") == 0 && journal.waiting(endpoint: "b") == 0)
    let again = try Journal(path: folder.journal)
    try again.append([record(11)], recordedAt: start)
    #expect(try again.next(endpoint: "a", limit: 10).map(\.sequence) == [11])
    #expect(again.waiting(endpoint: "a") == 1)
    #expect(try again.newestFix()?.time == record(11).time)
  }

  @Test("an endpoint that is added again has another identifier, also while another endpoint is stuck and after reopening")
  func addedAgain() throws {
    let folder = try TemporaryFolder()
    var identifiers: [UInt64] = []
    for _ in 0..<3 {
      let journal = try Journal(path: folder.journal)
      for endpoint in ["stuck", "b"] { try journal.register(endpoint: endpoint) }
      try journal.append([record(Double(identifiers.count))], recordedAt: start)
      identifiers.append(try journal.numbering(endpoint: "b").identifier)
      try journal.retainOnly(endpoints: ["stuck"])
      #expect(journal.waiting(endpoint: "stuck") == identifiers.count)
    }
    #expect(Set(identifiers).count == 3)
  }

  @Test("the newest fix is kept if records that are not fixes follow it, until there is a newer fix")
  func newestFix() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "a")
    func action(_ seconds: Double) -> Record { Record(kind: .action(Action(time: start.addingTimeInterval(seconds), name: "x"))) }
    try journal.append([record(1), record(2), action(3), action(4)], recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 4, at: start)
    try journal.removeQuarantined(olderThan: 0, at: start)
    #expect(try journal.newestFix()?.time == record(2).time && journal.waiting(endpoint: "a") == 0)
    #expect(try Journal(path: folder.journal).newestFix()?.time == record(2).time)
    try journal.append([record(5), action(6)], recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 6, at: start)
    #expect(try journal.fixes(from: .distantPast, to: .distantFuture, limit: 10).map(\.time) == [record(5).time])
  }

  @Test("acknowledging less than before changes nothing")
  func backwards() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "a")
    try journal.append((0..<5).map { record(Double($0)) }, recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 4, at: start)
    try journal.acknowledge(endpoint: "a", through: 2, at: start)
    #expect(journal.waiting(endpoint: "a") == 1)
  }

  @Test("permanently rejected records are stored separately, with the reason")
  func quarantined() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "a")
    try journal.append((0..<5).map { record(Double($0)) }, recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 5, settingAside: [(2, "latitude 91"), (4, "too old")], at: start)
    #expect(journal.waiting(endpoint: "a") == 0)
    let rejected = try Journal(path: folder.journal).quarantined(endpoint: "a")
    #expect(rejected.map(\.sequence) == [2, 4] && rejected.map(\.reason) == ["latitude 91", "too old"])
    #expect(rejected.map(\.record.time) == [record(1).time, record(3).time])
    #expect(try journal.quarantinedCount() == 2)
  }

  @Test("a removed endpoint does not hold records back")
  func forgotten() throws {
    let folder = try TemporaryFolder()
    let journal = try Journal(path: folder.journal)
    for endpoint in ["a", "gone"] { try journal.register(endpoint: endpoint) }
    try journal.append((0..<5).map { record(Double($0)) }, recordedAt: start)
    try journal.acknowledge(endpoint: "a", through: 5, at: start)
    try journal.retainOnly(endpoints: ["a"])
    try journal.register(endpoint: "new")
    // The newest record is always kept, because it has the last position of the device.
    #expect(journal.waiting(endpoint: "new") <= 1)
  }

  @Test("a file that is not a journal is moved aside and kept")
  func damaged() throws {
    let folder = try TemporaryFolder()
    for expected in ["journal.damaged", "journal.damaged-2"] {
      try Data(repeating: 65, count: 4096).write(to: URL(fileURLWithPath: folder.journal))
      #expect(throws: (any Error).self) { try Journal(path: folder.journal) }
      let (journal, aside) = try Journal.openMovingDamagedAside(path: folder.journal)
      #expect(aside?.hasSuffix(expected) == true)
      #expect(FileManager.default.contents(atPath: aside ?? "")?.count == 4096)
      try journal.append([record(0)], recordedAt: start)
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.journal + suffix) }
    }
  }

  @Test("damage in the middle of the file is detected when the file is opened")
  func damagedInTheMiddle() throws {
    let folder = try TemporaryFolder()
    do {
      let journal = try Journal(path: folder.journal)
      try journal.append((0..<3000).map { record(Double($0)) }, recordedAt: start)
    }
    let file = URL(fileURLWithPath: folder.journal)
    var bytes = try Data(contentsOf: file)
    let middle = bytes.count / 2 / 4096 * 4096
    bytes.replaceSubrange(middle..<middle + 8192, with: Data(repeating: 0xA5, count: 8192))
    try bytes.write(to: file)
    let (_, aside) = try Journal.openMovingDamagedAside(path: folder.journal)
    #expect(aside?.hasSuffix(".damaged") == true)
  }

  @Test(
    "the unsent records of a damaged journal that can be read, and its values, are in the new one",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func salvage(_ part: Int) throws {
    let folder = try TemporaryFolder()
    do {
      let journal = try Journal(path: folder.journal)
      for endpoint in ["a", "b"] { try journal.register(endpoint: endpoint) }
      try journal.append((0..<3000).map { record(Double($0)) }, remembering: ["tracking": "on"], recordedAt: start)
      try journal.acknowledge(endpoint: "a", through: 1000, at: start)
      try journal.acknowledge(endpoint: "b", through: 200, at: start)
    }
    // Damages two adjacent pages, and one bit of another page, but not the first pages, which have the schema and the cursors.
    let file = URL(fileURLWithPath: folder.journal)
    var bytes = try Data(contentsOf: file)
    let pages = bytes.count / 4096
    #expect(pages > 40)
    let page = 20 + (pages - 24) * (part - 1) / 8
    bytes.replaceSubrange(page * 4096..<(page + 2) * 4096, with: Data(repeating: 0xA5, count: 8192))
    bytes[(pages - 2) * 4096 + 100] ^= 4
    try bytes.write(to: file)
    let (journal, aside) = try Journal.openMovingDamagedAside(path: folder.journal)
    for endpoint in ["a", "b"] { try journal.register(endpoint: endpoint) }
    let count = try JournalSalvage.append(recordsOf: #require(aside), to: journal, at: start + 1)
    let all = try journal.batch(endpoint: "a", limit: 5000).records.map(\.record)
    let kept = Set(all.map(\.time))
    let missing = (200..<3000).filter { !kept.contains(record(Double($0)).time) }
    // A page has some dozen records.
    #expect(count == all.count && all.count + missing.count == 2800 && missing.count < 300, "\(missing.count) missing")
    #expect(all.map(\.time) == all.map(\.time).sorted() && kept.count == all.count)
    #expect(try journal.remembered("tracking") == "on")
  }

  @Test("two journals never generate the same identifier")
  func identity() throws {
    let (one, other) = (try TemporaryFolder(), try TemporaryFolder())
    #expect(try Journal(path: one.journal).id != Journal(path: other.journal).id)
  }
}
