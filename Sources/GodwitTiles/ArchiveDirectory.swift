internal import GodwitModel

/// The entries of a directory (PMTiles 3, section 4).
struct ArchiveDirectory: Sendable {
  struct Entry: Sendable {
    /// The number of the first tile.
    let tile: UInt64
    /// Offset relative to the section of tiles; for a leaf, relative to the section of leaves.
    let offset: UInt64
    let length: Int
    /// The number of consecutive tiles with this content; 0: a leaf directory.
    let run: UInt64
  }

  /// In the order of their tiles.
  let entries: [Entry]

  /// Parses a decompressed directory.
  init(_ bytes: [UInt8]) throws(TileArchiveError) {
    var reader = ProtobufReader(bytes)
    do {
      let count = try reader.varint()
      // Each entry has at least four bytes.
      guard count <= UInt64(bytes.count / 4) else { throw TileArchiveError.damaged("a directory is shorter than its count") }
      guard count <= UInt64(TileArchive.Limits.entries) else { throw TileArchiveError.tooLarge("a directory") }
      entries = try Self.entries(Int(count), from: &reader)
    } catch let error as TileArchiveError {
      throw error
    } catch {
      throw .damaged("a number of a directory")
    }
  }

  private static func entries(_ count: Int, from reader: inout ProtobufReader) throws -> [Entry] {
    var tiles: [UInt64] = []
    var tile: UInt64 = 0
    for index in 0..<count {
      let step = try reader.varint()
      let (sum, overflow) = tile.addingReportingOverflow(step)
      guard !overflow, index == 0 || step > 0 else { throw TileArchiveError.damaged("the order of a directory") }
      tile = sum
      tiles.append(tile)
    }
    var runs: [UInt64] = []
    for _ in 0..<count { runs.append(try reader.varint()) }
    var lengths: [Int] = []
    for _ in 0..<count {
      guard let length = Int32(exactly: try reader.varint()), length > 0 else {
        throw TileArchiveError.damaged("a length in a directory")
      }
      lengths.append(Int(length))
    }
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    var end: UInt64 = 0
    for index in 0..<count {
      let number = try reader.varint()
      // 0 means that the data follows that of the previous entry.
      guard number > 0 || index > 0 else { throw TileArchiveError.damaged("the first offset of a directory") }
      let offset = number == 0 ? end : number - 1
      let (sum, overflow) = offset.addingReportingOverflow(UInt64(lengths[index]))
      guard !overflow else { throw TileArchiveError.damaged("an offset in a directory") }
      end = sum
      entries.append(Entry(tile: tiles[index], offset: offset, length: lengths[index], run: runs[index]))
    }
    return entries
  }

  /// Returns the entry that contains a tile, or the leaf that may contain it.
  func entry(of tile: UInt64) -> Entry? {
    let next = entries.partitioningIndex { $0.tile > tile }
    guard next > 0 else { return nil }
    let entry = entries[next - 1]
    return entry.run == 0 || tile - entry.tile < entry.run ? entry : nil
  }
}

extension TileCoordinate {
  /// The number of the tile in an archive: smaller zoom levels first, then along a Hilbert curve.
  var archiveNumber: UInt64 {
    var number = ((UInt64(1) << UInt64(2 * zoom)) - 1) / 3
    var (x, y) = (UInt64(column), UInt64(row))
    var side = zoom == 0 ? 0 : UInt64(1) << UInt64(zoom - 1)
    while side > 0 {
      let (right, below) = (x & side != 0, y & side != 0)
      number += side * side * ((right ? 3 : 0) ^ (below ? 1 : 0))
      (x, y) = (x & (side - 1), y & (side - 1))
      if !below {
        if right { (x, y) = (side - 1 - x, side - 1 - y) }
        (x, y) = (y, x)
      }
      side /= 2
    }
    return number
  }
}
