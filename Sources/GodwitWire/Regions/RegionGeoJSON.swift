public import GodwitModel
public import GodwitText

/// Regions as a GeoJSON feature collection (RFC 7946).
///
/// A Point with the property `radius` (metres) is a circle; a Polygon or MultiPolygon is what it is; a feature with the property
/// `uuid` (and `major`, `minor`) and no radius is a beacon, its Point the place where it was put up. `name` or `title`, `tags` (an
/// array, or a text with commas), `dwell` and `schedule` are properties too; what is not known is kept in the region's extras and
/// written again. Rings are turned the way the standard asks for.
public enum RegionGeoJSON {
  static let format = "GeoJSON"

  /// Reads a feature collection, a feature, or a geometry alone. What is no region, such as a line, is passed over.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - defaultRadius: metres, of points without a radius; `nil`: they are refused.
  ///   - limits: how much there may be.
  /// - Throws: `FormatError` with the byte and the path: `features[3].geometry.coordinates[0][7]`.
  public static func read(
    _ bytes: consuming [UInt8], defaultRadius: Meters? = nil, limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> RegionImport {
    try limits.check(bytes, format: format)
    return try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in
      var collector = RegionCollector(format: format, limits: limits)
      try reader.geoJSON(into: &collector, defaultRadius: defaultRadius)
      return collector.found
    }
  }

  /// Appends a feature collection, one feature on a line.
  /// - Parameters:
  ///   - regions: what is written.
  ///   - bytes: what it is appended to.
  public static func write(_ regions: some Sequence<Region>, into bytes: inout [UInt8]) {
    JSONWriter.raw("{\"type\":\"FeatureCollection\",\"features\":[", to: &bytes)
    var isFirst = true
    for region in regions {
      JSONWriter.raw(isFirst ? "\n" : ",\n", to: &bytes)
      isFirst = false
      write(region, into: &bytes)
    }
    JSONWriter.raw("\n]}\n", to: &bytes)
  }

  private static func write(_ region: Region, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"type":"Feature","id":"#, to: &bytes)
    JSONWriter.string(region.id, to: &bytes)
    JSONWriter.raw(#","geometry":"#, to: &bytes)
    switch region.shape {
    case .circle(let circle): point(circle.center, into: &bytes)
    case .beacon(let beacon):
      if let place = beacon.place { point(place, into: &bytes) } else { JSONWriter.raw("null", to: &bytes) }
    case .polygons(let area):
      let polygons = area.polygons.map { Winding.standard($0) }
      if polygons.count == 1 {
        JSONWriter.raw(#"{"type":"Polygon","coordinates":"#, to: &bytes)
        RegionWriter.rings(polygons[0], isClosed: true, into: &bytes)
      } else {
        JSONWriter.raw(#"{"type":"MultiPolygon","coordinates":"#, to: &bytes)
        RegionWriter.list(polygons, into: &bytes) { RegionWriter.rings($0, isClosed: true, into: &$1) }
      }
      bytes.append(UInt8(ascii: "}"))
    }
    JSONWriter.raw(#","properties":{"name":"#, to: &bytes)
    JSONWriter.string(region.name, to: &bytes)
    switch region.shape {
    case .circle(let circle):
      JSONWriter.raw(#","radius":"#, to: &bytes)
      RegionWriter.number(circle.radius, into: &bytes)
    case .beacon(let beacon):
      bytes.append(UInt8(ascii: ","))
      RegionWriter.identity(beacon.identity, into: &bytes)
    case .polygons: break
    }
    RegionWriter.rest(region, into: &bytes)
    ExtrasMembers.write(region, beside: RegionImporter.names, into: &bytes)
    JSONWriter.raw("}}", to: &bytes)
  }

  private static func point(_ place: Coordinate, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"type":"Point","coordinates":"#, to: &bytes)
    RegionWriter.position(place, into: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }
}

/// Which way round rings go: by RFC 7946, 3.1.6, outer ones against the clock and holes with it.
enum Winding {
  static func standard(_ polygon: Polygon) -> Polygon {
    var rings = polygon.rings
    for (index, ring) in rings.enumerated() where (area(ring) < 0) != (index > 0) {
      rings[index] = [ring[0]] + ring[1...].reversed()
    }
    // The same area: the direction of a ring means nothing to it.
    return rings == polygon.rings ? polygon : (try? Polygon(outer: rings[0], holes: Array(rings[1...]))) ?? polygon
  }

  /// Twice the area on a plain map, unrolled where it crosses the antimeridian; more than 0 against the clock.
  private static func area(_ ring: [Coordinate]) -> Double {
    guard var last = ring.last else { return 0 }
    var sum = 0.0
    var east = 0.0
    for corner in ring {
      var step = corner.longitude - last.longitude
      if step > 180 { step -= 360 } else if step < -180 { step += 360 }
      // Latitudes from the first corner's, so that small rings keep their digits.
      let (north, before) = (corner.latitude - ring[0].latitude, last.latitude - ring[0].latitude)
      sum += east * north - (east + step) * before
      east += step
      last = corner
    }
    return sum
  }
}

extension RegionReader {
  mutating func geoJSON(into collector: inout RegionCollector, defaultRadius: Meters?) throws(Fault) {
    guard json.peek() == UInt8(ascii: "{") else { throw json.syntax("expected a GeoJSON object") }
    let start = json.position
    let (type, places) = try parts(["features", "crs"])
    if let crs = places[1] { try check(crs: crs) }
    guard type == "FeatureCollection" else {
      let end = json.position
      json.position = start
      try feature(type, into: &collector, defaultRadius: defaultRadius, path: nil)
      json.position = end
      return
    }
    guard let features = places[0] else { throw json.unexpected("there are no features", at: start, path: ".features") }
    let end = json.position
    json.position = features
    try elements(path: ".features") { (reader, index) throws(Fault) in
      let start = reader.json.position
      let (type, _) = try reader.parts([])
      let end = reader.json.position
      reader.json.position = start
      guard type == "Feature" else { throw reader.json.unexpected("expected a Feature", at: start, path: ".type") }
      try reader.feature(type, into: &collector, defaultRadius: defaultRadius, path: "features[\(index)]")
      reader.json.position = end
    }
    json.position = end
  }

  /// Passes an object. - Returns: its `type`, and where the values of some of its members stand.
  private mutating func parts(_ names: [StaticString]) throws(Fault) -> (type: String, places: [Int?]) {
    var type: String?
    var places = [Int?](repeating: nil, count: names.count)
    guard try json.kind() == .object else { throw json.unexpected("expected an object", at: json.position) }
    let start = json.position
    json.position += 1
    if !json.isEmpty(closing: UInt8(ascii: "}")) {
      repeat {
        let key = try json.key()
        let kind = try json.kind()
        if let index = find(key, in: names) { places[index] = kind == .null ? nil : json.position }
        if kind == .string, json.matches(key, "type") { type = json.decoded(try json.string()) } else { try json.skipValue() }
      } while try json.hasMore(closing: UInt8(ascii: "}"))
    }
    guard let type else { throw json.unexpected("there is no type", at: start, path: ".type") }
    return (type, places)
  }

  /// Before RFC 7946 a document could name its own system of coordinates.
  private func check(crs place: Int) throws(Fault) {
    var reader = json
    reader.position = place
    let text = reader.verbatim(try reader.skipValue())
    guard ["CRS84", "4326"].contains(where: { text.contains($0) }) else {
      throw json.unexpected("the coordinates are in another system than WGS 84; convert them first", at: place, path: ".crs")
    }
  }

  private mutating func feature(
    _ type: String, into collector: inout RegionCollector, defaultRadius: Meters?, path: String?
  ) throws(Fault) {
    let start = json.position
    var foreign = RegionImporter()
    let geometry: RegionImporter.Geometry
    if type == "Feature" {
      let (_, places) = try parts(["geometry", "properties", "id"])
      if let properties = places[1] {
        json.position = properties
        do throws(Fault) {
          try members(of: &foreign) { (reader, key, foreign) throws(Fault) in
            guard let index = reader.find(key, in: RegionImporter.names) else { return false }
            // The feature's own id is the better one.
            if index == 0, places[2] != nil { return false }
            return try reader.take(RegionImporter.names[index], key, into: &foreign)
          }
        } catch { throw error.below(".properties") }
      }
      if let id = places[2] {
        json.position = id
        do throws(Fault) { _ = try take("id", JSONReader.Text(start: id, end: id, hasEscapes: false), into: &foreign) } catch {
          throw error.below(".id")
        }
      }
      if let place = places[0] {
        json.position = place
        do throws(Fault) { geometry = try self.geometry() } catch { throw error.below(".geometry") }
      } else {
        geometry = .none
      }
    } else {
      geometry = try self.geometry()
    }
    let place = FormatError.Place(byte: start, path: path)
    switch foreign.region(geometry, defaultRadius: defaultRadius) {
    case .skip(let reason): collector.skip(reason, at: place)
    case .refuse(let reason, let member):
      throw json.unexpected(reason, at: start, path: ".properties" + (member.isEmpty ? "" : ".\(member)"))
    case .region(let region, let isDerived):
      if let reason = collector.add(region, isDerived: isDerived, at: place) {
        throw json.unexpected(reason, at: start, path: ".id")
      }
    }
  }

  private mutating func geometry() throws(Fault) -> RegionImporter.Geometry {
    _ = json.peek()
    let start = json.position
    let (type, places) = try parts(["coordinates"])
    let known = ["Point", "Polygon", "MultiPolygon"]
    guard known.contains(type) else {
      if ["LineString", "MultiLineString", "MultiPoint", "GeometryCollection"].contains(type) { return .other(type) }
      throw json.unexpected("\(type.prefix(40).debugDescription) is no geometry of GeoJSON", at: start, path: ".type")
    }
    guard let place = places[0] else { throw json.unexpected("there are no coordinates", at: start, path: ".coordinates") }
    json.position = place
    do throws(Fault) {
      switch type {
      case "Point": return .point(try position())
      case "Polygon":
        let polygon = try polygon(isClosed: true)
        guard let area = MultiPolygon([Winding.standard(polygon)]) else { return .none }
        return .area(area)
      default:
        let area = try polygons(isClosed: true)
        return .area(MultiPolygon(area.polygons.map { Winding.standard($0) }) ?? area)
      }
    } catch { throw error.below(".coordinates") }
  }
}
