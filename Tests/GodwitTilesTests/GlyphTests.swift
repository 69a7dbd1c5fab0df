import Foundation
import GodwitResources
import Testing

@testable import GodwitTiles

@Suite("Glyphs of the map")
struct GlyphTests {
  /// A glyph in the format of https://github.com/mapbox/node-fontnik/blob/master/proto/glyphs.proto.
  private struct Glyph {
    var id: UInt64 = 0
    var bitmap: [UInt8] = []
    var width: UInt64 = 0
    var height: UInt64 = 0
    var left: Int64 = 0
    var top: Int64 = 0
    var advance: UInt64 = 0

    init(_ bytes: [UInt8]) throws {
      var reader = ProtobufReader(bytes)
      while let (field, value) = try reader.next() {
        switch (field, value) {
        case (1, .number(let number)): id = number
        case (2, .range(let range)): bitmap = Array(bytes[range])
        case (3, .number(let number)): width = number
        case (4, .number(let number)): height = number
        case (5, .number(let number)): left = ProtobufReader.signed(number)
        case (6, .number(let number)): top = ProtobufReader.signed(number)
        case (7, .number(let number)): advance = number
        default: Issue.record("field \(field)")
        }
      }
    }
  }

  /// The font stack of a file: its name, its range and its glyphs.
  private static func stack(_ weight: String, _ range: String) throws -> (name: String, range: String, glyphs: [UInt64: Glyph]) {
    let stored = Array(EmbeddedFiles.world["CResources/World/Fonts/NotoSans-\(weight)-\(range).pbf.gz"])
    let bytes = try TileCompression.gzip.decompressed(stored, limit: 1 << 20, part: "the letters")
    var outer = ProtobufReader(bytes)
    guard case (1, .range(let whole))? = try outer.next() else { throw VectorTileError.damaged }
    var (name, span, glyphs) = ("", "", [UInt64: Glyph]())
    var reader = ProtobufReader(bytes, in: whole)
    while let (field, value) = try reader.next() {
      guard case .range(let part) = value else { throw VectorTileError.damaged }
      switch field {
      case 1: name = String(decoding: bytes[part], as: UTF8.self)
      case 2: span = String(decoding: bytes[part], as: UTF8.self)
      default:
        let glyph = try Glyph(Array(bytes[part]))
        glyphs[glyph.id] = glyph
      }
    }
    return (name, span, glyphs)
  }

  @Test("the capital A of Noto Sans has the expected metrics and bitmap")
  func metrics() throws {
    let (name, range, glyphs) = try Self.stack("Regular", "0-255")
    #expect(name == "Noto Sans Regular")
    #expect(range == "0-255")
    let capitalA = try #require(glyphs[0x41])
    // 639 of 1,000 units of the em wide, the height of capitals 714, the ascender 1,069: at 24 pixels 15.3, 17.1 and 25.7.
    #expect(capitalA.advance == 15)
    #expect(capitalA.height == 18)
    #expect(capitalA.width == 16)
    #expect(capitalA.left == 0)
    #expect(capitalA.top == 18 - 26)
    #expect(capitalA.bitmap.count == (16 + 6) * (18 + 6))
    // The outline is at 255 − 256 · 0.25 = 191: the apex is inside, the gap below the bar and a corner are outside.
    let value = { (x: Int, y: Int) in capitalA.bitmap[y * 22 + x] }
    #expect(value(10, 5) > 191)
    #expect(value(10, 20) < 64)
    #expect(value(0, 0) == 0)
    #expect(glyphs[0x20]?.advance == 6)
    #expect(glyphs[0x20]?.bitmap == [])
  }

  @Test("bold glyphs are wider, and each weight has every range", arguments: ["Regular", "Bold"])
  func ranges(weight: String) throws {
    for start in [0, 256, 512, 768, 1024, 1280, 1536, 4096, 7680, 8192, 8448] {
      let (name, range, glyphs) = try Self.stack(weight, "\(start)-\(start + 255)")
      #expect(name == "Noto Sans \(weight)")
      #expect(range == "\(start)-\(start + 255)")
      #expect(!glyphs.isEmpty)
      for (id, glyph) in glyphs {
        #expect(UInt64(start)...UInt64(start + 255) ~= id)
        let hasPicture = glyph.width > 0
        #expect(
          glyph.bitmap.count == (hasPicture ? Int((glyph.width + 6) * (glyph.height + 6)) : 0), "U+\(String(id, radix: 16))")
      }
    }
    let regular = try Self.stack("Regular", "0-255").glyphs[0x6D]?.advance ?? 0
    let bold = try Self.stack("Bold", "0-255").glyphs[0x6D]?.advance ?? 0
    #expect(bold >= regular)
  }

  @Test("every character of the names in the tiles has a glyph")
  func names() throws {
    let archive = try World.archive("names")
    var used: Set<UInt32> = []
    for number in 0..<64 {
      let place = try #require(TileCoordinate(zoom: 3, column: number & 7, row: number >> 3))
      guard let stored = try archive.tile(at: place) else { continue }
      for layer in try VectorTile(stored.decompressed()).layers {
        for feature in layer.features { used.formUnion(layer.text("name", of: feature).unicodeScalars.map(\.value)) }
      }
    }
    #expect(used.count > 60)
    var known: [UInt32: Set<UInt64>] = [:]
    for scalar in used {
      let start = scalar & ~0xFF
      if known[start] == nil { known[start] = Set(try Self.stack("Regular", "\(start)-\(start + 255)").glyphs.keys) }
      #expect(known[start]?.contains(UInt64(scalar)) == true, "U+\(String(scalar, radix: 16))")
    }
  }
}
