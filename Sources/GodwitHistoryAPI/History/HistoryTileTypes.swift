internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitTiles

extension HistoryTileAPI {
  struct Parameters: ParameterList {
    let device: SeveralDevices
    let times: TimeRange
    let layers: LayerList

    static let notes: [String: JSONValue] = [
      "device": "Devices, each by a parameter of its own; without one all own devices.",
      "layers": "Layers, with commas between them.",
    ]
  }

  /// The parameter `device`, which may be repeated.
  struct SeveralDevices: ParameterValue {
    let names: [String]

    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      let names = query.all(name)
      guard names.count <= HistoryTile.maximumSources else {
        throw Problem(400, "Bad argument", "\(name): at most \(HistoryTile.maximumSources) devices are on one map.", at: name)
      }
      return Self(names: names)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      ["type": "array", "items": ["type": "string"], "maxItems": .integer(HistoryTile.maximumSources)]
    }
    static var sample: Self { Self(names: []) }
    static var absent: Self? { Self(names: []) }
    static let problems = [404]
  }

  /// The parameter `layers`.
  struct LayerList: ParameterValue {
    let layers: Set<HistoryTile.Layer>

    private init(layers: Set<HistoryTile.Layer>) { self.layers = layers }
    init(from decoder: any Decoder) throws { self = Self.sample }

    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      guard query.text(name) != nil else { return nil }
      var layers: Set<HistoryTile.Layer> = []
      for word in query.words(name) {
        guard let layer = HistoryTile.Layer(rawValue: word) else {
          let known = HistoryTile.Layer.allCases.map(\.rawValue).joined(separator: ", ")
          throw Problem(400, "Bad argument", "\(name): \"\(word)\" is no layer. Expected \(known).", at: name)
        }
        layers.insert(layer)
      }
      return Self(layers: layers)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "default": "lines"] }
    static var sample: Self { Self(layers: [.lines]) }
    static var absent: Self? { sample }
  }

  /// A vector tile.
  enum TileContent: RawContent {
    static let mediaType = "application/vnd.mapbox-vector-tile"
    static func content(in components: SchemaComponents) -> JSONValue? {
      [mediaType: ["schema": ["type": "string", "format": "binary"]]]
    }
  }
}

extension TileCoordinate {
  /// The address of a tile: `zoom/column/row.mvt`.
  init?(address: String) {
    guard address.hasSuffix(".mvt") else { return nil }
    let parts = address.dropLast(4).split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    // "+1" and "01" are other addresses of the same tile.
    guard parts.count == 3, numbers.count == 3, zip(parts, numbers).allSatisfy({ $0 == String($1) }) else { return nil }
    self.init(zoom: numbers[0], column: numbers[1], row: numbers[2])
  }
}
