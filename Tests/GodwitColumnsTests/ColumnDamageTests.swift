import GodwitSimulator
import Testing

@testable import GodwitColumns

@Suite("Damaged blocks")
struct ColumnDamageTests {
  @Test("a flipped bit of a block is detected")
  func everyBit() throws {
    let block = try ColumnCodec.encode(.everyForm())
    for bit in 0..<block.count * 8 {
      var damaged = block
      damaged[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: ColumnDamage.self) { try ColumnCodec.decode(damaged) }
    }
  }

  @Test("a truncated block and additional bytes are detected")
  func lengths() throws {
    let block = try ColumnCodec.encode(.everyForm())
    for length in 0..<block.count { #expect(throws: ColumnDamage.self) { try ColumnCodec.decode(Array(block.prefix(length))) } }
    for more in [[0], [1], [0, 0, 0, 0], block] as [[UInt8]] {
      #expect(throws: ColumnDamage.self) { try ColumnCodec.decode(block + more) }
    }
  }

  @Test("random damage of a large block is detected: bytes, sectors of zeros, exchanged parts")
  func largeBlocks() throws {
    let block = try ColumnCodec.encode(.everyForm(rows: 4_096))
    var random = RandomSource(seed: 4)
    for _ in 0..<500 {
      var damaged = block
      let place = Int.random(in: 0..<block.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          damaged[Int.random(in: 0..<block.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      case 1: for byte in place..<min(place + 512, block.count) { damaged[byte] = 0 }
      default:
        damaged = Array(block[place...] + block[..<place])
      }
      if damaged != block { #expect(throws: ColumnDamage.self) { try ColumnCodec.decode(damaged) } }
    }
  }

  @Test(
    "a malformed block with a valid checksum gives an error or columns of equal length", arguments: 0..<8 as Range<UInt64>)
  func malformed(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let tables = [ColumnTable.everyForm(), .everyForm(rows: 700), .random(rows: 30, seed: seed), .random(rows: 1, seed: seed)]
    let blocks = try tables.map { Array(try ColumnCodec.encode($0).dropLast(4)) }
    var (read, rejected) = (0, 0)
    for _ in 0..<2_000 {
      guard var content = blocks.randomElement(using: &random) else { continue }
      for _ in 0..<Int.random(in: 1...3, using: &random) { Self.damage(&content, from: &random) }
      var writer = BlockWriter()
      writer.append(content)
      BlockChecksum.append(to: &writer)
      do {
        let table = try ColumnCodec.decode(writer.bytes)
        #expect(table.integers.allSatisfy { $0.values.count == table.count && $0.present?.count ?? table.count == table.count })
        #expect(table.texts.allSatisfy { $0.values.count == table.count })
        read += 1
      } catch {
        rejected += 1
      }
    }
    #expect(read > 0 && rejected > 0)
  }

  private static func damage(_ content: inout [UInt8], from random: inout RandomSource) {
    guard !content.isEmpty else { return }
    // Half of the damage is near the beginning, which contains the lengths of the other parts.
    let limit = random.happens(0.5) ? min(content.count, 80) : content.count
    let place = Int.random(in: 0..<limit, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: content[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
    case 1: content[place] = UInt8.random(in: 0...255, using: &random)
    case 2: content[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
    case 3: content.remove(at: place)
    case 4: content.insert(UInt8.random(in: 0...255, using: &random), at: place)
    default:
      content.replaceSubrange(
        place..<min(place + 9, content.count), with: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01])
    }
  }

  @Test("the memory that a malformed block can request is bounded")
  func bombs() {
    func decode(_ content: [UInt8]) throws -> ColumnTable {
      var writer = BlockWriter()
      writer.append(content)
      BlockChecksum.append(to: &writer)
      return try ColumnCodec.decode(writer.bytes)
    }
    // 65,537 rows.
    #expect(throws: ColumnDamage("it has the number 65537 where at most 65536 is allowed")) {
      try decode([1, 0x81, 0x80, 0x04, 0])
    }
    // A column whose frame of tokens is too small for its rows, and texts of 64 MiB in a frame of four bytes.
    #expect(throws: ColumnDamage.self) { try decode([1, 0x80, 0x80, 0x04, 1, 1, 0, 9, 0, 1, 0, 1, 2, 3, 0, 0, 0]) }
    #expect(throws: ColumnDamage.self) { try decode([1, 1, 1, 1, 1, 12, 1, 0x80, 0x80, 0x80, 0x20, 1, 4, 0, 0, 0, 0, 0]) }
    // A column that is relative to a later one, an unknown version, and two columns with the same id.
    #expect(throws: ColumnDamage("a column follows one that is not before it")) { try decode([1, 1, 1, 5, 0, 5, 0, 9, 5, 0, 1]) }
    #expect(throws: ColumnDamage("its version is unknown")) { try decode([2, 0, 0]) }
    #expect(throws: ColumnDamage("two columns have the same id")) { try decode([1, 0, 2, 1, 0, 1, 0, 1, 0, 1, 0]) }
  }
}
