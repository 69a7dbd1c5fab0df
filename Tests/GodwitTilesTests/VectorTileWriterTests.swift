import GodwitTiles
import TestTiles
import Testing

@Suite("VectorTileWriter")
struct VectorTileWriterTests {
  private typealias Point = VectorTileWriter.Point
  private typealias Geometry = VectorTileWriter.Geometry

  private static func points(_ pairs: [(Int32, Int32)]) -> [Point] { pairs.map { Point(x: $0.0, y: $0.1) } }

  /// The content of the field `geometry` in a tile of one feature without properties.
  private static func commands(_ geometry: Geometry) throws -> [UInt8] {
    var layer = VectorTileWriter.Layer("")
    layer.add(geometry)
    // After version, name and the feature's header: its kind and then its geometry.
    let bytes = layer.bytes
    let start = try #require(bytes.firstRange(of: [0x18, UInt8(geometry.kind.rawValue), 0x22])?.upperBound)
    return Array(bytes[(start + 1)..<(start + 1 + Int(bytes[start]))])
  }

  @Test("geometries have the bytes of the examples in the specification (4.3.5)")
  func examples() throws {
    #expect(try Self.commands(Geometry(points: Self.points([(25, 17)]))) == [9, 50, 34])
    #expect(try Self.commands(Geometry(points: Self.points([(5, 7), (3, 2)]))) == [17, 10, 14, 3, 9])
    var line = Geometry(.lines)
    line.line(Self.points([(2, 2), (2, 10), (10, 10)]))
    #expect(try Self.commands(line) == [9, 4, 4, 18, 0, 16, 16, 0])
    line.line(Self.points([(1, 1), (3, 5)]))
    #expect(try Self.commands(line) == [9, 4, 4, 18, 0, 16, 16, 0, 9, 17, 17, 10, 4, 8])
    var polygon = Geometry(.polygons)
    polygon.polygon(Self.points([(3, 6), (8, 12), (20, 34)]))
    #expect(try Self.commands(polygon) == [9, 6, 12, 18, 10, 12, 24, 44, 15])
  }

  @Test("a tile has the bytes of the specification")
  func golden() {
    var layer = VectorTileWriter.Layer("a")
    layer.add(Geometry(points: Self.points([(25, 17)])), [("n", .integer(3)), ("s", .text("é"))])
    layer.add(Geometry(points: Self.points([(1, 1)])), [("n", .integer(-1)), ("b", .flag(true))])
    var tile = VectorTileWriter()
    tile.add(layer)
    #expect(
      tile.bytes == [
        0x1A, 65, 0x78, 2, 0x0A, 1, 0x61,
        0x12, 13, 0x12, 4, 0, 0, 1, 1, 0x18, 1, 0x22, 3, 9, 50, 34,
        0x12, 13, 0x12, 4, 0, 2, 2, 3, 0x18, 1, 0x22, 3, 9, 2, 2,
        0x1A, 1, 0x6E, 0x22, 2, 0x28, 3, 0x1A, 1, 0x73, 0x22, 4, 0x0A, 2, 0xC3, 0xA9,
        0x22, 2, 0x30, 1, 0x1A, 1, 0x62, 0x22, 2, 0x38, 1, 0x28, 0x80, 0x20,
      ])
  }

  @Test("tiles round-trip through an independent decoder", arguments: 1...20 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = Numbers(state: seed)
    var layer = VectorTileWriter.Layer("layer \(seed)")
    var expected: [DecodedTile.Feature] = []
    for _ in 0..<40 {
      let (geometry, feature) = Self.feature(&random)
      layer.add(geometry, Self.properties(feature))
      if !feature.parts.isEmpty { expected.append(feature) }
    }
    var writer = VectorTileWriter()
    writer.add(layer)
    writer.add(VectorTileWriter.Layer("empty"))
    #expect(layer.bytes.count...layer.bytes.count + 16 ~= layer.size)
    let tile = try DecodedTile(writer.bytes)
    #expect(tile.layers.map(\.name) == ["layer \(seed)"])
    #expect(tile.layers.first.map { [$0.version, $0.extent] } == [2, 4096])
    let features = tile["layer \(seed)"]
    try #require(features.count == expected.count)
    for (read, written) in zip(features, expected) {
      #expect(read.kind == written.kind && read.parts == written.parts && read.properties == written.properties)
    }
  }

  private static func properties(_ feature: DecodedTile.Feature) -> [(name: String, value: VectorTileWriter.Value)] {
    feature.properties.sorted { $0.key < $1.key }.map { name, text in
      if name == "flag" { return (name, .flag(text == "true")) }
      if name == "integer" { return (name, .integer(Int64(text) ?? 0)) }
      if name == "number" { return (name, .number(Double(text) ?? 0)) }
      return (name, .text(text))
    }
  }

  /// A random geometry, and the feature that a decoder must find.
  private static func feature(_ random: inout Numbers) -> (Geometry, DecodedTile.Feature) {
    var feature = DecodedTile.Feature(kind: [.points, .lines, .polygons][random.below(3)])
    if random.below(2) == 0 { feature.properties["integer"] = "\(Int64(bitPattern: random.next()) >> Int64(random.below(64)))" }
    if random.below(2) == 0 { feature.properties["number"] = "\(Double(random.below(1_000_000)) / 7)" }
    if random.below(2) == 0 { feature.properties["flag"] = "\(random.below(2) == 0)" }
    if random.below(2) == 0 { feature.properties["text \(random.below(5))"] = String(repeating: "ö", count: random.below(200)) }
    var geometry = Geometry(VectorTileWriter.Geometry.Kind(rawValue: feature.kind.rawValue) ?? .points)
    func points(_ count: Int) -> [Point] {
      // Some points are far outside, and points often repeat.
      (0..<count).map { _ in
        random.below(8) == 0
          ? Point(x: Int32(truncatingIfNeeded: random.next()), y: Int32(truncatingIfNeeded: random.next()))
          : Point(x: Int32(random.below(6)), y: Int32(random.below(6)))
      }
    }
    switch feature.kind {
    case .points:
      let all = points(random.below(30))
      geometry = Geometry(points: all)
      if !all.isEmpty { feature.parts = [all.map(Self.decoded)] }
    case .lines:
      for _ in 0..<random.below(5) {
        let line = points(random.below(10))
        geometry.line(line)
        guard let first = line.first else { continue }
        var steps = [first]
        for point in line where point != steps.last { steps.append(point) }
        if steps.count == 1 { steps.append(Point(x: first.x &+ 1, y: first.y)) }
        feature.parts.append(steps.map(Self.decoded))
      }
    case .polygons:
      for index in 0..<random.below(5) {
        // The expected order is clockwise on the screen; the writer reverses the others.
        let (x, y, size) = (Int32(random.below(4000)), Int32(random.below(4000)), Int32(1 + random.below(90)))
        let ring = [Point(x: x, y: y), Point(x: x + size, y: y), Point(x: x + size, y: y + size), Point(x: x, y: y + size)]
        geometry.polygon(index.isMultiple(of: 2) ? ring : ring.reversed() + [ring[3]])
        feature.parts.append(ring.map(Self.decoded))
        geometry.polygon([ring[0], ring[1], ring[0]])
      }
    }
    return (geometry, feature)
  }

  private static func decoded(_ point: Point) -> DecodedTile.Point { DecodedTile.Point(x: Int(point.x), y: Int(point.y)) }
}

/// A random number generator with the same sequence for the same seed.
struct Numbers {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
  }

  mutating func below(_ limit: Int) -> Int { Int(next() >> 33) % limit }
}
