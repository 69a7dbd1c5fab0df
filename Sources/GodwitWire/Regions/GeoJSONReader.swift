internal import GodwitModel
internal import GodwitText

/// Reads the regions of a GeoJSON document.
struct GeoJSONReader {
  typealias Fault = JSONReader.Fault

  private let defaultRadius: Meters?
  private var collector: RegionCollector
  private var members = ForeignMemberReader()

  /// - Parameters:
  ///   - defaultRadius: the radius in metres of points without a radius; `nil` to reject them.
  ///   - limits: the maximum size and number of regions.
  init(defaultRadius: Meters?, limits: RegionFileLimits) {
    self.defaultRadius = defaultRadius
    collector = RegionCollector(format: RegionGeoJSON.format, limits: limits)
  }

  /// Reads a feature collection, a feature, or a geometry.
  mutating func document(from json: inout JSONReader) throws(Fault) -> RegionImport {
    guard json.peek() == UInt8(ascii: "{") else { throw json.syntax("expected a GeoJSON object") }
    let object = try GeoJSONObject(from: &json)
    let end = json.position
    if let crs = object.crs { try Self.check(crs: crs, of: json) }
    if object.type == "FeatureCollection" {
      guard let features = object.features else {
        throw json.unexpected("there are no features", at: object.start, path: ".features")
      }
      json.position = features
      try readFeatures(from: &json)
    } else {
      try read(object, of: json, path: nil)
    }
    json.position = end
    return collector.found
  }

  private mutating func readFeatures(from json: inout JSONReader) throws(Fault) {
    try json.forEachElement(path: ".features") { (json, index) throws(Fault) in
      let feature = try GeoJSONObject(from: &json)
      guard feature.type == "Feature" else {
        throw json.unexpected("expected a Feature", at: feature.start, path: ".type")
      }
      try read(feature, of: json, path: "features[\(index)]")
    }
  }

  /// Checks the coordinate system, which documents could declare before RFC 7946.
  private static func check(crs place: Int, of json: JSONReader) throws(Fault) {
    var ahead = json
    ahead.position = place
    let text = ahead.verbatim(try ahead.skipValue())
    guard ["CRS84", "4326"].contains(where: { text.contains($0) }) else {
      throw json.unexpected("the coordinates are in another system than WGS 84; convert them first", at: place, path: ".crs")
    }
  }

  /// Reads a feature or a geometry.
  private mutating func read(_ object: GeoJSONObject, of json: JSONReader, path: String?) throws(Fault) {
    var ahead = json
    var foreign = RegionImporter()
    let geometry: RegionImporter.Geometry
    if object.type == "Feature" {
      if let properties = object.properties {
        ahead.position = properties
        do throws(Fault) {
          // The id of the feature takes precedence over an id in its properties.
          try members.readObject(from: &ahead, into: &foreign, hasID: object.id != nil)
        } catch { throw error.below(".properties") }
      }
      if let id = object.id {
        ahead.position = id
        do throws(Fault) { foreign.id = try ahead.word(RegionValues.id) } catch { throw error.below(".id") }
      }
      if let place = object.geometry {
        ahead.position = place
        do throws(Fault) { geometry = try RegionImporter.Geometry(geoJSON: &ahead) } catch { throw error.below(".geometry") }
      } else {
        geometry = .none
      }
    } else {
      geometry = try RegionImporter.Geometry(object, of: ahead)
    }
    let place = FormatError.Place(byte: object.start, path: path)
    switch foreign.region(geometry, defaultRadius: defaultRadius) {
    case .skip(let reason): collector.skip(reason, at: place)
    case .refuse(let reason, let member):
      throw json.unexpected(reason, at: object.start, path: ".properties" + (member.isEmpty ? "" : ".\(member)"))
    case .region(let region, let isDerived):
      if let reason = collector.add(region, isDerived: isDerived, at: place) {
        throw json.unexpected(reason, at: object.start, path: ".id")
      }
    }
  }
}

/// An object of GeoJSON: its type, and the offsets of the values of its members that are not `null`.
private struct GeoJSONObject {
  let start: Int
  let type: String
  private(set) var features, crs, geometry, properties, id, coordinates: Int?

  private enum Member: Int, KnownMember {
    case type, features, crs, geometry, properties, id, coordinates
    static let names: [StaticString] = ["type", "features", "crs", "geometry", "properties", "id", "coordinates"]
  }

  /// Reads the next object.
  init(from json: inout JSONReader) throws(JSONReader.Fault) {
    guard try json.kind() == .object else { throw json.unexpected("expected an object", at: json.position) }
    start = json.position
    json.position += 1
    var type: String?
    if !json.isEmpty(closing: UInt8(ascii: "}")) {
      repeat {
        let key = try json.key()
        let kind = try json.kind()
        let place = kind == .null ? nil : json.position
        switch Member(key, in: json) {
        case .type where kind == .string && json.matches(key, "type"):
          type = json.decoded(try json.string())
          continue
        case .features: features = place
        case .crs: crs = place
        case .geometry: geometry = place
        case .properties: properties = place
        case .id: id = place
        case .coordinates: coordinates = place
        case .type, nil: break
        }
        try json.skipValue()
      } while try json.hasMore(closing: UInt8(ascii: "}"))
    }
    guard let type else { throw json.unexpected("there is no type", at: start, path: ".type") }
    self.type = type
  }
}

extension RegionImporter.Geometry {
  /// Reads the next geometry.
  fileprivate init(geoJSON json: inout JSONReader) throws(JSONReader.Fault) {
    let object = try GeoJSONObject(from: &json)
    try self.init(object, of: json)
  }

  /// - Parameters:
  ///   - object: the geometry.
  ///   - json: its text.
  fileprivate init(_ object: GeoJSONObject, of json: JSONReader) throws(JSONReader.Fault) {
    let type = object.type
    guard ["Point", "Polygon", "MultiPolygon"].contains(type) else {
      guard ["LineString", "MultiLineString", "MultiPoint", "GeometryCollection"].contains(type) else {
        throw json.unexpected(
          "\(type.prefix(40).debugDescription) is not a geometry of GeoJSON", at: object.start, path: ".type")
      }
      self = .other(type)
      return
    }
    guard let place = object.coordinates else {
      throw json.unexpected("there are no coordinates", at: object.start, path: ".coordinates")
    }
    var ahead = json
    ahead.position = place
    do throws(JSONReader.Fault) {
      let reader = PolygonReader(isClosed: true)
      switch type {
      case "Point": self = .point(try Coordinate(position: &ahead))
      case "Polygon":
        let polygon = try reader.polygon(from: &ahead)
        self = MultiPolygon([Winding.standard(polygon)]).map { .area($0) } ?? .none
      default:
        let area = try reader.polygons(from: &ahead)
        self = .area(MultiPolygon(area.polygons.map { Winding.standard($0) }) ?? area)
      }
    } catch { throw error.below(".coordinates") }
  }
}
