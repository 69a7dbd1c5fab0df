import Foundation
import Testing

@testable import GodwitSQLite

@Suite("Checksums of pages")
struct ChecksumTests {
  /// The rows of a table in a file, and the result of a check of the whole file.
  private struct Content: Hashable {
    var rows: [String]
    var found: [String]
  }

  /// Reads a file.
  /// - Throws: an error if reading fails.
  private static func content(_ path: String, checks: Bool = true) throws -> Content {
    let database = try Database(path: path, checksPages: checks)
    var content = Content(rows: [], found: [])
    let rows = try database.statement("SELECT id, latitude, note FROM points ORDER BY id")
    while try rows.step() { content.rows.append("\(rows.integer(0)) \(rows.double(1)) \(rows.text(2))") }
    rows.reset()
    let byNote = try database.statement("SELECT note, id FROM points INDEXED BY notes ORDER BY note")
    while try byNote.step() { content.rows.append("\(byNote.text(0)) \(byNote.integer(1))") }
    byNote.reset()
    let check = try database.statement("PRAGMA quick_check")
    while try check.step() { content.found.append(check.text(0)) }
    check.reset()
    return content
  }

  @Test(
    "a copy that is larger than the cache has a checksum in each page",
    arguments: [Database.Access.readWrite, .readOnly], ["copy", "what?checksums=0#5 %3f€"])
  func largeCopy(access: Database.Access, name: String) throws {
    let file = try TemporaryFile()
    try Database(path: file.path).fillWithRows()
    let database = try Database(path: file.path, access: access)
    // Pages that do not fit into the cache are written before the first page, which has the layout of all pages.
    try database.execute("PRAGMA cache_size = 5")
    let copy = file.path + name
    defer { unlink(copy) }
    try database.copy(to: copy)
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: copy)))
    #expect(bytes.count > 15 * 4096 && bytes.count % 4096 == 0)
    for number in 1...bytes.count / 4096 {
      bytes[(number - 1) * 4096..<number * 4096].withUnsafeBytes { page in
        #expect(PageChecksum.matches(page, number: UInt32(number)), "page \(number)")
      }
    }
    #expect(try Self.content(copy) == Self.content(file.path))
  }

  @Test("a copy of a file without checksums has them unless the layout is preserved", arguments: [false, true])
  func copyWithoutChecksums(preservesLayout: Bool) throws {
    let file = try TemporaryFile()
    try Database(path: file.path, checksPages: false).fillWithRows()
    let copy = file.path + ".copy"
    defer { unlink(copy) }
    do {
      let database = try Database(path: file.path)
      try database.execute("PRAGMA cache_size = 5")
      if preservesLayout { database.preserveLayout() }
      try database.copy(to: copy)
    }
    #expect(try Self.content(copy) == Self.content(file.path))
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: copy)))
    #expect(bytes.withUnsafeBytes { PageLayout($0)?.hasChecksums } == !preservesLayout)
  }

  @Test("a new file has a checksum in each page, which depends on the page number")
  func newFile() throws {
    let file = try TemporaryFile()
    do {
      let database = try Database(path: file.path)
      try database.fillWithRows()
      #expect(database.hasChecksums)
    }
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: file.path)))
    #expect(bytes.count > 20 * 4096 && bytes.count % 4096 == 0)
    for number in 1...bytes.count / 4096 {
      bytes[(number - 1) * 4096..<number * 4096].withUnsafeBytes { page in
        #expect(PageChecksum.matches(page, number: UInt32(number)), "page \(number)")
        // The page number is part of the checksum.
        #expect(!PageChecksum.matches(page, number: UInt32(number + 1)))
      }
    }
    // Other programs can read the file, but not write to it.
    #expect(bytes[PageLayout.writeVersion] == PageLayout.checkedVersion)
    let other = try Database(path: file.path, access: .readOnly, checksPages: false)
    #expect(try other.integer("SELECT count(*) FROM points") == 500)
    #expect(throws: SQLiteError.self) { try other.execute("DELETE FROM points") }
    #expect(try Self.content(file.path).found == ["ok"])
  }

  @Test("a file without checksums is read and written without them, and gets them when it is rewritten")
  func conversion() throws {
    let file = try TemporaryFile()
    try Database(path: file.path, checksPages: false).fillWithRows()
    let before = try Self.content(file.path, checks: false)
    do {
      let database = try Database(path: file.path)
      try database.execute("UPDATE points SET latitude = latitude + 1 WHERE id = 1")
      #expect(!database.hasChecksums)
      // A reader with an older snapshot of the file continues.
      let reader = try Database(path: file.path, access: .readOnly)
      try reader.execute("BEGIN")
      #expect(try reader.integer("SELECT count(*) FROM points") == 500)
      try database.addChecksums()
      #expect(database.hasChecksums && !reader.hasChecksums)
      #expect(try reader.integer("SELECT count(*) FROM points WHERE id < 100") == 99)
      try reader.execute("COMMIT")
      #expect(try reader.integer("SELECT count(*) FROM points") == 500)
      #expect(reader.hasChecksums)
      try database.addChecksums()
    }
    let after = try Self.content(file.path)
    #expect(after.rows.dropFirst().elementsEqual(before.rows.dropFirst()) && after.found == ["ok"])
    #expect(
      try PageScan.run(file.path)
        == PageScan.Result(pages: Self.size(file.path) / 4096, bytes: Self.size(file.path), damaged: [], isProtected: true))
  }

  private static func size(_ path: String) throws -> Int64 {
    try #require((FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value)
  }

  @Test("a torn last transaction of the write-ahead log is not applied")
  func tornLog() throws {
    let file = try TemporaryFile()
    let copy = file.path + "-copy"
    let (database, log): ([UInt8], [UInt8])
    do {
      // The files of the open database are the same as after a crash.
      let open = try Database(path: file.path)
      try open.execute("PRAGMA wal_autocheckpoint = 0")
      try open.fillWithRows()
      for id in 1...30 { try open.run("UPDATE points SET latitude = ? WHERE id = ?", Double(id), id) }
      database = try Array(Data(contentsOf: URL(fileURLWithPath: file.path)))
      log = try Array(Data(contentsOf: URL(fileURLWithPath: file.path + "-wal")))
    }
    let expected = try Self.content(file.path)
    let frame = 24 + 4096
    // The last transaction has one page.
    #expect((log.count - 32) % frame == 0)
    func content(_ log: [UInt8]) throws -> Content {
      try Data(database).write(to: URL(fileURLWithPath: copy))
      try Data(log).write(to: URL(fileURLWithPath: copy + "-wal"))
      try? FileManager.default.removeItem(atPath: copy + "-shm")
      return try Self.content(copy)
    }
    #expect(try content(log) == expected)
    // A power cut leaves a part of the last transaction, which was not acknowledged.
    for end in stride(from: log.count - frame, to: log.count, by: 512) {
      let torn = try content(Array(log[..<end]) + [UInt8](repeating: 0, count: log.count - end))
      #expect(torn.found == ["ok"] && torn.rows.contains { $0.hasPrefix("29 29.0 ") })
      #expect(try content(Array(log[..<end])).rows == torn.rows)
    }
  }

  @Test("a page that is damaged in the log of an open database is not returned")
  func openLog() throws {
    let file = try TemporaryFile()
    let database = try Database(path: file.path)
    try database.execute("PRAGMA wal_autocheckpoint = 0")
    try database.fillWithRows()
    let log = try FileHandle(forUpdating: URL(fileURLWithPath: file.path + "-wal"))
    let size = try log.seekToEnd()
    for offset in stride(from: 32 + 24 + 2000, to: size, by: 24 + 4096) {
      try log.seek(toOffset: offset)
      let byte = try #require(try log.read(upToCount: 1)?.first)
      try log.seek(toOffset: offset)
      try log.write(contentsOf: [byte ^ 1])
    }
    let error = #expect(throws: SQLiteError.self) {
      try Database(path: file.path, access: .readOnly).integer("SELECT count(*) FROM points")
    }
    #expect(
      error?.isCorrupt == true && error?.message.contains("write-ahead log fails its checksum") == true,
      "\(String(describing: error))")
    // A checkpoint does not write the damaged pages into the file.
    #expect(throws: SQLiteError.self) { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  @Test("transactions that are larger than the cache, rolled back or nested keep their checksums")
  func largeTransactions() throws {
    let file = try TemporaryFile()
    let database = try Database(path: file.path)
    try database.execute("PRAGMA cache_size = 5; PRAGMA cache_spill = 1; CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
    for round in 0..<4 {
      let isRolledBack = round == 2
      func change() throws {
        for id in 0..<300 { try database.run("INSERT OR REPLACE INTO t VALUES (?, randomblob(900))", id) }
        try database.execute("SAVEPOINT inner; UPDATE t SET b = randomblob(950); ROLLBACK TO inner; RELEASE inner")
        for id in 0..<300 { try database.run("UPDATE t SET b = randomblob(?) WHERE a = ?", 800 + round, id) }
        #expect(try database.integer("SELECT count(*) FROM t WHERE length(b) = ?", 800 + round) == 300)
        if isRolledBack { throw CancellationError() }
      }
      if isRolledBack {
        #expect(throws: CancellationError.self) { try database.transaction { try change() } }
      } else {
        try database.transaction { try change() }
      }
      if round == 1 { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
    #expect(try database.text("PRAGMA integrity_check") == "ok")
    #expect(try Database(path: file.path, access: .readOnly).integer("SELECT count(*) FROM t WHERE length(b) = 803") == 300)
  }
}
