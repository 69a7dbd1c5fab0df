import Foundation
import Testing

@testable import GodwitTiles

@Suite("TileArchive")
struct TileArchiveTests {
  private func tile(_ zoom: Int, _ column: Int, _ row: Int) throws -> TileCoordinate {
    try #require(TileCoordinate(zoom: zoom, column: column, row: row))
  }

  @Test(
    "a tile has the number of the specification",
    arguments: [
      // The table of section 4.1, https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
      (0, 0, 0, UInt64(0)), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5), (12, 3423, 1763, 19_078_479),
    ])
  func number(zoom: Int, column: Int, row: Int, number: UInt64) throws {
    #expect(try tile(zoom, column, row).archiveNumber == number)
  }

  @Test("each number of a zoom level belongs to exactly one tile")
  func numbers() throws {
    for zoom in 0...5 {
      var numbers: Set<UInt64> = []
      for column in 0..<(1 << zoom) {
        for row in 0..<(1 << zoom) { numbers.insert(try tile(zoom, column, row).archiveNumber) }
      }
      let first = UInt64((0..<zoom).reduce(0) { $0 + (1 << (2 * $1)) })
      #expect(numbers == Set(first..<first + UInt64(1 << (2 * zoom))))
    }
  }

  /// 300 entries of the zoom levels 5 and 6, some of them with runs of two tiles.
  private static let entries = (0..<300).map { index in
    ArchiveBuilder.Entry(tile: 341 + UInt64(index) * 3, content: Array("tile \(index)".utf8), run: index % 5 == 0 ? 2 : 1)
  }

  @Test(
    "every tile is read back, from one directory and from leaves, with each compression",
    arguments: [nil, 7, 64] as [Int?], [TileCompression.none, .gzip, .zstd])
  func tiles(leafSize: Int?, compression: TileCompression) throws {
    let bytes = ArchiveBuilder(entries: Self.entries, leafSize: leafSize, compression: compression).bytes()
    let archive = try TileArchive(ArrayBytes(bytes: bytes))
    var found: [UInt64: String] = [:]
    for zoom in 4...6 {
      for column in 0..<(1 << zoom) {
        for row in 0..<(1 << zoom) {
          let place = try tile(zoom, column, row)
          guard let stored = try archive.tile(at: place) else { continue }
          #expect(stored.compression == compression)
          found[place.archiveNumber] = String(decoding: try stored.decompressed(), as: UTF8.self)
        }
      }
    }
    var expected: [UInt64: String] = [:]
    for entry in Self.entries {
      for step in 0..<entry.run { expected[entry.tile + step] = String(decoding: entry.content, as: UTF8.self) }
    }
    #expect(found == expected)
  }

  @Test("an archive has its zoom levels, its bounds, its attribution and its schema")
  func description() throws {
    let archive = try TileArchive(ArrayBytes(bytes: ArchiveBuilder(entries: Self.entries, zooms: (2, 14)).bytes()))
    #expect(archive.zooms == 2...14)
    #expect(archive.bounds == TileBounds(west: 13.4, south: 45.4, east: 16.6, north: 46.9))
    #expect(archive.metadata.attribution == "Somewhere")
    #expect(archive.metadata.schema == .protomaps)
    #expect(archive.kind == .vector)
  }

  @Test(
    "the layers of the metadata determine the schema",
    arguments: [
      (#"{"vector_layers":[{"id":"water"},{"id":"transportation"}]}"#, TileMetadata.Schema.openmaptiles),
      (#"{"vector_layers":[{"id":"roads"},{"id":"earth"}]}"#, .protomaps), (#"{"vector_layers":[{"id":"trees"}]}"#, .unknown),
      (#"{"json":"{\"vector_layers\":[{\"id\":\"water\"},{\"id\":\"transportation\"}]}"}"#, .openmaptiles), ("{}", .unknown),
      (#"{"vector_layers":7,"attribution":""}"#, .unknown), ("", .unknown),
    ])
  func schema(metadata: String, schema: TileMetadata.Schema) throws {
    let archive = try TileArchive(ArrayBytes(bytes: ArchiveBuilder(entries: [], metadata: metadata).bytes()))
    #expect(archive.metadata.schema == schema)
    #expect(archive.metadata.attribution == nil)
  }

  @Test("an archive of images has their kind and needs no compression")
  func images() throws {
    let builder = ArchiveBuilder(
      entries: [ArchiveBuilder.Entry(tile: 0, content: [1, 2, 3])], compression: .none, kind: 4, tileCompression: 0)
    let archive = try TileArchive(ArrayBytes(bytes: builder.bytes()))
    #expect(archive.kind == .webp)
    #expect(archive.kind.contentType == "image/webp")
    #expect(try archive.tile(at: tile(0, 0, 0))?.bytes == [1, 2, 3])
  }

  private static let wrongCases: [([UInt8], TileArchiveError)] = [
    (Array("not tiles at all".utf8), .notAnArchive),
    ([], .notAnArchive),
    ([0x50, 0x4D, 2, 0], .version(2)),
    (Array("PMTiles".utf8) + [UInt8](repeating: 4, count: 200), .version(4)),
    (Array("PMTiles".utf8) + [3], .ended),
    (ArchiveBuilder(entries: [], tileCompression: 3).bytes(), .compression(3)),
    (ArchiveBuilder(entries: [], kind: 9).bytes(), .kind(9)),
    (ArchiveBuilder(entries: [], zooms: (9, 3)).bytes(), .damaged("zoom levels 9 to 3; expected some of 0 to 22")),
    (ArchiveBuilder(entries: [], metadata: "[1]").bytes(), .damaged("its metadata is not a JSON object")),
  ]

  @Test("a file that cannot be used is rejected with the reason", arguments: wrongCases)
  func wrong(bytes: [UInt8], error: TileArchiveError) {
    #expect(throws: error) { try TileArchive(ArrayBytes(bytes: bytes)) }
    #expect("\(error)".hasPrefix("the file") || "\(error)".contains("format"))
  }

  @Test("a truncated or changed archive gives an error or other tiles, and never crashes")
  func damage() throws {
    let whole = ArchiveBuilder(entries: Array(Self.entries.prefix(40)), leafSize: 8, compression: .none).bytes()
    for length in 0..<whole.count { readAll(Array(whole.prefix(length))) }
    for index in whole.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] where whole[index] != value {
        var changed = whole
        changed[index] = value
        readAll(changed)
      }
    }
  }

  private func readAll(_ bytes: [UInt8]) {
    guard let archive = try? TileArchive(ArrayBytes(bytes: bytes)) else { return }
    for row in 0..<32 {
      if let place = TileCoordinate(zoom: 5, column: 3, row: row) { _ = try? archive.tile(at: place)?.decompressed() }
    }
  }

  @Test("invalid directories are errors")
  func directories() {
    let cases: [([UInt8], String)] = [
      ([200, 1], "a directory is shorter than its count"), ([2, 5, 0, 1, 1, 1, 1, 1, 1], "the order of a directory"),
      ([1, 5, 1, 0, 1], "a length in a directory"), ([1, 5, 1, 9, 0], "the first offset of a directory"),
      ([1, 5, 1, 0x80, 0x80, 0x80], "a number of a directory"),
    ]
    for (bytes, reason) in cases {
      #expect(throws: TileArchiveError.damaged(reason)) { try ArchiveDirectory(bytes) }
    }
  }

  @Test("a directory with more entries than the limit is an error before memory is allocated")
  func manyEntries() throws {
    let count = TileArchive.Limits.entries + 1
    let bytes = ArchiveBuilder.varint(UInt64(count)) + [UInt8](repeating: 1, count: 4 * count)
    #expect(throws: TileArchiveError.tooLarge("a directory")) { try ArchiveDirectory(bytes) }
    #expect(try ArchiveDirectory([2] + [UInt8](repeating: 1, count: 8)).entries.count == 2)
  }

  @Test("data that decompresses to more than its limit is an error", arguments: [TileCompression.none, .gzip, .zstd])
  func limit(compression: TileCompression) throws {
    let content = [UInt8](repeating: 7, count: 100_000)
    let stored = ArchiveBuilder.compressed(content, compression)
    #expect(try compression.decompressed(stored, limit: 100_000, part: "it") == content)
    #expect(throws: TileArchiveError.tooLarge("it")) { try compression.decompressed(stored, limit: 99_999, part: "it") }
  }

  @Test("compressed data with any byte changed is an error or other data", arguments: [TileCompression.gzip, .zstd])
  func damagedData(compression: TileCompression) {
    let stored = ArchiveBuilder.compressed(Array("A tile of some words, and of some words again, some words.".utf8), compression)
    for index in stored.indices {
      for value in [0, 0xFF] as [UInt8] {
        var changed = stored
        changed[index] = value
        if let other = try? compression.decompressed(changed, limit: 1_000, part: "it") { #expect(other.count <= 1_000) }
      }
      #expect(throws: TileArchiveError.self) { try compression.decompressed(Array(stored[..<index]), limit: 1_000, part: "it") }
    }
  }

  @Test("an archive is read from a file; a missing file, a folder and a truncated file are errors")
  func file() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tiles-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = ArchiveBuilder(entries: Self.entries, leafSize: 16).bytes()
    let path = folder.appendingPathComponent("a.pmtiles").path
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let archive = try TileArchive(FileBytes(path: path))
    #expect(try archive.tile(at: tile(5, 0, 0))?.decompressed() == Array("tile 0".utf8))
    #expect(throws: TileArchiveError.unreadable("No such file or directory")) { try FileBytes(path: path + "x") }
    #expect(throws: TileArchiveError.unreadable("it is not a file")) { try FileBytes(path: folder.path) }
    let source = try FileBytes(path: path)
    try Data(bytes.prefix(200)).write(to: URL(fileURLWithPath: path), options: [])
    #expect(throws: TileArchiveError.ended) { try source.bytes(in: bytes.count - 5..<bytes.count + 1) }
  }
}
