import GodwitSimulator
import Testing

@testable import GodwitColumns

@Suite("ColumnCodec")
struct ColumnCodecTests {
  @Test(
    "a column of each kind round-trips, for each number of rows", arguments: TestColumn.allCases,
    [0, 1, 2, 3, 100, 519, 520, 521, 4_096, 65_536])
  func roundTrip(kind: TestColumn, rows: Int) throws {
    var random = RandomSource(seed: UInt64(rows))
    let table = ColumnTable(count: rows, integers: [.init(id: 1, values: kind.values(rows, from: &random))])
    #expect(try ColumnCodec.decode(ColumnCodec.encode(table)) == table)
  }

  @Test("random tables round-trip", arguments: [0, 1, 2, 7, 64, 1_000, 3_000])
  func randomTables(rows: Int) throws {
    for seed in 0..<(rows > 100 ? 20 : 100) as Range<UInt64> {
      let table = ColumnTable.random(rows: rows, seed: seed)
      #expect(try ColumnCodec.decode(ColumnCodec.encode(table)).isIdentical(to: table), "seed \(seed)")
    }
  }

  @Test("a column without values takes few bytes")
  func allAbsent() throws {
    let table = ColumnTable(
      count: 4_096,
      integers: [.init(id: 9, values: .init(repeating: 0, count: 4_096), present: .init(repeating: false, count: 4_096))])
    let block = try ColumnCodec.encode(table)
    #expect(try ColumnCodec.decode(block) == table)
    #expect(block.count < 24)
  }

  @Test("an absent value is decoded as 0; a presence list without absent values is omitted")
  func normalized() throws {
    let table = ColumnTable(
      count: 2,
      integers: [.init(id: 1, values: [5, 6], present: [true, false]), .init(id: 2, values: [5, 6], present: [true, true])])
    let expected = ColumnTable(
      count: 2, integers: [.init(id: 1, values: [5, 0], present: [true, false]), .init(id: 2, values: [5, 6])])
    #expect(try ColumnCodec.decode(ColumnCodec.encode(table)) == expected)
  }

  @Test("an empty text differs from an absent one, and similar texts remain distinct")
  func texts() throws {
    let table = ColumnTable(count: 5, texts: [.init(id: 1, values: ["", nil, "é", "e\u{301}", "{\"a\":\"\\u0000\"}"])])
    #expect(try ColumnCodec.decode(ColumnCodec.encode(table)).isIdentical(to: table))
  }

  @Test("a selected column is decoded, also one that is relative to another column", arguments: 1...9 as ClosedRange<UInt8>)
  func selected(id: UInt8) throws {
    let table = ColumnTable.everyForm()
    let block = try ColumnCodec.encode(table)
    let expected = ColumnTable(count: table.count, integers: table.integers.filter { $0.id == id })
    #expect(try ColumnCodec.decode(block, columns: [id]) == expected)
    #expect(try ColumnCodec.decode(block, columns: [id, 100, 250]).texts == table.texts)
    #expect(try ColumnCodec.decode(block, columns: []) == ColumnTable(count: table.count))
  }

  @Test("columns relative to one with absent values round-trip")
  func absentReference() throws {
    let time = (0..<2_000 as Range<Int64>).map { $0 * $0 * 31 + $0 % 7 * 1_000 }
    let table = ColumnTable(
      count: 2_000,
      integers: [
        .init(1, time.enumerated().map { $0 % 5 == 0 ? nil : $1 }), .init(2, time.map { $0 + 12 }),
        .init(3, time.enumerated().map { $0 % 3 == 0 ? nil : $1 - 12 }),
      ])
    let block = try ColumnCodec.encode(table)
    #expect(try ColumnCodec.decode(block) == table)
    #expect(try ColumnCodec.decode(block, columns: [3]).integers == [table.integers[2]])
  }

  @Test("the smallest form of a column is chosen")
  func forms() throws {
    let rows = 4_096 as Int64
    var random = RandomSource(seed: 3)
    let time = (0..<rows).reduce(into: [Int64]()) {
      $0.append(($0.last ?? 1_700_000_000_000) + [1_000, 2_000, 5_000][Int($1 % 3)])
    }
    func size(_ columns: [[Int64]]) throws -> Int {
      try ColumnCodec.encode(
        ColumnTable(count: Int(rows), integers: columns.enumerated().map { .init(id: UInt8($0), values: $1) })
      ).count
    }
    let alone = try size([time])
    // A constant difference takes at most 30 bytes for all rows.
    #expect(try size([(0..<rows).map { 100_000 + $0 }]) < 30)
    // Arrival minus time in seconds, with the time in milliseconds: the sum is constant within an upload of 100 rows.
    #expect(
      try size([
        time, time.indices.map { time[$0 / 100 * 100 + min(99, Int(rows) - 1 - $0 / 100 * 100)] / 1_000 - time[$0] / 1_000 },
      ]) < alone + 400)
    // A distance proportional to the steps of the time.
    #expect(try size([time, time.map { $0 * 13 }]) < alone + 400)
    // A random walk in steps of one foot, in centimetres.
    let feet = (0..<rows).reduce(into: [Int64]()) { list, _ in
      list.append((list.last ?? 500) + Int64.random(in: -1...1, using: &random))
    }
    #expect(try size([feet.map { Int64((Double($0) * 30.48).rounded()) }]) < 4_096 / 4 + 300)
  }

  @Test("tables encoded on another thread give the same blocks in order, and errors are thrown")
  func duringWork() throws {
    let tables = [40, 4_096, 1, 700].map { ColumnTable.everyForm(rows: $0) }
    var isDone = false
    let blocks = try ColumnCodec.encode(tables) { isDone = true }
    #expect(try blocks == tables.map { try ColumnCodec.encode($0) } && isDone)
    #expect(throws: CancellationError.self) { _ = try ColumnCodec.encode(tables) { throw CancellationError() } }
    let limit = ColumnTable(count: ColumnCodec.maximumRows + 1)
    #expect(throws: ColumnLimit.self) { _ = try ColumnCodec.encode([tables[0], limit]) {} }
  }

  @Test("the table everyForm has each predictor, a dictionary and both relations", arguments: [40, 700, 4_096])
  func everyForm(rows: Int) throws {
    let block = try ColumnCodec.encode(.everyForm(rows: rows))
    let heads = try block.withUnsafeBytes { bytes in
      var reader = BlockReader(try BlockChecksum.verified(bytes))
      _ = try reader.byte()
      _ = try reader.number()
      return try (0..<(try reader.number(limit: 256))).compactMap { _ -> UInt8? in
        let entry = try BlockEntry(from: &reader)
        guard entry.kind == .integers else { return nil }
        var column = BlockReader(entry.content)
        if try column.byte() == 1 { _ = try column.counted() }
        return try column.byte()
      }
    }
    #expect(Set(heads.map { $0 & 3 }) == [0, 1, 2, 3], "\(heads)")
    #expect(Set(heads.map { $0 >> 2 & 3 }) == [0, 1, 2, 3], "\(heads)")
  }

  @Test("tables that exceed a limit are rejected")
  func limits() {
    let rows = ColumnCodec.maximumRows + 1
    #expect(throws: ColumnLimit.self) {
      try ColumnCodec.encode(ColumnTable(count: rows, integers: [.init(id: 1, values: .init(repeating: 0, count: rows))]))
    }
    #expect(throws: ColumnLimit.self) { try ColumnCodec.encode(ColumnTable(count: -1)) }
    #expect(throws: ColumnLimit.self) { try ColumnCodec.encode(ColumnTable(count: 2, integers: [.init(id: 1, values: [1])])) }
    #expect(throws: ColumnLimit.self) {
      try ColumnCodec.encode(ColumnTable(count: 1, integers: [.init(id: 1, values: [1], present: [])]))
    }
    #expect(throws: ColumnLimit.self) {
      try ColumnCodec.encode(ColumnTable(count: 1, integers: [.init(id: 1, values: [1])], texts: [.init(id: 1, values: ["a"])]))
    }
    let text = String(repeating: "a", count: ColumnCodec.maximumTextBytes / 2)
    #expect(throws: ColumnLimit.self) {
      try ColumnCodec.encode(ColumnTable(count: 3, texts: [.init(id: 1, values: [text, text + "b", nil])]))
    }
  }

  @Test("a block has the bytes of the documented format")
  func bytes() throws {
    let table = ColumnTable(
      count: 3, integers: [.init(id: 7, values: [10, 12, 14]), .init(id: 8, values: [1, 0, 2], present: [true, false, true])],
      texts: [.init(id: 9, values: ["a", nil, ""])])
    let block: [UInt8] = [
      // Version, rows, columns.
      1, 3, 3,
      // No absent values. Delta from 10 (20 after ZigZag) in units of 2; all residuals are 1.
      7, 0, 6, 0, 1, 20, 2, 0, 2,
      // Presence: delta from 1 in units of 1, tokens of -1 and 1. Values: delta from 1, all residuals are 1.
      8, 0, 13, 1, 6, 1, 2, 1, 1, 1, 2, 1, 2, 1, 0, 2,
      // Two texts with one byte; lengths: delta from 1, all residuals are -1; rows: delta from 1, tokens of -1 and 2.
      9, 1, 17, 2, 1, 0, 97, 5, 1, 2, 1, 0, 1, 6, 1, 2, 1, 1, 1, 4,
      // CRC-32.
      244, 45, 64, 205,
    ]
    #expect(try ColumnCodec.encode(table) == block)
    #expect(try ColumnCodec.decode(block) == table)
  }
}
