/// A vector tile: layers of features, https://github.com/mapbox/vector-tile-spec/tree/master/2.1
///
/// Reading stores the bytes and the ranges of features; geometry and attributes are decoded on request.
package struct VectorTile: Sendable {
  /// The layers in the order of the tile.
  package let layers: [Layer]

  /// Parses a decompressed tile.
  /// - Throws: ``VectorTileError`` if the tile violates the format.
  package init(_ bytes: [UInt8]) throws(VectorTileError) {
    var layers: [Layer] = []
    var reader = ProtobufReader(bytes)
    do throws(ProtobufReader.Fault) {
      while let (field, value) = try reader.next() {
        if field == 3, case .range(let range) = value { layers.append(try Layer(bytes, in: range)) }
      }
    } catch {
      throw .damaged
    }
    for layer in layers {
      guard 1...2 ~= layer.version else { throw .version(layer.name, layer.version) }
      guard 1...Layer.largestExtent ~= layer.extent else { throw .extent(layer.name) }
    }
    self.layers = layers
  }

  /// The layer with a name; `nil` if the tile has none.
  package subscript(name: String) -> Layer? { layers.first { $0.name == name } }
}

/// An error: bytes are not a valid vector tile.
package enum VectorTileError: Error, Hashable, Sendable {
  /// The bytes are not messages of the format.
  case damaged
  /// A layer's version is neither 1 nor 2.
  case version(String, UInt64)
  /// A layer's extent is 0 or implausibly large.
  case extent(String)
  /// The commands of a geometry end too early or are unknown.
  case geometry
}

extension VectorTileError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damaged: "the tile is damaged"
    case .version(let layer, let version): "the tile's layer \"\(layer)\" has version \(version); expected 1 or 2"
    case .extent(let layer): "the tile's layer \"\(layer)\" has an impossible extent"
    case .geometry: "a geometry of the tile is damaged"
    }
  }
}

extension VectorTile {
  /// Features of one kind, such as towns, with shared keys and values.
  package struct Layer: Sendable {
    static let largestExtent: UInt64 = 1 << 20

    package private(set) var name = ""
    let version: UInt64
    let extent: UInt64
    /// The width and height of the tile in units.
    package var units: Int { Int(extent) }
    package let features: [Feature]
    let keys: [String]
    private let values: [Range<Int>]
    private let bytes: [UInt8]

    init(_ bytes: [UInt8], in range: Range<Int>) throws(ProtobufReader.Fault) {
      self.bytes = bytes
      var (features, keys, values): ([Feature], [String], [Range<Int>]) = ([], [], [])
      // The defaults of the specification.
      var (version, extent): (UInt64, UInt64) = (1, 4_096)
      var reader = ProtobufReader(bytes, in: range)
      while let (field, value) = try reader.next() {
        switch (field, value) {
        case (1, .range(let range)): name = String(decoding: bytes[range], as: UTF8.self)
        case (2, .range(let range)): features.append(try Feature(bytes, in: range))
        case (3, .range(let range)): keys.append(String(decoding: bytes[range], as: UTF8.self))
        case (4, .range(let range)): values.append(range)
        case (5, .number(let number)): extent = number
        case (15, .number(let number)): version = number
        default: break
        }
      }
      (self.features, self.keys, self.values) = (features, keys, values)
      (self.version, self.extent) = (version, extent)
    }
  }

  /// A feature: the ranges of its parts in the tile.
  package struct Feature: Sendable {
    package enum Kind: UInt64, Sendable {
      case unknown = 0
      case point = 1
      case line = 2
      case polygon = 3
    }

    /// The feature's id, if it has one.
    package private(set) var id: UInt64?
    package private(set) var kind = Kind.unknown
    let tags: Range<Int>
    let geometry: Range<Int>

    init(_ bytes: [UInt8], in range: Range<Int>) throws(ProtobufReader.Fault) {
      var (tags, geometry) = (0..<0, 0..<0)
      var reader = ProtobufReader(bytes, in: range)
      while let (field, value) = try reader.next() {
        switch (field, value) {
        case (1, .number(let number)): id = number
        case (2, .range(let range)): tags = range
        case (3, .number(let number)): kind = Kind(rawValue: number) ?? .unknown
        case (4, .range(let range)): geometry = range
        default: break
        }
      }
      (self.tags, self.geometry) = (tags, geometry)
    }
  }

  /// The value of an attribute.
  package enum Value: Sendable, Hashable {
    case text(String)
    case number(Double)
    case whole(Int64)
    case unsigned(UInt64)
    case flag(Bool)
  }

  /// A position in the units of a layer, from the north-western corner of the tile to the east and to the south. It may be outside the
  /// tile.
  package struct Point: Sendable, Hashable {
    package var x: Int
    package var y: Int

    package init(x: Int, y: Int) {
      self.x = x
      self.y = y
    }
  }
}

extension VectorTile.Layer {
  /// Returns the value of a feature's attribute; `nil` if the feature does not have it, or its value is damaged.
  package func value(_ key: String, of feature: VectorTile.Feature) -> VectorTile.Value? {
    guard let index = keys.firstIndex(of: key) else { return nil }
    var reader = ProtobufReader(bytes, in: feature.tags)
    while !reader.isAtEnd {
      guard let key = try? reader.varint(), let value = try? reader.varint() else { return nil }
      if key == UInt64(index) {
        guard value < UInt64(values.count) else { return nil }
        return self.value(in: values[Int(value)])
      }
    }
    return nil
  }

  /// Returns the text of a feature's attribute; empty if there is none.
  package func text(_ key: String, of feature: VectorTile.Feature) -> String {
    if case .text(let text) = value(key, of: feature) { text } else { "" }
  }

  /// Returns the number of a feature's attribute; 0 if there is none.
  package func number(_ key: String, of feature: VectorTile.Feature) -> Double {
    switch value(key, of: feature) {
    case .number(let number): number
    case .whole(let number): Double(number)
    case .unsigned(let number): Double(number)
    default: 0
    }
  }

  private func value(in range: Range<Int>) -> VectorTile.Value? {
    var reader = ProtobufReader(bytes, in: range)
    guard let (field, value) = try? reader.next() else { return nil }
    return switch (field, value) {
    case (1, .range(let range)): .text(String(decoding: bytes[range], as: UTF8.self))
    case (2, .fixed(let bits)): .number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    case (3, .fixed(let bits)): .number(Double(bitPattern: bits))
    case (4, .number(let number)): .whole(Int64(bitPattern: number))
    case (5, .number(let number)): .unsigned(number)
    case (6, .number(let number)): .whole(ProtobufReader.signed(number))
    case (7, .number(let number)): .flag(number != 0)
    default: nil
    }
  }

  /// Decodes the geometry of a feature: the points of each part. Each part of a point feature is one point; the parts of a polygon are
  /// rings, whose first point is not repeated.
  package func parts(of feature: VectorTile.Feature) throws(VectorTileError) -> [[VectorTile.Point]] {
    var parts: [[VectorTile.Point]] = []
    var reader = ProtobufReader(bytes, in: feature.geometry)
    // At most 2^30 steps of 2^31, so the sums do not overflow.
    var (x, y) = (0, 0)
    do throws(ProtobufReader.Fault) {
      while !reader.isAtEnd {
        let command = try reader.varint()
        let count = command >> 3
        switch command & 7 {
        case 1, 2:
          // Each step has at least two bytes.
          guard count <= UInt64(feature.geometry.count / 2), command & 7 == 1 || !parts.isEmpty else { throw .ended }
          for _ in 0..<count {
            x += Self.step(try reader.varint())
            y += Self.step(try reader.varint())
            let point = VectorTile.Point(x: x, y: y)
            if command & 7 == 1 { parts.append([point]) } else { parts[parts.count - 1].append(point) }
          }
        case 7: break
        default: throw .kind
        }
      }
    } catch {
      throw .geometry
    }
    return parts
  }

  private static func step(_ number: UInt64) -> Int { Int(ProtobufReader.signed(number & 0xFFFF_FFFF)) }
}
