import CSQLite
import Foundation
import Testing

@testable import GodwitSQLite

/// A path in a temporary folder that is deleted with the last reference to the object.
final class TemporaryFile {
  let folder: URL
  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-sqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: folder) }
  var path: String { folder.appendingPathComponent("test.sqlite").path }
}

@Suite("SQLite")
struct DatabaseTests {
  @Test("values round-trip")
  func values() throws {
    let file = try TemporaryFile()
    let database = try Database(path: file.path)
    try database.execute("CREATE TABLE t (a INTEGER, b REAL, c TEXT, d BLOB, e TEXT)")
    try database.run(
      "INSERT INTO t VALUES (?, ?, ?, ?, ?)", Int64.min, 0.1, "é\u{0}\"'", [0, 255] as [UInt8], nil as String?)
    try database.run("INSERT INTO t VALUES (?, ?, ?, ?, ?)", 0, Double.infinity, "", [] as [UInt8], "x")
    let rows = try database.statement("SELECT * FROM t")
    #expect(try rows.step())
    #expect(rows.integer(0) == .min && rows.double(1) == 0.1 && rows.text(2) == "é\u{0}\"'")
    #expect(rows.blob(3) == [0, 255] && rows.optionalText(4) == nil)
    #expect(try rows.step())
    #expect(rows.text(2) == "" && rows.optionalText(2) == "" && rows.blob(3) == [] && !rows.isNull(3))
    #expect(try !rows.step())
  }

  @Test("only its user has access to a database, and a device keeps its permissions")
  func permissions() throws {
    func mode(_ path: String) throws -> Int? {
      (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
    let file = try TemporaryFile()
    try Data().write(to: URL(fileURLWithPath: file.path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    _ = try Database(path: file.path)
    #expect(try mode(file.path) == 0o600)
    // The tests may run as root, so they do not change the permissions of a device.
    let link = file.path + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    #expect(PrivateFile.isDevice("/dev/null") && PrivateFile.isDevice(link))
    #expect(!PrivateFile.isDevice(file.path) && !PrivateFile.isDevice(file.path + "-none"))
  }

  @Test("columns are read by their name or their alias")
  func names() throws {
    let database = try Database(path: ":memory:")
    try database.execute("CREATE TABLE t (id INTEGER, word TEXT, note TEXT); INSERT INTO t VALUES (7, 'a', NULL), (8, 'b', 'c')")
    let rows = try database.statement(
      "SELECT t.id, word, note, count(*) OVER () AS rows, 0.5 AS half, x'00ff' AS bytes FROM t ORDER BY t.id")
    for (id, word, note) in [(7, "a", nil), (8, "b", "c")] as [(Int64, String, String?)] {
      #expect(try rows.step())
      #expect(try rows.integer("id") == id && rows.optionalInteger("id") == id && rows.integer("rows") == 2)
      #expect(try rows.text("word") == word && rows.optionalText("note") == note && rows.text("note") == note ?? "")
      #expect(try rows.double("half") == 0.5 && rows.optionalDouble("note") == (note == nil ? nil : 0))
      #expect(try rows.blob("bytes") == [0, 255] && rows.position(of: "bytes") == 5)
    }
  }

  @Test("a name of no column or of several columns is an error with the statement", arguments: ["note", "id", "ID", ""])
  func wrongName(_ name: String) throws {
    let database = try Database(path: ":memory:")
    let sql = "SELECT 1 AS id, 2 AS word, 3 AS id"
    let rows = try database.statement(sql)
    #expect(try rows.step())
    #expect(try rows.integer("word") == 2)
    let error = #expect(throws: SQLiteError.self) { try rows.integer(name) }
    #expect(error?.sql == sql)
    #expect(error?.message == "the statement must have one column \"\(name)\"; it has: id, word, id")
  }

  @Test("by default a database has a write-ahead log, and syncs each commit")
  func durable() throws {
    let file = try TemporaryFile()
    let database = try Database(path: file.path)
    #expect(try database.text("PRAGMA journal_mode") == "wal")
    #expect(try database.integer("PRAGMA synchronous") == 2)
  }

  @Test(
    "an error in a transaction leaves no change, also if no other statement can be compiled then", arguments: [false, true])
  func rollback(_ hasNoMemory: Bool) throws {
    struct Stop: Error {}
    let file = try TemporaryFile()
    let database = try Database(path: file.path)
    try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)")
    #expect(throws: Stop.self) {
      try database.transaction {
        try database.run("INSERT INTO t VALUES (1)")
        // Simulates a lack of memory: SQLite does not compile a longer statement.
        if hasNoMemory { sqlite3_limit(database.handle, SQLITE_LIMIT_SQL_LENGTH, 3) }
        throw Stop()
      }
    }
    #expect(!database.isInTransaction)
    sqlite3_limit(database.handle, SQLITE_LIMIT_SQL_LENGTH, 1_000)
    #expect(try database.integer("SELECT count(*) FROM t") == 0)
    for number in [1, 2] {
      try database.transaction { try database.run("INSERT INTO t VALUES (?)", number) }
      #expect(try database.integer("SELECT count(*) FROM t") == Int64(number))
    }
    #expect(try database.text("SELECT group_concat(a) FROM t") == "1,2")
  }

  @Test("errors contain the file, the statement and a remedy")
  func errors() throws {
    let file = try TemporaryFile()
    let database = try Database(path: file.path)
    do {
      try database.run("SELEKT 1")
      Issue.record("accepted")
    } catch {
      #expect(error.description.contains(file.path) && error.description.contains("SELEKT 1"))
    }
    #expect(throws: SQLiteError.self) { try database.run("SELECT ?", 1, 2) }
    do {
      _ = try Database(path: "/nowhere/at/all.sqlite")
      Issue.record("opened")
    } catch { #expect(error.description.contains("Check that the folder exists")) }
    let text = file.folder.appendingPathComponent("text").path
    try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: text))
    do {
      _ = try Database(path: text)
      Issue.record("opened")
    } catch { #expect(error.isCorrupt) }
  }

  @Test("schema steps are applied in order, once, and a newer schema is rejected")
  func migrations() throws {
    let file = try TemporaryFile()
    let first = Migrations.Step("first", "CREATE TABLE a (x INTEGER)")
    let second = Migrations.Step("second", "ALTER TABLE a ADD COLUMN y INTEGER; CREATE TABLE b (z INTEGER)")
    let database = try Database(path: file.path)
    try Self.schema([first]).apply(to: database)
    try database.run("INSERT INTO a VALUES (1)")
    try Self.schema([first, second]).apply(to: database)
    try Self.schema([first, second]).apply(to: database)
    #expect(try database.integer("SELECT count(*) FROM a WHERE y IS NULL") == 1)
    #expect(throws: MigrationError.self) { try Self.schema([first]).apply(to: database) }
  }

  @Test("an argument that SQLite does not accept is an error, and NULL is not stored instead")
  func tooLongArgument() throws {
    let file = try TemporaryFile()
    let database = try Database(path: file.path)
    try database.execute("CREATE TABLE a (x, y)")
    sqlite3_limit(database.handle, SQLITE_LIMIT_LENGTH, 1_000)
    let values: [any SQLiteValue] = [String(repeating: "x", count: 2_000), [UInt8](repeating: 7, count: 2_000)]
    for value in values {
      let error = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO a VALUES (?, ?)", value, 1) }
      #expect(error?.code == SQLITE_TOOBIG)
    }
    #expect(try database.integer("SELECT count(*) FROM a") == 0)
    // The statement can be used again.
    try database.run("INSERT INTO a VALUES (?, ?)", "short", 1)
    #expect(try database.text("SELECT x FROM a") == "short")
  }

  private static func schema(_ steps: [Migrations.Step], id: Int32 = 77) -> Migrations {
    Migrations(steps, applicationID: id) { "Convert \($0)." }
  }

  @Test("a file without the application ID is from a development build and is rejected, by its header and in a transaction")
  func former() throws {
    let file = try TemporaryFile()
    let schema = Self.schema([Migrations.Step("first", "CREATE TABLE a (x INTEGER)")])
    do { try Database(path: file.path).execute("CREATE TABLE old (x INTEGER); PRAGMA user_version = 3") }
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    let error = #expect(throws: FormerSchemaError.self) { try schema.checkHeader(of: file.path) }
    #expect(error?.description.contains("Nothing was changed. Convert \(file.path).") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
    #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
    let database = try Database(path: file.path)
    #expect(throws: FormerSchemaError.self) { try schema.apply(to: database) }
    #expect(try database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'a'") == 0)
    // A file of the same application is accepted, and one of another application is rejected.
    let mine = try TemporaryFile()
    do { try schema.apply(to: Database(path: mine.path)) }
    #expect(throws: FormerSchemaError.self) { try Self.schema(schema.steps, id: 78).checkHeader(of: mine.path) }
    try schema.checkHeader(of: mine.path)
  }
}
