public import GodwitModel
public import GodwitText

/// Regions as a GeoJSON feature collection (RFC 7946).
///
/// A Point with the property `radius` (metres) is a circle. A Polygon or MultiPolygon is a region with polygons. A feature
/// with the property `uuid` (and `major`, `minor`) and without a radius is a beacon; its Point is the position of the
/// beacon. Other properties are `name` or `title`, `tags` (an array, or a text with commas), `dwell` and `schedule`.
/// Unknown properties are stored in the region's extras and written again. Rings are oriented as the standard requires.
public enum RegionGeoJSON {
  static let format = "GeoJSON"

  /// Reads a feature collection, a feature, or a geometry. Objects that are not regions, such as lines, are skipped.
  /// - Parameters:
  ///   - bytes: the complete text.
  ///   - defaultRadius: the radius in metres of points without a radius; `nil` to reject them.
  ///   - limits: the maximum size and number of regions.
  /// - Throws: `FormatError` with the byte and the path: `features[3].geometry.coordinates[0][7]`.
  public static func read(
    _ bytes: consuming [UInt8], defaultRadius: Meters? = nil, limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> RegionImport {
    try limits.check(bytes, format: format)
    return try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var reader = GeoJSONReader(defaultRadius: defaultRadius, limits: limits)
      return try reader.document(from: &json)
    }
  }

  /// Appends a feature collection with one feature on each line.
  /// - Parameters:
  ///   - regions: the regions.
  ///   - bytes: the buffer to which the collection is appended.
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

/// The orientation of rings: outer rings are counterclockwise and holes are clockwise (RFC 7946, 3.1.6).
enum Winding {
  static func standard(_ polygon: Polygon) -> Polygon {
    var rings = polygon.rings
    for (index, ring) in rings.enumerated() where (area(ring) < 0) != (index > 0) {
      rings[index] = [ring[0]] + ring[1...].reversed()
    }
    // The area does not depend on the orientation of the rings.
    return rings == polygon.rings ? polygon : (try? Polygon(outer: rings[0], holes: Array(rings[1...]))) ?? polygon
  }

  /// Returns twice the signed area in degrees, with longitudes continued across the antimeridian; positive for a
  /// counterclockwise ring.
  private static func area(_ ring: [Coordinate]) -> Double {
    guard var last = ring.last else { return 0 }
    var sum = 0.0
    var east = 0.0
    for corner in ring {
      var step = corner.longitude - last.longitude
      if step > 180 { step -= 360 } else if step < -180 { step += 360 }
      // Latitudes are relative to the first corner, so that small rings do not lose precision.
      let (north, before) = (corner.latitude - ring[0].latitude, last.latitude - ring[0].latitude)
      sum += east * north - (east + step) * before
      east += step
      last = corner
    }
    return sum
  }
}
