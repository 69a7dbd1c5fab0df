internal import Foundation
public import GodwitModel
public import GodwitText
public import GodwitWire

/// Regions as KML 2.2, the format of Google Earth and many map programs.
///
/// A Placemark with a Polygon, or with a MultiGeometry of polygons, is a region with polygons. A Placemark with a Point and
/// the extended data `radius` (metres) is a circle. A Placemark with `uuid` (and `major`, `minor`) and without a radius is
/// a beacon. `id`, `tags`, `dwell` and `schedule` are also extended data. Unknown data is stored in the region's extras and
/// written again. Styles are not stored.
public enum RegionKML {
  static let format = "KML"

  /// Reads a document. Placemarks that are not regions, such as lines, are skipped.
  /// - Parameters:
  ///   - bytes: the complete document.
  ///   - defaultRadius: the radius in metres of points without a radius; `nil` to reject them.
  ///   - limits: the maximum size and number of regions.
  /// - Throws: `FormatError` with the byte, the line and the Placemark: `Placemark[3].Polygon`.
  public static func read(
    _ bytes: [UInt8], defaultRadius: Meters? = nil, limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> RegionImport {
    try limits.check(bytes, format: format)
    let builder = KMLBuilder(defaultRadius: defaultRadius, limits: limits)
    try KMLReader(builder).read(bytes)
    return builder.collector.found
  }

  /// Appends a document with one Placemark on each line.
  /// - Parameters:
  ///   - regions: the regions.
  ///   - bytes: the buffer to which the document is appended.
  public static func write(_ regions: some Sequence<Region>, into bytes: inout [UInt8]) {
    JSONWriter.raw(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2"><Document>

      """, to: &bytes)
    for region in regions { write(region, into: &bytes) }
    JSONWriter.raw("</Document></kml>\n", to: &bytes)
  }

  private static func write(_ region: Region, into bytes: inout [UInt8]) {
    var extras = ExtrasMembers.of(region)
    let known = RegionImporter.names.map(\.description)
    // If all members are plain text, each is written as extended data. Otherwise the extras are written as one JSON text.
    let isPlain = extras.allSatisfy { member in
      !known.contains(member.name) && !member.name.isEmpty && isText(member.name) && member.string.map(isText) == true
    }
    JSONWriter.raw("<Placemark>", to: &bytes)
    element("name", region.name, into: &bytes)
    if isPlain, let index = extras.firstIndex(where: { $0.name == "description" }), index == extras.count - 1 {
      element("description", extras.removeLast().string ?? "", into: &bytes)
    }
    JSONWriter.raw("<ExtendedData>", to: &bytes)
    data("id", region.id, into: &bytes)
    switch region.shape {
    case .circle(let circle): data("radius", number(circle.radius), into: &bytes)
    case .beacon(let beacon):
      data("uuid", beacon.identity.uuid.description, into: &bytes)
      if let major = beacon.identity.major { data("major", "\(major)", into: &bytes) }
      if let minor = beacon.identity.minor { data("minor", "\(minor)", into: &bytes) }
    case .polygons: break
    }
    if !region.tags.isEmpty { data("tags", tags(region.tags), into: &bytes) }
    if let dwell = region.dwell { data("dwell", number(dwell), into: &bytes) }
    if let schedule = region.schedule {
      var text: [UInt8] = []
      RegionWriter.write(schedule, into: &text)
      data("schedule", String(decoding: text, as: UTF8.self), into: &bytes)
    }
    if isPlain {
      for member in extras { data(member.name, member.string ?? "", into: &bytes) }
    } else if let text = region.extras.flatMap({ JSONObjectText.compacted($0) }) {
      data("extras", String(decoding: text, as: UTF8.self), into: &bytes)
    }
    JSONWriter.raw("</ExtendedData>", to: &bytes)
    geometry(region.shape, into: &bytes)
    JSONWriter.raw("</Placemark>\n", to: &bytes)
  }

  /// Returns the tags separated by commas, or a JSON array if they could not be read back from such a text.
  private static func tags(_ tags: [String]) -> String {
    let plain = tags.joined(separator: ",")
    if case .success(tags) = CommaTags.read(plain), !plain.hasPrefix("[") { return plain }
    var text: [UInt8] = []
    RegionWriter.list(tags, into: &text) { JSONWriter.string($0, to: &$1) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func geometry(_ shape: RegionShape, into bytes: inout [UInt8]) {
    switch shape {
    case .circle(let circle): point(circle.center, into: &bytes)
    case .beacon(let beacon): if let place = beacon.place { point(place, into: &bytes) }
    case .polygons(let area):
      if area.polygons.count > 1 { JSONWriter.raw("<MultiGeometry>", to: &bytes) }
      for polygon in area.polygons {
        JSONWriter.raw("<Polygon>", to: &bytes)
        for (index, ring) in polygon.rings.enumerated() {
          JSONWriter.raw(index == 0 ? "<outerBoundaryIs><LinearRing>" : "<innerBoundaryIs><LinearRing>", to: &bytes)
          coordinates(ring + [ring[0]], into: &bytes)
          JSONWriter.raw(index == 0 ? "</LinearRing></outerBoundaryIs>" : "</LinearRing></innerBoundaryIs>", to: &bytes)
        }
        JSONWriter.raw("</Polygon>", to: &bytes)
      }
      if area.polygons.count > 1 { JSONWriter.raw("</MultiGeometry>", to: &bytes) }
    }
  }

  private static func point(_ place: Coordinate, into bytes: inout [UInt8]) {
    JSONWriter.raw("<Point>", to: &bytes)
    coordinates([place], into: &bytes)
    JSONWriter.raw("</Point>", to: &bytes)
  }

  private static func coordinates(_ places: [Coordinate], into bytes: inout [UInt8]) {
    JSONWriter.raw("<coordinates>", to: &bytes)
    for (index, place) in places.enumerated() {
      if index > 0 { bytes.append(0x20) }
      RegionWriter.number(place.longitude, into: &bytes)
      bytes.append(UInt8(ascii: ","))
      RegionWriter.number(place.latitude, into: &bytes)
    }
    JSONWriter.raw("</coordinates>", to: &bytes)
  }

  private static func element(_ name: StaticString, _ text: String, into bytes: inout [UInt8]) {
    if text.isEmpty { return }
    bytes.append(UInt8(ascii: "<"))
    JSONWriter.raw(name, to: &bytes)
    bytes.append(UInt8(ascii: ">"))
    escaped(text, into: &bytes)
    JSONWriter.raw("</", to: &bytes)
    JSONWriter.raw(name, to: &bytes)
    bytes.append(UInt8(ascii: ">"))
  }

  private static func data(_ name: String, _ value: String, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"<Data name=""#, to: &bytes)
    escaped(name, into: &bytes)
    JSONWriter.raw(#""><value>"#, to: &bytes)
    escaped(value, into: &bytes)
    JSONWriter.raw("</value></Data>", to: &bytes)
  }

  private static func number(_ value: Double) -> String {
    var text: [UInt8] = []
    RegionWriter.number(value, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a text can be read back unchanged: XML has only three control characters, and line breaks at an end are lost.
  private static func isText(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 ? scalar.value != 0xFFFE && scalar.value != 0xFFFF : ["\t", "\n", "\r"].contains(scalar)
    } && KMLBuilder.tidied(text) == text
  }

  /// Appends the text of an element or an attribute. Characters that XML cannot contain are omitted.
  private static func escaped(_ text: String, into bytes: inout [UInt8]) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": JSONWriter.raw("&amp;", to: &bytes)
      case "<": JSONWriter.raw("&lt;", to: &bytes)
      case ">": JSONWriter.raw("&gt;", to: &bytes)
      case "\"": JSONWriter.raw("&quot;", to: &bytes)
      case "\n": JSONWriter.raw("&#10;", to: &bytes)
      case "\r": JSONWriter.raw("&#13;", to: &bytes)
      case "\t": JSONWriter.raw("&#9;", to: &bytes)
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": break
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
