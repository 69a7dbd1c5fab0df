import Testing

@testable import GodwitTiles

@Suite("VectorTile")
struct VectorTileTests {
  /// A length-delimited field.
  private static func block(_ field: UInt64, _ content: [UInt8]) -> [UInt8] {
    ArchiveBuilder.varint(field << 3 | 2) + ArchiveBuilder.varint(UInt64(content.count)) + content
  }

  private static func feature(_ kind: UInt8, tags: [UInt8], geometry: [UInt8], id: UInt8 = 1) -> [UInt8] {
    block(2, [0x08, id] + block(2, tags) + [0x18, kind] + block(4, geometry))
  }

  private static func layer(_ name: String, _ parts: [UInt8], version: UInt8 = 2, extent: UInt64 = 4_096) -> [UInt8] {
    block(3, [0x78, version] + block(1, Array(name.utf8)) + parts + [0x28] + ArchiveBuilder.varint(extent))
  }

  /// The geometries of sections 4.3.5.2 and following of the specification, with the attributes of section 4.4.1.
  private static let example = layer("example", exampleFeatures + exampleKeys + exampleValues)

  private static let exampleFeatures = [
    feature(1, tags: [0, 0, 1, 1], geometry: [9, 50, 34]), feature(1, tags: [0, 2], geometry: [17, 10, 14, 3, 9]),
    feature(2, tags: [2, 3], geometry: [9, 4, 4, 18, 0, 16, 16, 0]),
    feature(2, tags: [2, 4], geometry: [9, 4, 4, 18, 0, 16, 16, 0, 9, 17, 17, 10, 4, 8]),
    feature(3, tags: [2, 5], geometry: [9, 6, 12, 18, 10, 12, 24, 44, 15]),
  ].flatMap(\.self)

  private static let exampleKeys = ["hello", "h", "count"].flatMap { block(3, Array($0.utf8)) }

  private static let exampleValues = [
    block(1, Array("world".utf8)), [0x38, 1], block(1, Array("again".utf8)), [0x30, 3], [0x28, 0xE8, 0x07],
    [0x19, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F],
  ].flatMap { block(4, $0) }

  @Test("the example of the specification has its points, lines and rings")
  func geometry() throws {
    let layer = try #require(try VectorTile(Self.example)["example"])
    let parts = try layer.features.map { try layer.parts(of: $0).map { $0.map { [$0.x, $0.y] } } }
    #expect(
      parts == [
        [[[25, 17]]], [[[5, 7]], [[3, 2]]], [[[2, 2], [2, 10], [10, 10]]],
        [[[2, 2], [2, 10], [10, 10]], [[1, 1], [3, 5]]],
        [[[3, 6], [8, 12], [20, 34]]],
      ])
    #expect(layer.features.map(\.kind) == [.point, .point, .line, .line, .polygon])
    #expect(layer.units == 4_096)
    #expect(layer.features.first?.id == 1)
  }

  @Test("attributes have the types of the format")
  func attributes() throws {
    let layer = try #require(try VectorTile(Self.example)["example"])
    let features = layer.features
    #expect(layer.value("hello", of: features[0]) == .text("world"))
    #expect(layer.value("h", of: features[0]) == .flag(true))
    #expect(layer.text("hello", of: features[1]) == "again")
    #expect(layer.value("count", of: features[2]) == .whole(-2))
    #expect(layer.value("count", of: features[3]) == .unsigned(1_000))
    #expect(layer.number("count", of: features[4]) == 1.5)
    #expect(layer.value("hello", of: features[2]) == nil)
    #expect(layer.value("absent", of: features[0]) == nil)
    #expect(layer.text("h", of: features[0]) == "")
  }

  private static let wrongCases: [([UInt8], VectorTileError)] = [
    (layer("a", [], version: 3), .version("a", 3)),
    (layer("a", [], extent: 0), .extent("a")),
    (layer("a", [], extent: 1 << 40), .extent("a")),
    ([0x1A, 200], .damaged),
    ([0x0B], .damaged),
    ([UInt8](repeating: 0xFF, count: 9) + [0x7F], .damaged),
  ]

  @Test("layers with an invalid version or extent, and invalid bytes, are errors", arguments: wrongCases)
  func wrong(bytes: [UInt8], error: VectorTileError) {
    #expect(throws: error) { try VectorTile(bytes) }
    #expect(!"\(error)".isEmpty)
  }

  @Test(
    "truncated geometries and unknown commands are errors",
    arguments: [[9, 50], [17, 10, 14], [18, 0, 16, 16, 0], [13, 2, 2], [0xF9, 0xFF, 0xFF, 0xFF, 0x0F, 1, 1], [0x80]] as [[UInt8]])
  func wrongGeometry(geometry: [UInt8]) throws {
    let tile = try VectorTile(Self.layer("a", Self.feature(2, tags: [], geometry: geometry)))
    let layer = try #require(tile["a"])
    #expect(throws: VectorTileError.geometry) { try layer.parts(of: layer.features[0]) }
  }

  @Test("tags with invalid indices are ignored")
  func wrongTags() throws {
    let parts = Self.feature(1, tags: [0, 9, 7], geometry: [9, 2, 2]) + Self.block(3, Array("k".utf8))
    let layer = try #require(try VectorTile(Self.layer("a", parts))["a"])
    #expect(layer.value("k", of: layer.features[0]) == nil)
  }

  @Test("a truncated or changed tile gives an error or another tile, and never crashes")
  func damage() {
    for length in 0..<Self.example.count { readAll(Array(Self.example.prefix(length))) }
    for index in Self.example.indices {
      for value in 0...255 as ClosedRange<UInt8> {
        var changed = Self.example
        changed[index] = value
        readAll(changed)
      }
    }
  }

  private func readAll(_ bytes: [UInt8]) {
    guard let tile = try? VectorTile(bytes) else { return }
    for layer in tile.layers {
      for feature in layer.features {
        _ = try? layer.parts(of: feature)
        for key in ["hello", "h", "count"] { _ = layer.value(key, of: feature) }
      }
    }
  }
}
