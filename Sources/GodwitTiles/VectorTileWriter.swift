/// Writes a vector tile (Mapbox Vector Tile, version 2.1): layers of features, which are points, lines or polygons with properties.
///
/// Coordinates are units of a square of 4096, from its northern and western edges. A geometry may extend beyond the edges.
package struct VectorTileWriter: Sendable {
  /// The units of a tile's width.
  package static let extent = 4096

  /// The bytes of the added layers: a complete tile.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Adds a layer. A layer without features is omitted, as the format requires.
  package mutating func add(_ layer: Layer) {
    guard !layer.isEmpty else { return }
    ProtobufWriter.bytes(3, layer.bytes, to: &bytes)
  }

  /// A position in a tile.
  package struct Point: Sendable, Hashable {
    package var x: Int32
    package var y: Int32

    package init(x: Int32, y: Int32) {
      self.x = x
      self.y = y
    }
  }

  /// The value of a property.
  package enum Value: Sendable, Hashable {
    case text(String)
    case number(Double)
    case integer(Int64)
    case flag(Bool)

    fileprivate var message: [UInt8] {
      var bytes: [UInt8] = []
      switch self {
      case .text(let text): ProtobufWriter.bytes(1, text.utf8, to: &bytes)
      case .number(let number): ProtobufWriter.double(3, number, to: &bytes)
      case .integer(let integer) where integer >= 0: ProtobufWriter.integer(5, UInt64(integer), to: &bytes)
      case .integer(let integer): ProtobufWriter.integer(6, ProtobufWriter.zigzag(integer), to: &bytes)
      case .flag(let flag): ProtobufWriter.integer(7, flag ? 1 : 0, to: &bytes)
      }
      return bytes
    }
  }

  /// A layer: features that share a table of keys and values.
  package struct Layer: Sendable {
    private let name: String
    private var features: [UInt8] = []
    private var keys: [String: UInt64] = [:]
    private var values: [Value: UInt64] = [:]
    private var tables: [UInt8] = []

    package init(_ name: String) { self.name = name }

    package var isEmpty: Bool { features.isEmpty }

    /// Adds a feature. A geometry without coordinates is ignored.
    /// - Parameters:
    ///   - geometry: the geometry of the feature.
    ///   - properties: the properties; each name at most once.
    package mutating func add(_ geometry: Geometry, _ properties: [(name: String, value: Value)] = []) {
      guard !geometry.isEmpty else { return }
      var tags: [UInt8] = []
      for (name, value) in properties {
        ProtobufWriter.varint(key(name), to: &tags)
        ProtobufWriter.varint(index(of: value), to: &tags)
      }
      var feature: [UInt8] = []
      feature.reserveCapacity(geometry.commands.count + tags.count + 12)
      if !tags.isEmpty { ProtobufWriter.bytes(2, tags, to: &feature) }
      ProtobufWriter.integer(3, geometry.kind.rawValue, to: &feature)
      ProtobufWriter.bytes(4, geometry.commands, to: &feature)
      ProtobufWriter.bytes(2, feature, to: &features)
    }

    private mutating func key(_ name: String) -> UInt64 {
      if let known = keys[name] { return known }
      let index = UInt64(keys.count)
      keys[name] = index
      ProtobufWriter.bytes(3, name.utf8, to: &tables)
      return index
    }

    private mutating func index(of value: Value) -> UInt64 {
      if let known = values[value] { return known }
      let index = UInt64(values.count)
      values[value] = index
      ProtobufWriter.bytes(4, value.message, to: &tables)
      return index
    }

    /// The encoded message of the layer.
    package var bytes: [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(size)
      ProtobufWriter.integer(15, 2, to: &bytes)
      ProtobufWriter.bytes(1, name.utf8, to: &bytes)
      bytes += features
      bytes += tables
      ProtobufWriter.integer(5, UInt64(VectorTileWriter.extent), to: &bytes)
      return bytes
    }

    /// The estimated length of the layer in a tile, at most 16 bytes too large.
    package var size: Int { features.count + tables.count + name.utf8.count + 20 }
  }
}
