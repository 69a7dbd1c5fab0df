internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
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

  struct ExploredParameters: ParameterList {
    let device: SeveralDevices
    let times: TimeRange
    let at: Position

    static let notes: [String: JSONValue] = [
      "device": "Devices, each by a parameter of its own; without one all own devices.",
      "at": "A position in the city: LATITUDE,LONGITUDE.",
    ]
  }

  /// A position as `46.05,14.5`.
  struct Position: ParameterValue {
    let latitude: Double
    let longitude: Double

    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      guard let text = query.text(name) else { return nil }
      let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
        Coordinate(latitude: latitude, longitude: longitude) != nil
      else { throw Problem(400, "Bad argument", "\(name)=\(text): expected LATITUDE,LONGITUDE, such as 46.05,14.5.", at: name) }
      return Self(latitude: latitude, longitude: longitude)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "example": "46.05,14.5"] }
    static var sample: Self { Self(latitude: 0, longitude: 0) }
    static func missing(_ name: String) -> Problem {
      Problem(400, "Bad argument", "\(name): missing; expected LATITUDE,LONGITUDE, such as 46.05,14.5.", at: name)
    }
  }

  /// The explored share of a city.
  struct Explored: ResultObject {
    @Nullable var city: String?
    @Nullable var countryCode: String?
    @Rounded0 var radius: Double
    var hexagons: Int
    var explored: Int
    @Rounded6 var share: Double

    static let schemaName: String? = "Explored"
    static let notes: [String: JSONValue] = [
      "city": "The largest town whose surroundings contain the position; null: none does.",
      "radius": "Of the surroundings, in metres.",
      "hexagons": [
        "minimum": 0,
        "description":
          "Those on land whose centre is in the surroundings; their radius is 245 m times the cosine of the latitude.",
      ],
      "explored": ["minimum": 0, "description": "Those of them that were passed, but for flights."],
      "share": ["minimum": 0, "maximum": 1],
    ]
  }

  /// The explored share of a country.
  struct CountryShare: ResultObject {
    @Nullable var country: String?
    @Nullable var countryCode: String?
    @Rounded0 var area: Double
    @Rounded1 var explored: Double
    @Rounded6 var share: Double

    static let schemaName: String? = "ExploredCountry"
    static let notes: [String: JSONValue] = [
      "country": "The English name; null: the position is at sea, or in a country whose area is not known.",
      "area": ["minimum": 0, "description": "Of the country with its lakes, square kilometres."],
      "explored": [
        "minimum": 0,
        "description":
          "Square kilometres of the hexagons that were passed, but for flights, and whose centre is in the country.",
      ],
      "share": ["minimum": 0, "maximum": 1],
    ]

    init() { (area, explored, share) = (0, 0, 0) }

    init(_ place: PlaceName, _ measured: ExploredCountry) {
      (country, countryCode) = (place.country, place.countryCode)
      (area, explored, share) = (measured.area, measured.explored, measured.share)
    }
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
  /// Parses the address of a tile, `zoom/column/row.mvt`.
  init?(address: String) {
    guard address.hasSuffix(".mvt") else { return nil }
    let parts = address.dropLast(4).split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    // "+1" and "01" would be other addresses of the same tile.
    guard parts.count == 3, numbers.count == 3, zip(parts, numbers).allSatisfy({ $0 == String($1) }) else { return nil }
    self.init(zoom: numbers[0], column: numbers[1], row: numbers[2])
  }
}
