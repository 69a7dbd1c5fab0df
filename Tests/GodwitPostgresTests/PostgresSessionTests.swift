import Foundation
import GodwitPostgres
import TestCluster
import TestParts
import Testing

@Suite(
  "A session with PostgreSQL", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"),
  .timeLimit(.minutes(20)))
struct PostgresSessionTests {
  @Test("is opened over the network and over a socket")
  func connecting() throws {
    let cluster = try TestCluster.shared()
    for url in [cluster.address(of: "postgres"), cluster.socketAddress(of: "postgres")] {
      let session = try PostgresSession(PostgresAddress(url))
      let rows = try session.run("SELECT current_user, current_setting('synchronous_commit')")
      #expect(rows.next())
      #expect([rows.text(0), rows.text(1)] == [TestCluster.user, "on"])
    }
  }

  @Test("a commit with a warning is an error, because its wait for the standby may have been interrupted")
  func warning() throws {
    let session = try PostgresSession(PostgresAddress(TestCluster.shared().address(of: "postgres")))
    try session.execute(
      """
      CREATE TEMPORARY TABLE one (id INTEGER);
      CREATE FUNCTION pg_temp.warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'at the end'; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON one DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pg_temp.warn();
      """)
    let error = #expect(throws: PostgresError.self) {
      try session.transaction { try session.execute("INSERT INTO one VALUES (1)") }
    }
    #expect(error?.isPassing == true && error?.message.contains("at the end") == true)
    // The row is committed, the session continues, and a warning of another statement is not an error.
    #expect(try session.text("SELECT id::text FROM one") == "1")
    try session.execute("ROLLBACK")
    try session.transaction { try session.execute("UPDATE one SET id = 2") }
  }

  static let everyText = ["", "a", "ä'\"?$1\\", "\0", "a\0b\0", "\u{10FFFD}", "\u{10FFFD}0\0\u{10FFFD}\u{10FFFD}", "\u{10FFFC}"]

  @Test("round-trips every text", arguments: everyText)
  func texts(_ text: String) throws {
    let session = try PostgresSession(PostgresAddress(TestCluster.shared().address(of: "postgres")))
    var array = PostgresArray(of: .text)
    array.append(text)
    array.append(String?.none)
    let rows = try session.run("SELECT ?1, value FROM unnest(?2) AS value", [.text(text), array.value()])
    #expect(rows.count == 2)
    #expect(rows.next())
    #expect([rows.text(0), rows.text(1)] == [text, text])
    #expect(rows.next())
    #expect(rows.isNull(1))
  }

  @Test("round-trips every number and all bytes")
  func numbers() throws {
    let session = try PostgresSession(PostgresAddress(TestCluster.shared().address(of: "postgres")))
    for value in [0, 1, -1, .min, .max] as [Int64] {
      let rows = try session.run("SELECT ?1, -(?1::numeric) - 1, ?1::numeric, ?1::text", [.integer(value)])
      #expect(rows.next())
      #expect((0..<4).map { rows.integer($0) } == [value, ~value, value, value])
      #expect(rows.double(2) == Double(value))
    }
    for value in [0, -0.0, 0.1, -1e-300, 1e300, .infinity, .leastNonzeroMagnitude] as [Double] {
      let rows = try session.run("SELECT ?1", [.real(value)])
      #expect(rows.next())
      #expect(rows.double(0) == value)
    }
    for text in ["0.1", "-0.00012", "12345678901234567890.5", "1e-20", "99999999", "10000", "NaN"] {
      let rows = try session.run("SELECT CAST(?1 AS numeric)", [.text(text)])
      #expect(rows.next())
      let expected = try #require(Double(text))
      #expect(rows.double(0) == expected || expected.isNaN && rows.double(0).isNaN, "\(text)")
    }
    let bytes: [UInt8] = [0, 39, 92, 255]
    let rows = try session.run("SELECT ?1, ?2, NULL::bytea, 3::int2, 4::int4, true, 0.5::float4", [.blob(bytes), .blob([])])
    #expect(rows.next())
    #expect(rows.blob(0) == bytes)
    #expect(rows.blob(1) == [] && !rows.isNull(1) && rows.isNull(2))
    #expect((3..<6).map { rows.integer($0) } == [3, 4, 1])
    #expect(rows.double(6) == 0.5)
  }

  @Test("reads columns by name, and the first column of the first row")
  func names() throws {
    let session = try PostgresSession(PostgresAddress(TestCluster.shared().address(of: "postgres")))
    let rows = try session.run("SELECT 1 AS id, 'a' AS word, 2 AS id")
    #expect(rows.next())
    #expect(try rows.text("word") == "a" && rows.position(of: "word") == 1)
    for name in ["note", "id", "Word"] {
      let error = #expect(throws: PostgresError.self) { try rows.text(name) }
      #expect(error?.message == "the statement must have one column \"\(name)\"; it has: id, word, id")
      #expect(error?.sql == "SELECT 1 AS id, 'a' AS word, 2 AS id")
    }
    #expect(try session.text("SELECT ?1::text, 'b'", [.text("a")]) == "a")
    #expect(try session.text("SELECT NULL::text") == nil)
    #expect(try session.text("SELECT 'a' WHERE false") == nil)
  }

  @Test("sends many rows as arrays, and by COPY")
  func bulk() throws {
    let database = try TestDatabase()
    let session = try PostgresSession(PostgresAddress(database.address))
    try session.execute("CREATE TABLE things (id BIGINT, half SMALLINT, word TEXT, bytes BYTEA)")
    var (ids, halves) = (PostgresArray(of: .int8), PostgresArray(of: .int2))
    var (words, blobs) = (PostgresArray(of: .text), PostgresArray(of: .bytea))
    for id in 0..<5000 as Range<Int64> {
      ids.append(id)
      halves.append(id.isMultiple(of: 2) ? Int16(id / 2) : nil)
      words.append("word \(id)")
      blobs.append([UInt8(truncatingIfNeeded: id)])
    }
    let insertion = "INSERT INTO things SELECT * FROM unnest(?, ?, ?, ?)"
    #expect(try session.run(insertion, [ids.value(), halves.value(), words.value(), blobs.value()]).changes == 5000)
    let nothing = [PostgresType.int8, .int2, .text, .bytea].map { PostgresArray(of: $0).value() }
    #expect(try session.run(insertion, nothing).changes == 0)
    let sums = try session.run("SELECT sum(id), sum(half), count(half), min(word), max(bytes::text) FROM things")
    #expect(sums.next())
    #expect(sums.integer(0) == 5000 * 4999 / 2)
    #expect([sums.integer(1), sums.integer(2)] == [2500 * 2499 / 2, 2500])

    let lines = (0..<100_000).map { "\($0)\tcopied" }.joined(separator: "\n")
    #expect(try session.copy("COPY things (id, word) FROM STDIN", Array(lines.utf8)) == 100_000)
    #expect(throws: PostgresError.self) { try session.copy("COPY things (id) FROM STDIN", Array("none\n".utf8)) }
    #expect(throws: PostgresError.self) { try session.copy("SELECT 1", []) }
    #expect(throws: PostgresError.self) { try session.copy("COPY nothings FROM STDIN", []) }
    let count = try session.run("SELECT count(*) FROM things")
    #expect(count.next() && count.integer(0) == 105_000)
  }

  @Test("an error has its message and position, and the session continues")
  func errors() throws {
    let cluster = try TestCluster.shared()
    let session = try PostgresSession(PostgresAddress(cluster.address(of: "postgres")))
    let table: [(sql: String, arguments: [PostgresValue], kind: PostgresError.Kind, state: String)] = [
      ("SELEC 1", [], .statement, "42601"),
      ("SELECT * FROM nothings", [], .statement, "42P01"),
      ("SELECT ?", [], .statement, ""),
      ("SELECT 1", [.null], .statement, ""),
      ("SELECT 1 / ?", [.integer(0)], .statement, "22012"),
      ("SELECT now()", [], .statement, ""),
      ("SELECT pg_sleep(60)", [], .timeout, "57014"),
    ]
    try session.execute("SET statement_timeout = '500ms'")
    for row in table {
      let error = try #require(throws: PostgresError.self) { try session.run(row.sql, row.arguments) }
      #expect(error.kind == row.kind)
      #expect(error.state == row.state)
      #expect(error.sql == row.sql)
      #expect("\(error)".contains("127.0.0.1:\(cluster.port)/postgres"))
      #expect(!"\(error)".contains(TestCluster.password))
      #expect(session.isAlive)
    }
    #expect(throws: PostgresError.self) { try session.execute("SELECT 1; SELECT 1 / 0") }
    #expect(try session.run("SELECT 5").count == 1)
  }

  @Test("a wrong password is rejected and not shown")
  func admission() throws {
    let cluster = try TestCluster.shared()
    let wrong = try PostgresAddress("postgres://\(TestCluster.user):wrongpassword@127.0.0.1:\(cluster.port)/postgres")
    let rejected = try #require(throws: PostgresError.self) { try PostgresSession(wrong) }
    #expect(rejected.kind == .admission)
    #expect(!"\(rejected)".contains("wrongpassword"))
    let missing = try PostgresAddress(cluster.address(of: "no_such_database"))
    let unreachable = try #require(throws: PostgresError.self) { try PostgresSession(missing) }
    #expect(unreachable.kind == .admission)
    let database = try TestDatabase(encoding: "LATIN1")
    let latin = try PostgresAddress(database.address)
    let unsuitable = try #require(throws: PostgresError.self) { try PostgresSession(latin) }
    #expect(unsuitable.kind == .unsuitable)
    #expect("\(unsuitable)".contains("LATIN1") && "\(unsuitable)".contains("ENCODING 'UTF8'"))
  }

  @Test("a transaction is atomic, and is retried after conflicts")
  func transactions() throws {
    let database = try TestDatabase()
    let session = try PostgresSession(PostgresAddress(database.address))
    try session.execute("CREATE TABLE things (id BIGINT PRIMARY KEY)")
    let duplicate = try #require(throws: PostgresError.self) {
      try session.transaction { for _ in 1...2 { try session.run("INSERT INTO things VALUES (1)") } }
    }
    #expect(duplicate.kind == .duplicate)
    #expect(!session.isInTransaction)
    let other = try PostgresSession(PostgresAddress(database.address))
    var attempts = 0
    try session.transaction("BEGIN ISOLATION LEVEL SERIALIZABLE") {
      attempts += 1
      let count = try session.run("SELECT count(*) FROM things")
      #expect(count.next())
      if attempts == 1 {
        // The other transaction conflicts: it can be serialized neither before nor after this one.
        try other.transaction("BEGIN ISOLATION LEVEL SERIALIZABLE") {
          _ = try other.run("SELECT count(*) FROM things")
          try other.run("INSERT INTO things VALUES (100)")
        }
      }
      try session.run("INSERT INTO things VALUES (?)", [.integer(count.integer(0))])
    }
    #expect(attempts == 2)
    let sum = try session.run("SELECT sum(id) FROM things")
    #expect(sum.next() && sum.integer(0) == 101)
  }

  @Test("that was terminated is reported as closed by the next call and by all later calls")
  func lost() throws {
    let cluster = try TestCluster.shared()
    let session = try PostgresSession(PostgresAddress(cluster.address(of: "postgres")))
    let id = try session.run("SELECT pg_backend_pid()")
    #expect(id.next())
    try cluster.sql("SELECT pg_terminate_backend(\(id.integer(0)))", in: "postgres")
    for _ in 1...2 {
      let error = try #require(throws: PostgresError.self) { try session.run("SELECT 1") }
      #expect(error.kind == .connection && error.isPassing)
      #expect(!session.isAlive)
    }
  }

  @Test("a server that is down or hangs blocks a call for the timeout at most")
  func deadServer() throws {
    let cluster = try TestCluster()
    let address = try PostgresAddress(cluster.address(of: "postgres"))
    let limits = PostgresSession.Limits(connect: 2, statement: 1)
    let session = try PostgresSession(address, limits: limits)
    try cluster.freeze()
    let start = ContinuousClock.now
    let late = try #require(throws: PostgresError.self) { try session.run("SELECT 1") }
    #expect(late.kind == .timeout && !session.isAlive)
    let unreachable = try #require(throws: PostgresError.self) { try PostgresSession(address, limits: limits) }
    #expect(unreachable.kind == .connection && unreachable.isPassing)
    #expect(start.duration(to: .now) < .seconds(30))
    try cluster.thaw()
    let second = try PostgresSession(address, limits: limits)
    try cluster.kill()
    #expect(throws: PostgresError.self) { try second.run("SELECT 1") }
    #expect(throws: PostgresError.self) { try PostgresSession(address, limits: limits) }
    try cluster.start()
    #expect(try PostgresSession(address, limits: limits).run("SELECT 1").count == 1)
  }
}
