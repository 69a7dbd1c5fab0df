import Foundation
import GodwitSimulator
import Testing

@testable import GodwitSQLite

@Suite("Rows of damaged tables")
struct SalvageTests {
  private static let schema = """
    CREATE TABLE points (device INTEGER NOT NULL, time INTEGER NOT NULL, note TEXT, PRIMARY KEY (device, time)) WITHOUT ROWID;
    CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE loose (a TEXT, b BLOB)
    """

  /// Inserts points of three devices.
  private static func fill(_ database: Database, _ times: Swift.Range<Int>) throws {
    try database.transaction {
      for time in times {
        try database.run(
          "INSERT INTO points VALUES (?, ?, ?)", time % 3, time, "note \(time) " + String(repeating: "x", count: time % 50))
      }
    }
  }

  private static func rows(_ database: Database) throws -> Set<String> {
    var rows: Set<String> = []
    for sql in [
      "SELECT 'points', device, time, note FROM points", "SELECT 'names', id, name, '' FROM names",
      "SELECT 'loose', rowid, a, hex(b) FROM loose",
    ] {
      let statement = try database.statement(sql)
      while try statement.step() {
        rows.insert((0..<4).map { statement.text(Int32($0)) }.joined(separator: "|"))
      }
      statement.reset()
    }
    return rows
  }

  /// Returns the numbers of the leaf pages of a table.
  private static func leaves(_ path: String, _ table: String) throws -> [Int] {
    let database = try Database(path: path, access: .readOnly)
    let rows = try database.statement("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
    try rows.bind([table])
    var pages: [Int] = []
    while try rows.step() { pages.append(Int(try rows.integer("pageno"))) }
    return pages
  }

  @Test("each readable row is in the copy, and the rows of the copy fill the gaps", arguments: 0..<20)
  func salvage(_ seed: UInt64) throws {
    let file = try TemporaryFile()
    let copy = file.path + "-copy"
    do {
      let database = try Database(path: file.path)
      try database.execute(Self.schema)
      try Self.fill(database, 0..<3000)
      for id in 1...500 { try database.run("INSERT INTO names VALUES (?, ?)", id, "name \(id)") }
      for id in 1...300 {
        try database.run("INSERT INTO loose VALUES (?, ?)", "a\(id)", [UInt8](repeating: UInt8(id % 256), count: 90))
      }
      try database.run("VACUUM INTO ?", copy)
      // Changes after the copy was made.
      try Self.fill(database, 3000..<4000)
      try database.execute("DELETE FROM points WHERE time % 10 = 7; UPDATE names SET name = 'new ' || id WHERE id % 5 = 0")
      try database.execute("DELETE FROM loose WHERE rowid % 2 = 0")
    }
    let (before, old) = (
      try Self.rows(Database(path: file.path, access: .readOnly)), try Self.rows(Database(path: copy, access: .readOnly))
    )
    var random = RandomSource(seed: seed, stream: "salvage")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
    var damagedPages = 0
    for table in ["points", "names", "loose"] {
      let leaves = try Self.leaves(file.path, table)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let page = leaves[Int.random(in: leaves.indices, using: &random)]
        bytes[(page - 1) * 4096 + Int.random(in: 0..<4096, using: &random)] ^= 1
        damagedPages += 1
      }
    }
    try bytes.write(to: URL(fileURLWithPath: file.path))
    let source = try Database(path: file.path, access: .readOnly)
    let target = try Database(path: copy)
    var results: [TableSalvage.Result] = []
    try target.transaction {
      for table in ["points", "names", "loose"] { results.append(try TableSalvage.run(table, from: source, to: target)) }
    }
    let after = try Self.rows(target)
    #expect(try target.text("PRAGMA integrity_check") == "ok")
    // The result has all readable rows, and in the gaps the rows of the copy.
    let (lost, others) = (before.subtracting(after), after.subtracting(before))
    #expect(others.isSubset(of: old), "only rows of the copy are added")
    let gaps = results.reduce(0) { $0 + $1.gaps.count }
    #expect(gaps <= damagedPages && (gaps > 0) == (damagedPages > 0), "\(results)")
    if damagedPages == 0 { #expect(after == before) }
    // A leaf has at most 200 rows of these tables.
    #expect(lost.count <= damagedPages * 200, "\(lost.count) of \(damagedPages) pages: \(results)")
    #expect(lost.isDisjoint(with: old))
  }
}
