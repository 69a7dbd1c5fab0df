import CZlib
import CZstd

@testable import GodwitTiles

/// Writes small archives of tiles, including invalid ones.
struct ArchiveBuilder {
  struct Entry {
    var tile: UInt64
    var content: [UInt8]
    var run: UInt64 = 1
  }

  var entries: [Entry]
  /// The number of entries in a leaf directory; `nil`: all entries are in the root directory.
  var leafSize: Int?
  var compression = TileCompression.gzip
  var kind: UInt8 = 1
  var tileCompression: UInt8?
  var zooms: (UInt8, UInt8) = (0, 8)
  var metadata = #"{"attribution":"Somewhere","vector_layers":[{"id":"earth"},{"id":"roads"}]}"#

  func bytes() -> [UInt8] {
    var data: [UInt8] = []
    var placed: [(tile: UInt64, offset: Int, length: Int, run: UInt64)] = []
    for entry in entries {
      let content = Self.compressed(entry.content, compression)
      placed.append((entry.tile, data.count, content.count, entry.run))
      data += content
    }
    var (root, leaves) = (Self.directory(placed), [UInt8]())
    if let leafSize {
      var pointers: [(tile: UInt64, offset: Int, length: Int, run: UInt64)] = []
      for start in stride(from: 0, to: placed.count, by: leafSize) {
        let leaf = Self.compressed(Self.directory(Array(placed[start..<min(start + leafSize, placed.count)])), compression)
        pointers.append((placed[start].tile, leaves.count, leaf.count, 0))
        leaves += leaf
      }
      root = Self.directory(pointers)
    }
    let parts = [
      Self.compressed(root, compression), metadata.isEmpty ? [] : Self.compressed(Array(metadata.utf8), compression), leaves,
      data,
    ]
    var header = Array("PMTiles".utf8) + [3]
    var offset = ArchiveHeader.size
    for part in parts {
      header += Self.little(UInt64(offset)) + Self.little(UInt64(part.count))
      offset += part.count
    }
    header += [UInt8](repeating: 0, count: 24)
    header += [1, UInt8(compression.rawValue), tileCompression ?? UInt8(compression.rawValue), kind, zooms.0, zooms.1]
    for degrees in [13.4, 45.4, 16.6, 46.9] { header += Self.little(UInt64(degrees * 1e7)).prefix(4) }
    header += [UInt8](repeating: 0, count: ArchiveHeader.size - header.count)
    return header + parts.flatMap(\.self)
  }

  static func directory(_ entries: [(tile: UInt64, offset: Int, length: Int, run: UInt64)]) -> [UInt8] {
    var bytes = varint(UInt64(entries.count))
    var tile: UInt64 = 0
    for entry in entries {
      bytes += varint(entry.tile - tile)
      tile = entry.tile
    }
    for entry in entries { bytes += varint(entry.run) }
    for entry in entries { bytes += varint(UInt64(entry.length)) }
    var end: Int?
    for entry in entries {
      bytes += varint(entry.offset == end ? 0 : UInt64(entry.offset + 1))
      end = entry.offset + entry.length
    }
    return bytes
  }

  static func varint(_ number: UInt64) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), number)
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func compressed(_ content: [UInt8], _ compression: TileCompression) -> [UInt8] {
    switch compression {
    case .none: return content
    case .gzip:
      var stream = z_stream()
      deflateInit2_(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      defer { deflateEnd(&stream) }
      var (input, output) = (content, [UInt8](repeating: 0, count: content.count * 2 + 100))
      return input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
          (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
          (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
          deflate(&stream, Z_FINISH)
          return Array(target.prefix(Int(stream.total_out)))
        }
      }
    case .zstd:
      var output = [UInt8](repeating: 0, count: ZSTD_compressBound(content.count))
      let count = ZSTD_compress(&output, output.count, content, content.count, 3)
      return Array(output.prefix(count))
    }
  }

  private static func little(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
}

/// A byte source in memory.
struct ArrayBytes: ByteSource {
  let bytes: [UInt8]
  var count: Int { bytes.count }

  func bytes(in range: Range<Int>) throws(TileArchiveError) -> [UInt8] {
    guard range.upperBound <= bytes.count else { throw .ended }
    return Array(bytes[range])
  }
}
