internal import Foundation
public import GodwitModel
public import GodwitText
public import GodwitWire

/// Regions as KML 2.2, the language of maps and of Google Earth.
///
/// A Placemark with a Polygon, or a MultiGeometry of them, is what it is; one with a Point and the extended data `radius` (metres)
/// is a circle; one with `uuid` (and `major`, `minor`) and no radius is a beacon. `id`, `tags`, `dwell` and `schedule` are extended
/// data too; what is not known is kept in the region's extras and written again. Styles are not kept.
public enum RegionKML {
  static let format = "KML"

  /// Reads a document. What is no region, such as a line, is skipped.
  /// - Parameters:
  ///   - bytes: the whole document.
  ///   - defaultRadius: metres, of points without a radius; `nil`: they are refused.
  ///   - limits: how much there may be.
  /// - Throws: `FormatError` with the byte, the line and the Placemark: `Placemark[3].Polygon`.
  public static func read(
    _ bytes: [UInt8], defaultRadius: Meters? = nil, limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> RegionImport {
    try limits.check(bytes, format: format)
    let builder = KMLBuilder(defaultRadius: defaultRadius, limits: limits)
    try KMLReader(builder).read(bytes)
    return builder.collector.found
  }

  /// Appends a document, one Placemark on a line.
  /// - Parameters:
  ///   - regions: what is written.
  ///   - bytes: what it is appended to.
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
    // Members that are all plain text have a place each; anything else keeps its form as one text.
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

  /// Tags with commas between them; a JSON array where one of them would not come back.
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

  /// Whether a text comes back as it is: XML has no control characters but three, and line breaks at an end are lost.
  private static func isText(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 ? scalar.value != 0xFFFE && scalar.value != 0xFFFF : ["\t", "\n", "\r"].contains(scalar)
    } && KMLBuilder.tidied(text) == text
  }

  /// Text of an element or of an attribute. What XML has no way to say is left out.
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
