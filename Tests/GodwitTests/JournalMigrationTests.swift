import Foundation
import GodwitModel
import GodwitSQLite
import Testing

@testable import GodwitJournal

extension TemporaryFolder {
  /// A journal of a development build.
  fileprivate var old: String { journal + ".old" }
}

/// Creates a journal of the first schema version with five records, two endpoints and one rejected record.
private func makeOldJournal(_ path: String) throws {
  let database = try Database(path: path)
  try database.execute(
    """
    CREATE TABLE records (
      sequence INTEGER PRIMARY KEY, recorded REAL NOT NULL, kind INTEGER NOT NULL, time REAL NOT NULL,
      latitude REAL, longitude REAL, horizontal_accuracy REAL, altitude REAL, vertical_accuracy REAL,
      speed REAL, speed_accuracy REAL, course REAL, course_accuracy REAL,
      battery_level REAL, battery_state INTEGER, motion INTEGER NOT NULL,
      wifi TEXT, trip TEXT, device_id TEXT, unique_id TEXT, extras TEXT, detail TEXT) STRICT;
    CREATE TABLE cursors (endpoint TEXT PRIMARY KEY, acknowledged INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE set_aside (
      endpoint TEXT NOT NULL, sequence INTEGER NOT NULL, reason TEXT NOT NULL, time REAL NOT NULL,
      PRIMARY KEY (endpoint, sequence)) STRICT, WITHOUT ROWID;
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO meta VALUES ('journal', 81985529216486895), ('last_sequence', 6);
    INSERT INTO notes VALUES ('tracking', 'on');
    INSERT INTO cursors VALUES ('home', 4), ('work', 2);
    INSERT INTO set_aside VALUES ('home', 2, 'too old', 1800000002);
    INSERT INTO records VALUES
      (2, 1800000002, 0, 1800000001, 45.1, 14.2, 5, NULL, NULL, NULL, NULL, NULL, NULL,
        0.5, 1, 9, '', NULL, 'walker', 'u', NULL, NULL),
      (3, 1800000003, 0, 1800000002, 45.2, 14.3, 5.5, -3, 7, 0, 0.3, 359.5, 2,
        0.25, 3, 2, 'net', '2027-01-15T08:00:00Z', 'walker', 'u', '{"a":1}', NULL),
      (4, 1800000004, 0, 1800000003, 45.3, 14.4, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL),
      (5, 1800000005, 1, 1800000004, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, '{"action":{"_0":{"name":"will_terminate","time":821692804}}}'),
      (6, 1800000006, 0, 1800000005, 45.4, 14.5, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL);
    PRAGMA user_version = 1;
    """)
}

@Suite("Journals of other versions")
struct JournalMigrationTests {
  @Test("a journal of the first schema keeps its records, contexts, cursors, rejected records and notes")
  func first() throws {
    let folder = try TemporaryFolder()
    try makeOldJournal(folder.old)
    try JournalConversion.convert(from: folder.old, to: folder.journal)
    let journal = try Journal(path: folder.journal)
    #expect(journal.id == 81_985_529_216_486_895)
    #expect(try journal.remembered("tracking") == "on")
    #expect(journal.waiting(endpoint: "home") == 2 && journal.waiting(endpoint: "work") == 4)
    let read = try journal.next(endpoint: "work", limit: 10)
    #expect(read.map(\.sequence) == [3, 4, 5, 6])
    let place = try #require(Coordinate(latitude: 45.2, longitude: 14.3))
    var expected = Record(
      id: RecordID(journal: journal.id, sequence: 3),
      kind: .fix(
        Fix(
          time: start.addingTimeInterval(2), coordinate: place, horizontalAccuracy: 5.5, altitude: -3,
          verticalAccuracy: 7, speed: 0, speedAccuracy: 0.3, course: 359.5, courseAccuracy: 2)),
      context: DeviceContext(
        batteryLevel: 0.25, batteryState: .full, motion: .running, wifi: "net", tripID: "2027-01-15T08:00:00Z",
        deviceID: "walker", uniqueID: "u"), extras: #"{"a":1}"#)
    expected.received = start.addingTimeInterval(3)
    #expect(read[0].record == expected)
    #expect(read[1].record.context == DeviceContext())
    #expect(read[2].record.kind == .action(Action(time: start.addingTimeInterval(4), name: "will_terminate")))
    let rejected = try journal.quarantined(endpoint: "home")
    #expect(rejected.map(\.sequence) == [2] && rejected.map(\.reason) == ["too old"])
    #expect(rejected.first?.record.context.motion == [.walking, .driving])
    #expect(rejected.first?.record.context.wifi == "")
  }

  @Test("an existing endpoint keeps its identifier and numbers, and a new one gets its own; no record is aged")
  func endpoints() throws {
    let folder = try TemporaryFolder()
    try makeOldJournal(folder.old)
    do {
      let database = try Database(path: folder.old)
      try database.execute(
        "INSERT INTO notes VALUES ('since home', '1'), ('passed_over home', '3-4'), ('passed_over work', '1-1')")
    }
    try JournalConversion.convert(from: folder.old, to: folder.journal)
    let uptime = Uptime()
    let journal = try Journal(path: folder.journal, uptime: { uptime.seconds })
    let home = try journal.numbering(endpoint: "home")
    #expect(home.identifier == journal.id && home.last == 4 && home.coveredFrom == 3 && home.since == 1 && !home.isRangeReported)
    let work = try journal.numbering(endpoint: "work")
    #expect(work.identifier == journal.id && work.last == 2 && work.coveredFrom == 3 && work.since == nil)
    try journal.register(endpoint: "new")
    let new = try journal.numbering(endpoint: "new")
    #expect(new.identifier != journal.id && new.last == 0 && new.since == 1)
    #expect(try journal.remembered("passed_over home") == nil)
    #expect(try journal.removeRecords(waitingFor: "work", olderThan: 1, at: start.addingTimeInterval(1e9)) == 0)
    uptime.advance(100)
    #expect(try journal.removeRecords(waitingFor: "work", olderThan: 50, at: start) == 4)
  }

  @Test("the waiting records of a converted journal are delivered once, and the numbers continue")
  func delivered() throws {
    let folder = try TemporaryFolder()
    try makeOldJournal(folder.old)
    try JournalConversion.convert(from: folder.old, to: folder.journal)
    var delivered: [String: [Int64]] = [:]
    while true {
      let journal = try Journal(path: folder.journal)
      var isEmpty = true
      for endpoint in ["home", "work"] {
        let batch = try journal.batch(endpoint: endpoint, limit: 1)
        guard let record = batch.records.first else { continue }
        isEmpty = false
        delivered[endpoint, default: []].append(record.sequence)
        try journal.acknowledge(endpoint: endpoint, through: batch.through, at: start)
      }
      if isEmpty { break }
    }
    #expect(delivered == ["home": [5, 6], "work": [3, 4, 5, 6]])
    let journal = try Journal(path: folder.journal)
    try journal.append([record(9)], recordedAt: start)
    #expect(try journal.next(endpoint: "home", limit: 10).map(\.sequence) == [7])
    #expect(try journal.quarantined(endpoint: "home").map(\.sequence) == [2])
  }

  @Test("a journal of a development build is rejected with the command, unchanged, and converted to a new file once")
  func former() throws {
    let folder = try TemporaryFolder()
    try makeOldJournal(folder.old)
    do { try Database(path: folder.old).execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    let file = URL(fileURLWithPath: folder.old)
    let before = try Data(contentsOf: file)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    for open in [{ _ = try Journal(path: folder.old) }, { _ = try Journal.openMovingDamagedAside(path: folder.old) }] {
      let error = #expect(throws: FormerSchemaError.self) { try open() }
      #expect(error?.description.contains("godwit convert \(folder.old) NEW-FILE") == true)
    }
    #expect(try Data(contentsOf: file) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == names)
    try JournalConversion.convert(from: folder.old, to: folder.journal)
    #expect(try Data(contentsOf: file) == before)
    #expect(throws: JournalConversion.Failure.self) { try JournalConversion.convert(from: folder.old, to: folder.journal) }
    #expect(throws: JournalConversion.Failure.self) {
      try JournalConversion.convert(from: folder.journal, to: folder.journal + ".again")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!left.contains { $0.contains("former") || $0.contains("unfinished") || $0.contains("again") }, "\(left)")
  }

  @Test("a converted journal has the tables and columns of a new one")
  func schema() throws {
    let folder = try TemporaryFolder()
    try makeOldJournal(folder.old)
    try JournalConversion.convert(from: folder.old, to: folder.journal)
    do { _ = try Journal(path: folder.journal + ".new") }
    func schema(_ path: String) throws -> [String] {
      let database = try Database(path: path)
      let rows = try database.statement("SELECT sql FROM sqlite_master ORDER BY name")
      var all: [String] = []
      while try rows.step() { all.append(rows.text(0)) }
      return all
    }
    #expect(try schema(folder.journal) == schema(folder.journal + ".new"))
  }

  @Test("a journal of a newer program is rejected with a remedy, and not changed")
  func newer() throws {
    let folder = try TemporaryFolder()
    do { _ = try Journal(path: folder.journal) }
    do {
      let database = try Database(path: folder.journal)
      try database.execute("PRAGMA user_version = 99; CREATE TABLE of_the_future (x)")
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let file = URL(fileURLWithPath: folder.journal)
    let before = try Data(contentsOf: file)
    for open in [
      { _ = try Journal(path: folder.journal) }, { _ = try Journal.openMovingDamagedAside(path: folder.journal) },
    ] {
      let error = #expect(throws: MigrationError.self) { try open() }
      let text = error?.description ?? ""
      #expect(text.contains(folder.journal) && text.contains("schema 99") && text.contains("Update godwit"))
    }
    #expect(try Data(contentsOf: file) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.contains("damaged") })
  }
}
