internal import Synchronization

/// An archive of map tiles (PMTiles version 3): a file, or memory inside the executable.
///
/// The header and the root directory are read at opening; leaf directories and tiles are read on request. Several threads may read at the
/// same time; they share a small cache of leaf directories.
package final class TileArchive: Sendable {
  /// Maximum sizes of parts in bytes. A larger part is an error, so that a damaged or hostile file cannot exhaust memory.
  package enum Limits {
    /// A directory as stored. The specification limits the root to 16 KiB; leaves of planet files have some 100 KiB.
    package static let directory = 16 << 20
    package static let decompressedDirectory = 64 << 20
    /// The metadata, decompressed.
    package static let metadata = 8 << 20
    /// A tile as stored. Tiles of streets have at most 0.5 MB.
    package static let tile = 16 << 20
    package static let decompressedTile = 64 << 20
    /// Maximum directories on the path to a tile; writers use two.
    static let depth = 4
    /// Entries of a directory. Leaves of planet files have some 10,000.
    package static let entries = 1 << 20
    /// Maximum entries of all cached leaf directories; an entry takes 32 bytes.
    static let cachedEntries = 1 << 20
  }

  /// A tile as the archive stores it.
  package struct StoredTile: Sendable {
    package let bytes: [UInt8]
    package let compression: TileCompression

    /// Returns the decompressed content of the tile.
    package func decompressed() throws(TileArchiveError) -> [UInt8] {
      try compression.decompressed(bytes, limit: Limits.decompressedTile, part: "a tile")
    }
  }

  private struct LeafCache {
    var leaves: [Range<Int>: (directory: ArchiveDirectory, use: UInt64)] = [:]
    var uses: UInt64 = 0
    /// The entries of all leaves.
    var entries = 0

    mutating func store(_ leaf: ArchiveDirectory, at range: Range<Int>) {
      guard leaves[range] == nil else { return }
      entries += leaf.entries.count
      while entries > Limits.cachedEntries, let oldest = leaves.min(by: { $0.value.use < $1.value.use }) {
        leaves[oldest.key] = nil
        entries -= oldest.value.directory.entries.count
      }
      leaves[range] = (leaf, uses)
    }
  }

  private let source: any ByteSource
  private let header: ArchiveHeader
  private let root: ArchiveDirectory
  private let cache = Mutex(LeafCache())
  /// The metadata of the archive.
  package let metadata: TileMetadata

  /// Opens an archive.
  /// - Throws: the reason why the archive cannot be served.
  package init(_ source: any ByteSource) throws(TileArchiveError) {
    self.source = source
    header = try ArchiveHeader(source.bytes(in: 0..<min(ArchiveHeader.size, source.count)), count: source.count)
    root = try Self.directory(at: header.root, of: source, header)
    guard header.metadata.count <= Limits.metadata else { throw .tooLarge("the metadata") }
    let stored = try source.bytes(in: header.metadata)
    let text =
      stored.isEmpty
      ? [] : try header.internalCompression.decompressed(stored, limit: Limits.metadata, part: "the metadata")
    metadata = try TileMetadata(json: text)
  }

  /// Vector tiles, or images of one kind.
  package var kind: TileKind { header.kind }
  /// The zoom levels of the archive.
  package var zooms: ClosedRange<Int> { header.smallestZoom...header.largestZoom }
  /// The area of the archive.
  package var bounds: TileBounds { header.bounds }

  /// Reads a tile; `nil` if the archive does not have it.
  package func tile(at place: TileCoordinate) throws(TileArchiveError) -> StoredTile? {
    guard zooms.contains(place.zoom) else { return nil }
    let number = place.archiveNumber
    var directory = root
    for _ in 0..<Limits.depth {
      guard let entry = directory.entry(of: number) else { return nil }
      guard entry.run == 0 else {
        guard entry.length <= Limits.tile else { throw .tooLarge("a tile") }
        return StoredTile(
          bytes: try source.bytes(in: try Self.range(of: entry, in: header.tiles)), compression: header.tileCompression)
      }
      directory = try leaf(at: try Self.range(of: entry, in: header.leaves))
    }
    throw .damaged("directories below directories without an end")
  }

  private func leaf(at range: Range<Int>) throws(TileArchiveError) -> ArchiveDirectory {
    let known = cache.withLock { cache in
      cache.uses += 1
      cache.leaves[range]?.use = cache.uses
      return cache.leaves[range]?.directory
    }
    if let known { return known }
    let leaf = try Self.directory(at: range, of: source, header)
    cache.withLock { $0.store(leaf, at: range) }
    return leaf
  }

  private static func directory(
    at range: Range<Int>, of source: any ByteSource, _ header: ArchiveHeader
  ) throws(TileArchiveError) -> ArchiveDirectory {
    guard range.count <= Limits.directory else { throw .tooLarge("a directory") }
    let stored = try source.bytes(in: range)
    return try ArchiveDirectory(
      header.internalCompression.decompressed(stored, limit: Limits.decompressedDirectory, part: "a directory"))
  }

  /// The range of an entry in the file, within its section.
  private static func range(of entry: ArchiveDirectory.Entry, in section: Range<Int>) throws(TileArchiveError) -> Range<Int> {
    guard entry.offset <= UInt64(section.count), entry.length <= section.count - Int(entry.offset) else { throw .ended }
    let start = section.lowerBound + Int(entry.offset)
    return start..<start + entry.length
  }
}
