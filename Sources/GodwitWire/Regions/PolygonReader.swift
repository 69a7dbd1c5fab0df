internal import GodwitModel
internal import GodwitText

/// Reads the coordinates of polygons in the form of GeoJSON.
struct PolygonReader {
  typealias Fault = JSONReader.Fault

  /// Whether the last position of a ring must equal its first.
  let isClosed: Bool

  /// Reads the coordinates of a MultiPolygon.
  func polygons(from json: inout JSONReader) throws(Fault) -> MultiPolygon {
    var polygons: [Polygon] = []
    _ = json.peek()
    let start = json.position
    try json.forEachElement { (json, _) throws(Fault) in polygons.append(try polygon(from: &json)) }
    guard let area = MultiPolygon(polygons) else { throw json.unexpected("there is no polygon", at: start) }
    guard RegionRules.cornerCount.contains(area.cornerCount) else {
      throw json.unexpected(
        "there are \(area.cornerCount) corners; expected \(RegionRules.Member.polygons.expected)", at: start)
    }
    return area
  }

  /// Reads the rings of a polygon: the outer ring, then the holes.
  func polygon(from json: inout JSONReader) throws(Fault) -> Polygon {
    var rings: [[Coordinate]] = []
    _ = json.peek()
    let start = json.position
    try json.forEachElement { (json, _) throws(Fault) in rings.append(try ring(from: &json)) }
    guard let outer = rings.first else { throw json.unexpected("a polygon needs an outer ring", at: start) }
    do throws(PolygonFault) {
      return try Polygon(outer: outer, holes: Array(rings.dropFirst()))
    } catch {
      throw json.unexpected(
        error.description, at: json.offset(from: start, ring: error.ring, corner: error.corner),
        path: "[\(error.ring)][\(error.corner)]")
    }
  }

  private func ring(from json: inout JSONReader) throws(Fault) -> [Coordinate] {
    var corners: [Coordinate] = []
    _ = json.peek()
    let start = json.position
    try json.forEachElement { (json, _) throws(Fault) in corners.append(try Coordinate(position: &json)) }
    if isClosed, corners.first != corners.last {
      throw json.unexpected(
        "the ring is not closed; its last position must equal its first", at: start, path: "[\(corners.count - 1)]")
    }
    return corners
  }
}

extension Coordinate {
  /// Reads `[longitude, latitude]`, with an optional altitude, which is ignored.
  init(position json: inout JSONReader) throws(JSONReader.Fault) {
    var (longitude, latitude): (Double?, Double?)
    let start = json.position
    try json.forEachElement { (json, index) throws(JSONReader.Fault) in
      switch index {
      case 0: longitude = try json.number(RegionValues.longitude)
      case 1: latitude = try json.number(RegionValues.latitude)
      case 2: _ = try json.number { _, _ in nil }
      default: throw json.unexpected("a position has two or three numbers", at: json.position)
      }
    }
    guard let longitude, let latitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw json.unexpected("expected [longitude, latitude]", at: start)
    }
    self = place
  }
}

extension JSONReader {
  /// Returns the offset of a corner of a polygon that has been read; the offset of the polygon if the corner cannot be
  /// found.
  fileprivate func offset(from start: Int, ring: Int, corner: Int) -> Int {
    var ahead = self
    ahead.position = start
    do throws(Fault) {
      for count in [ring, corner] {
        try ahead.expect(UInt8(ascii: "["), "[")
        for _ in 0..<count {
          try ahead.skipValue()
          try ahead.expect(UInt8(ascii: ","), ",")
        }
        _ = ahead.peek()
      }
      return ahead.position
    } catch { return start }
  }
}
