internal import GodwitModel
internal import GodwitText
internal import GodwitWire

/// Makes regions from the elements of a KML document.
final class KMLBuilder {
  private(set) var collector: RegionCollector
  private(set) var hasRoot = false
  private let defaultRadius: Meters?
  private var members = ForeignMemberReader()

  /// The open elements.
  private var parents: [String] = []
  private var text: [UInt8] = []
  private var textLine = 1
  private var wantsText = false
  private var placemarks = 0
  private var placemark: Placemark?

  /// The values of a placemark.
  private struct Placemark {
    var index: Int
    var place: FormatError.Place
    var xmlID: String?
    var foreign = RegionImporter()
    var points: [Coordinate] = []
    var polygons: [Polygon] = []
    /// The name of a geometry that regions do not support.
    var other: String?
    /// The rings of the open polygon, each with the line numbers of its corners.
    var rings: [(isOuter: Bool, corners: [Coordinate], lines: [Int])] = []
    /// The name of the open extended data.
    var dataName: String?
    var description: String?
    var path: String { "Placemark[\(index)]" }
  }

  init(defaultRadius: Meters?, limits: RegionFileLimits) {
    self.defaultRadius = defaultRadius
    collector = RegionCollector(format: RegionKML.format, limits: limits)
  }

  func start(_ name: String, _ attributes: [String: String], at place: FormatError.Place) throws(FormatError) {
    if parents.isEmpty {
      guard name == "kml" else { throw fault("the document is \(name.prefix(40).debugDescription) and not kml", at: place) }
      hasRoot = true
    }
    if parents.count >= 200 { throw fault("elements nested more than 200 deep", at: place) }
    let parent = parents.last
    parents.append(name)
    wantsText = false
    switch name {
    case "Placemark":
      if placemark != nil { throw fault("a Placemark inside a Placemark", at: place) }
      placemark = Placemark(index: placemarks, place: place, xmlID: attributes["id"])
      placemarks += 1
    case _ where placemark == nil: return
    case "name", "description": if parent == "Placemark" { begin(place) }
    case "Data": placemark?.dataName = attributes["name"]
    case "SimpleData":
      placemark?.dataName = attributes["name"]
      begin(place)
    case "value": if placemark?.dataName != nil { begin(place) }
    case "coordinates": begin(place)
    case "Polygon": placemark?.rings = []
    case "LineString", "Model", "Track", "MultiTrack": placemark?.other = name
    default: break
    }
  }

  private func begin(_ place: FormatError.Place) {
    wantsText = true
    text.removeAll(keepingCapacity: true)
    textLine = place.line ?? 1
  }

  func append(_ bytes: UnsafeBufferPointer<UInt8>) { if wantsText { text.append(contentsOf: bytes) } }

  func end(_ name: String, at place: FormatError.Place) throws(FormatError) {
    parents.removeLast()
    guard var placemark else { return }
    let parent = parents.last
    let isText = wantsText
    wantsText = false
    // The placemark is removed from the property while it is changed, so that its arrays have one owner.
    self.placemark = nil
    var isOpen = true
    switch name {
    case "Placemark":
      isOpen = false
      try finish(placemark)
    case "name" where isText: placemark.foreign.name = try checked(words, RegionValues.name, "name", placemark)
    case "description" where isText: if !words.isEmpty { placemark.description = words }
    case "value" where isText: try data(words, &placemark, at: place)
    case "SimpleData" where isText: try data(words, &placemark, at: place)
    case "Data": placemark.dataName = nil
    case "coordinates" where isText: try coordinates(parent, &placemark, at: place)
    case "Polygon": try polygon(&placemark, at: place)
    default: break
    }
    if isOpen { self.placemark = placemark }
  }

  private var words: String { Self.tidied(String(decoding: text, as: UTF8.self)) }

  /// Removes white space at both ends if it contains line breaks. In such a document the text of the element is on separate
  /// lines.
  static func tidied(_ text: String) -> String {
    func hasBreak(_ scalars: some Sequence<Unicode.Scalar>) -> Bool {
      scalars.prefix { $0.value <= 0x20 }.contains { $0 == "\n" || $0 == "\r" }
    }
    return hasBreak(text.unicodeScalars) || hasBreak(text.unicodeScalars.reversed()) ? text.trimmed : text
  }

  private func checked(
    _ text: String, _ rule: (String) -> String?, _ member: String, _ placemark: Placemark
  ) throws(FormatError) -> String {
    if let reason = rule(text) { throw fault(reason, at: placemark.place, path: "\(placemark.path).\(member)") }
    return text
  }

  // MARK: Extended data

  private func data(_ value: String, _ placemark: inout Placemark, at place: FormatError.Place) throws(FormatError) {
    guard let name = placemark.dataName else { return }
    placemark.dataName = nil
    if value.isEmpty, RegionImporter.names.contains(where: { $0.description == name }) { return }
    // Numbers and objects are converted to JSON, and other values to a JSON string, so that the reader of JSON members can
    // be used.
    var json = Array("{".utf8)
    JSONWriter.string(name, to: &json)
    json.append(UInt8(ascii: ":"))
    if ["schedule", "extras", "tags"].contains(name), value.hasPrefix("{") || value.hasPrefix("[") {
      json.append(contentsOf: value.utf8)
    } else if ["major", "minor"].contains(name), let number = UInt64(value.trimmed) {
      json.append(contentsOf: String(number).utf8)
    } else if ["radius", "dwell", "uuid"].contains(name) {
      JSONWriter.string(value.trimmed, to: &json)
    } else {
      JSONWriter.string(value, to: &json)
    }
    json.append(UInt8(ascii: "}"))
    var foreign = placemark.foreign
    do throws(FormatError) {
      try JSONDocument(json, format: RegionKML.format).read { (json) throws(JSONReader.Fault) in
        try members.readObject(from: &json, into: &foreign)
      }
    } catch {
      let path = error.place.path ?? name
      throw fault(error.reason, at: place, path: "\(placemark.path).ExtendedData.\(path)")
    }
    placemark.foreign = foreign
  }

  // MARK: Geometry

  private func coordinates(
    _ parent: String?, _ placemark: inout Placemark, at place: FormatError.Place
  ) throws(FormatError) {
    guard parent == "Point" || parent == "LinearRing" else { return }
    var (corners, lines): ([Coordinate], [Int]) = ([], [])
    var line = textLine
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte <= 0x20 {
        if byte == 0x0A { line += 1 }
        index += 1
        continue
      }
      let end: Int = text[index...].firstIndex { $0 <= 0x20 } ?? text.count
      corners.append(try corner(text[index..<end], path: "\(placemark.path).\(parent ?? "")[\(corners.count)]", at: place, line))
      lines.append(line)
      index = end
    }
    if parent == "Point" {
      guard corners.count == 1 else {
        throw fault("a Point has one position; this one has \(corners.count)", at: place, path: "\(placemark.path).Point")
      }
      placemark.points.append(corners[0])
    } else {
      // The boundary to which the ring belongs.
      let isOuter = parents.dropLast().last != "innerBoundaryIs"
      guard corners.count > 3, corners.first == corners.last else {
        throw fault(
          corners.count > 3
            ? "the ring is not closed; its last position must equal its first"
            : "a ring has at least 4 positions, the last equal to the first; this one has \(corners.count)", at: place,
          line: lines.last, path: "\(placemark.path).LinearRing")
      }
      placemark.rings.append((isOuter, corners, lines))
    }
  }

  /// Reads `longitude,latitude` or `longitude,latitude,altitude`.
  private func corner(
    _ text: ArraySlice<UInt8>, path: String, at place: FormatError.Place, _ line: Int
  ) throws(FormatError) -> Coordinate {
    let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let shown = String(decoding: text.prefix(60), as: UTF8.self)
    let numbers = parts.map { part in part.withUnsafeBufferPointer { DecimalParser.double($0) } }
    guard (2...3).contains(numbers.count), let longitude = numbers[0], let latitude = numbers[1] else {
      throw fault(
        "\(shown.debugDescription) is not a valid position; expected longitude,latitude without spaces", at: place, line: line,
        path: path)
    }
    guard let corner = Coordinate(latitude: latitude, longitude: longitude) else {
      let reason =
        RegionValues.longitude(longitude, shown: "\(longitude)") ?? RegionValues.latitude(latitude, shown: "\(latitude)")
      throw fault(reason ?? "\(shown) is not a valid position", at: place, line: line, path: path)
    }
    return corner
  }

  private func polygon(_ placemark: inout Placemark, at place: FormatError.Place) throws(FormatError) {
    let outer = placemark.rings.filter(\.isOuter)
    let path = "\(placemark.path).Polygon"
    guard outer.count == 1 else {
      throw fault("a Polygon has one outer boundary; this one has \(outer.count)", at: place, path: path)
    }
    let rings = outer + placemark.rings.filter { !$0.isOuter }
    do throws(PolygonFault) {
      placemark.polygons.append(try Polygon(outer: rings[0].corners, holes: rings[1...].map(\.corners)))
    } catch {
      let lines = rings.indices.contains(error.ring) ? rings[error.ring].lines : []
      throw fault(
        "\(error)", at: place, line: lines.indices.contains(error.corner) ? lines[error.corner] : nil, path: path)
    }
  }

  private func finish(_ placemark: consuming Placemark) throws(FormatError) {
    if let description = placemark.description { placemark.foreign.others.store("description", text: description) }
    if placemark.foreign.id == nil, let id = placemark.xmlID, !id.isEmpty {
      placemark.foreign.id = try checked(id, RegionValues.id, "id", placemark)
    }
    // A point next to polygons is the position of their label and is ignored.
    var geometry = RegionImporter.Geometry.none
    if let area = MultiPolygon(placemark.polygons) {
      guard RegionRules.cornerCount.contains(area.cornerCount) else {
        throw fault("expected \(RegionRules.Member.polygons.expected)", at: placemark.place, path: placemark.path)
      }
      geometry = .area(area)
    } else if placemark.points.count > 1 {
      geometry = .other("a MultiGeometry of points")
    } else if let point = placemark.points.first {
      geometry = .point(point)
    } else if let other = placemark.other {
      geometry = .other(other)
    }
    let place = FormatError.Place(byte: placemark.place.byte, line: placemark.place.line, path: placemark.path)
    switch placemark.foreign.region(geometry, defaultRadius: defaultRadius) {
    case .skip(let reason): collector.skip(reason, at: place)
    case .refuse(let reason, let member):
      throw fault(reason, at: place, path: place.path.map { "\($0).ExtendedData" + (member.isEmpty ? "" : ".\(member)") })
    case .region(let region, let isDerived):
      if let reason = collector.add(region, isDerived: isDerived, at: place) { throw fault(reason, at: place, path: place.path) }
    }
  }

  private func fault(
    _ reason: String, at place: FormatError.Place, line: Int? = nil, path: String? = nil
  ) -> FormatError {
    FormatError(
      format: RegionKML.format, place: FormatError.Place(byte: place.byte, line: line ?? place.line, path: path), reason: reason)
  }
}
