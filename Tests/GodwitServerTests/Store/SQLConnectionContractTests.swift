import Foundation
import Testing

@testable import GodwitServer
@testable import GodwitStore

/// The behaviour of connections that code for both databases relies on.
@Suite("Database connections", .timeLimit(.minutes(20)))
struct SQLConnectionContractTests {
  @Test("values of every type are read as they were written", arguments: StoreKind.tested)
  func values(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    try await store.write { db in
      try db.run(
        "CREATE TABLE things (id BIGINT PRIMARY KEY, real DOUBLE PRECISION, word TEXT, bytes \(db.dialect == .sqlite ? "BLOB" : "BYTEA"))"
      )
      try db.run("INSERT INTO things VALUES (?, ?, ?, ?)", 1, 0.1, "ä'?\u{0}b", [0, 255, 39] as [UInt8])
      try db.run("INSERT INTO things VALUES (?, ?, ?, ?)", Int64.min, Double?.none, String?.none, [UInt8]())
    }
    let rows = try store.read { db in
      try db.all("SELECT id, real, word, bytes FROM things ORDER BY id DESC") { row in
        "\(row.integer(0)) \(row.optionalDouble(1) as Any) \(row.optionalText(2) as Any) \(row.blob(3)) \(row.isNull(3))"
      }
    }
    #expect(
      rows == [
        "1 Optional(0.1) Optional(\"ä\\'?\\0b\") [0, 255, 39] false", "\(Int64.min) nil nil [] false",
      ])
  }

  @Test("columns are read by name or by alias", arguments: StoreKind.tested)
  func names(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    try await place.store.write { db in
      try db.run(
        """
        CREATE TABLE things (id BIGINT PRIMARY KEY, word TEXT, created BIGINT, ended BIGINT, real DOUBLE PRECISION,
          bytes \(db.dialect == .sqlite ? "BLOB" : "BYTEA"))
        """)
      try db.run("INSERT INTO things VALUES (?, ?, ?, ?, ?, ?)", 1, "a", 1500, 2500, 0.5, [0, 255] as [UInt8])
      try db.run("INSERT INTO things (id) VALUES (2)")
    }
    let rows = try place.store.read { db in
      try db.all(
        "SELECT things.id, word, created, things.ended, real, bytes, id + 1 AS next FROM things ORDER BY id"
      ) { row in
        #expect(try row.isNull("bytes") == (row.integer("id") == 2))
        #expect(try row.blob("bytes") == row.optionalBlob("bytes") ?? [])
        #expect(try row.text("word") == row.optionalText("word") ?? "")
        #expect(try row.double("real") == row.optionalDouble("real") ?? 0)
        #expect(
          try row.optionalInteger("created").map(Double.init)
            == row.optionalTime("created").map { $0.timeIntervalSince1970 * 1000 })
        return try [
          row.integer("next"), row.optionalInteger("ended") ?? -1, Int64(row.time("created").timeIntervalSince1970 * 10),
        ]
      }
    }
    #expect(rows == [[2, 2500, 15], [3, -1, 0]])
  }

  @Test("reading by an unknown or ambiguous column name is an error with the statement", arguments: StoreKind.tested)
  func wrongNames(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    for name in ["note", "id", "WORD", ""] {
      let sql = "SELECT 1 AS id, 2 AS word, 3 AS id"
      let error = #expect(throws: (any Error).self) {
        try place.store.read { try $0.all(sql) { try [$0.integer("word"), $0.integer(name)] } }
      }
      let text = "\(try #require(error))"
      #expect(text.contains("the statement must have one column \"\(name)\"; it has: id, word, id"))
      #expect(text.contains(sql))
    }
    // Changes before the error are rolled back.
    await #expect(throws: (any Error).self) {
      try await place.store.write { db in
        try db.run("CREATE TABLE things (id BIGINT)")
        _ = try db.first("SELECT 1 AS id") { try $0.integer("number") }
      }
    }
    try await place.store.write { try $0.run("CREATE TABLE things (id BIGINT)") }
  }

  @Test("a statement returns the number of changed rows", arguments: StoreKind.tested)
  func changes(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let counts = try await store.write { db in
      try db.run("CREATE TABLE things (id INTEGER PRIMARY KEY, word TEXT)")
      var counts = [try db.run("INSERT INTO things VALUES (1, 'a'), (2, 'b')")]
      counts.append(try db.run("INSERT INTO things VALUES (?1, ?2) ON CONFLICT DO NOTHING", 1, "c"))
      counts.append(try db.run("UPDATE things SET word = ? WHERE id < ?", "d", 3))
      counts.append(try db.run("DELETE FROM things WHERE id = ?", 9))
      return counts
    }
    #expect(counts == [2, 0, 2, 0])
  }

  @Test("a query for the first row stops after it", arguments: StoreKind.tested)
  func endingEarly(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    try await store.write { db in
      try db.run("CREATE TABLE things (id INTEGER PRIMARY KEY)")
      for id in 1...9 {
        let made = try db.first("INSERT INTO things VALUES (?) RETURNING id", id) { $0.integer(0) }
        #expect(made == Int64(id))
      }
    }
    try store.read { db in
      for _ in 1...2 {
        let next = try db.first("SELECT id FROM things WHERE id > ?1 ORDER BY id", 3) { $0.integer(0) }
        let last = try db.integer("SELECT max(id) FROM things")
        let none = try db.integer("SELECT max(id) FROM things WHERE id > ?", 100)
        #expect([next, last, none] == [4, 9, nil])
      }
    }
  }

  @Test("a failed write leaves no change", arguments: StoreKind.tested)
  func failedWrite(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    _ = try await store.write { try $0.run("CREATE TABLE things (id INTEGER PRIMARY KEY)") }
    await #expect(throws: (any Error).self) {
      try await store.write { db in
        for _ in 1...2 { try db.run("INSERT INTO things VALUES (1)") }
      }
    }
    let count = try store.read { try $0.integer("SELECT count(*) FROM things") }
    #expect(count == 0)
  }
}
