/// A vector tile: layers of features, https://github.com/mapbox/vector-tile-spec/tree/master/2.1
///
/// Reading keeps the bytes and where each feature is in them; geometry and attributes are decoded when they are asked for.
package struct VectorTile: Sendable {
  /// In the order of the tile.
  package let layers: [Layer]

  /// Reads a tile that is decompressed.
  /// - Throws: ``VectorTileError`` if it contradicts the format.
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

/// What makes bytes no vector tile.
package enum VectorTileError: Error, Hashable, Sendable {
  /// The bytes are no messages of the format.
  case damaged
  /// A layer's version is neither 1 nor 2.
  case version(String, UInt64)
  /// A layer's extent is 0 or implausibly large.
  case extent(String)
  /// The commands of a geometry end too early, or are unknown.
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
  /// The features of one kind, such as towns, with the attributes that they share.
  package struct Layer: Sendable {
    static let largestExtent: UInt64 = 1 << 20

    package private(set) var name = ""
    let version: UInt64
    let extent: UInt64
    /// The units of the tile's width and height.
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

  /// A feature: where its parts are in the tile.
  package struct Feature: Sendable {
    package enum Kind: UInt64, Sendable {
      case unknown = 0
      case point = 1
      case line = 2
      case polygon = 3
    }

    /// The feature's number, if it has one.
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

  /// A place in the units of a layer, from the north-western corner of the tile to the east and to the south. It may be beyond the tile.
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
  /// The value of an attribute of a feature; `nil` if the feature has none of that name, or its value is damaged.
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

  /// The text of an attribute of a feature; empty without one.
  package func text(_ key: String, of feature: VectorTile.Feature) -> String {
    if case .text(let text) = value(key, of: feature) { text } else { "" }
  }

  /// The number of an attribute of a feature; 0 without one.
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

  /// Decodes the geometry of a feature: the points of each part. A point's parts have one point each, a polygon's are rings whose last
  /// point is not repeated.
  package func parts(of feature: VectorTile.Feature) throws(VectorTileError) -> [[VectorTile.Point]] {
    var parts: [[VectorTile.Point]] = []
    var reader = ProtobufReader(bytes, in: feature.geometry)
    // 2^30 steps of 2^31 at most: the sums fit.
    var (x, y) = (0, 0)
    do throws(ProtobufReader.Fault) {
      while !reader.isAtEnd {
        let command = try reader.varint()
        let count = command >> 3
        switch command & 7 {
        case 1, 2:
          // Each step has two bytes at least.
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
