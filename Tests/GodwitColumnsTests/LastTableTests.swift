import Testing

@testable import GodwitColumns

@Suite("LastTable")
struct LastTableTests {
  private let table = ColumnTable.random(rows: 100, seed: 1)

  @Test("the table of a block and a set of columns equals that of the codec, also after others")
  func tables() throws {
    let last = LastTable()
    let other = ColumnTable.random(rows: 100, seed: 2)
    let blocks = [try ColumnCodec.encode(table), try ColumnCodec.encode(other)]
    for columns in [[1, 2], [1, 2], [3], [1, 2], []] as [Set<UInt8>] {
      for block in blocks + blocks.reversed() {
        #expect(try last.decode(block, columns: columns).isIdentical(to: ColumnCodec.decode(block, columns: columns)))
      }
    }
  }

  @Test("a flipped bit of a block that was decoded before is detected, and the intact block is decoded again")
  func damage() throws {
    let last = LastTable()
    let block = try ColumnCodec.encode(table)
    for index in block.indices {
      #expect(try last.decode(block, columns: [1]) == ColumnCodec.decode(block, columns: [1]))
      var damaged = block
      damaged[index] ^= 1
      #expect(throws: ColumnDamage.self, "byte \(index)") { try last.decode(damaged, columns: [1]) }
    }
  }
}
