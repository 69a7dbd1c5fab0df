/// The first 127 bytes of an archive (PMTiles 3, section 3): https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
struct ArchiveHeader: Sendable {
  static let size = 127

  let root: Range<Int>
  let metadata: Range<Int>
  let leaves: Range<Int>
  let tiles: Range<Int>
  let internalCompression: TileCompression
  let tileCompression: TileCompression
  let kind: TileKind
  let smallestZoom: Int
  let largestZoom: Int
  let bounds: TileBounds

  /// Parses a header.
  /// - Parameters:
  ///   - bytes: the first 127 bytes; fewer are an error.
  ///   - count: the number of bytes of the whole archive.
  init(_ bytes: [UInt8], count: Int) throws(TileArchiveError) {
    guard bytes.starts(with: "PMTiles".utf8) else {
      // Versions 1 and 2 begin with "PM" and the version number.
      guard bytes.starts(with: "PM".utf8), bytes.count > 3, 1...2 ~= bytes[2] else { throw .notAnArchive }
      throw .version(Int(bytes[2]))
    }
    guard bytes.count >= Self.size else { throw .ended }
    guard bytes[7] == 3 else { throw .version(Int(bytes[7])) }
    let fields = LittleEndian(bytes)
    root = try fields.range(at: 8, within: count)
    metadata = try fields.range(at: 24, within: count)
    leaves = try fields.range(at: 40, within: count)
    tiles = try fields.range(at: 56, within: count)
    internalCompression = try TileCompression(number: bytes[97])
    guard let kind = TileKind(rawValue: Int(bytes[99])) else { throw .kind(Int(bytes[99])) }
    self.kind = kind
    // Images are not compressed again; some writers set "unknown" (0).
    tileCompression = kind == .vector ? try TileCompression(number: bytes[98]) : .none
    (smallestZoom, largestZoom) = (Int(bytes[100]), Int(bytes[101]))
    guard smallestZoom <= largestZoom, largestZoom <= TileCoordinate.largestZoom else {
      throw .damaged("zoom levels \(smallestZoom) to \(largestZoom); expected some of 0 to \(TileCoordinate.largestZoom)")
    }
    bounds = TileBounds(
      west: fields.degrees(at: 102, within: 180), south: fields.degrees(at: 106, within: 90),
      east: fields.degrees(at: 110, within: 180), north: fields.degrees(at: 114, within: 90))
  }
}

/// The kind of the tiles of an archive, by its number in PMTiles.
package enum TileKind: Int, Sendable {
  case vector = 1
  case png = 2
  case jpeg = 3
  case webp = 4
  case avif = 5

  /// The media type of a tile.
  package var contentType: String {
    switch self {
    case .vector: "application/vnd.mapbox-vector-tile"
    case .png: "image/png"
    case .jpeg: "image/jpeg"
    case .webp: "image/webp"
    case .avif: "image/avif"
    }
  }
}

/// The area of an archive's tiles in degrees.
package struct TileBounds: Sendable, Hashable {
  package var west: Double
  package var south: Double
  package var east: Double
  package var north: Double
}

/// Little-endian numbers.
private struct LittleEndian {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// An offset and a length of eight bytes each, as a range.
  func range(at position: Int, within count: Int) throws(TileArchiveError) -> Range<Int> {
    let (offset, length) = (unsigned(at: position), unsigned(at: position + 8))
    let (end, overflow) = offset.addingReportingOverflow(length)
    guard !overflow, end <= UInt64(count) else { throw .ended }
    return Int(offset)..<Int(end)
  }

  /// Ten-millionths of a degree in four bytes, clamped to the valid range.
  func degrees(at position: Int, within limit: Double) -> Double {
    let number = bytes[position..<position + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return min(max(Double(Int32(bitPattern: number)) / 1e7, -limit), limit)
  }

  private func unsigned(at position: Int) -> UInt64 {
    bytes[position..<position + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
