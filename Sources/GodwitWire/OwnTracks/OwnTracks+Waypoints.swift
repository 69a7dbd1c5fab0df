internal import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// Members of a waypoint that mean something to us.
  fileprivate static let waypointNames: [StaticString] = [
    "rid", "desc", "rad", "lat", "lon", "tst", "_type", "polygons", "uuid", "major", "minor", "tags", "dwell", "schedule",
    "extras",
  ]

  /// Reads waypoints: a `waypoint`, a `waypoints` message or file, the command that sets them, or an array of them. What has
  /// neither a radius nor a beacon's UUID is a mark and no region, and is passed over.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - isLenient: whether a waypoint that is wrong is passed over too, with its reason, as a server does with what an app sends.
  ///   - limits: how much there may be.
  /// - Throws: `FormatError` with the byte and the path: `waypoints[3].rad`.
  public static func readWaypoints(
    _ bytes: consuming [UInt8], isLenient: Bool = false, limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> RegionImport {
    try limits.check(bytes, format: format)
    return try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in
      var collector = RegionCollector(format: format, limits: limits)
      try reader.waypoints(into: &collector, isLenient: isLenient)
      return collector.found
    }
  }

  /// Appends a `waypoints` object with everything that regions have, so that reading it gives them back. Polygons have a circle
  /// around them, which is what an app takes them for.
  /// - Parameters:
  ///   - regions: what is written.
  ///   - bytes: what it is appended to.
  public static func writeWaypoints(_ regions: some Sequence<Region>, into bytes: inout [UInt8]) {
    writeWaypoints(regions, isWhole: true, into: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends the command `setWaypoints`, which makes an app take regions over: one that it knows is changed, the others stay. A
  /// server sends it in the array that it answers with. It has no more than apps understand; a circle around polygons.
  /// - Parameters:
  ///   - regions: what is written.
  ///   - bytes: what it is appended to.
  public static func writeSetWaypoints(_ regions: some Sequence<Region>, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"cmd","action":"setWaypoints","waypoints":"#, to: &bytes)
    writeWaypoints(regions, isWhole: false, into: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  private static func writeWaypoints(_ regions: some Sequence<Region>, isWhole: Bool, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"waypoints","waypoints":["#, to: &bytes)
    var isFirst = true
    for region in regions {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      if isWhole { bytes.append(0x0A) }
      isFirst = false
      write(region, isWhole: isWhole, into: &bytes)
    }
    JSONWriter.raw("]}", to: &bytes)
  }

  /// What an app calls a region that it was told of: its name, or its id where it has none.
  public static func description(of region: Region) -> String { region.name.isEmpty ? region.id : region.name }

  /// The id that a message stands for that names a region, which its app was told of, by its name and its second alone.
  public static func computedID(of region: Region) -> String {
    computedID(description: description(of: region), creation: creationTime(of: region, ExtrasMembers.of(region)))
  }

  /// The second that an app knows a region by.
  private static func creationTime(of region: Region, _ extras: [ExtrasMembers.Member]) -> Int {
    let kept = extras.first { $0.name == "tst" }.flatMap { Int(String(decoding: $0.text.dropFirst(6), as: UTF8.self)) }
    return kept ?? creationTime(ofID: region.id)
  }

  private static func write(_ region: Region, isWhole: Bool, into bytes: inout [UInt8]) {
    let extras = ExtrasMembers.of(region)
    JSONWriter.raw(#"{"_type":"waypoint","desc":"#, to: &bytes)
    JSONWriter.string(isWhole ? region.name : description(of: region), to: &bytes)
    // Made elsewhere, it keeps the second that it is known by there.
    if !isWhole || !extras.contains(where: { $0.name == "tst" }) {
      JSONWriter.raw(#","tst":"#, to: &bytes)
      JSONWriter.number(creationTime(of: region, extras), to: &bytes)
    }
    JSONWriter.member(#","rid":"#, region.id, to: &bytes)
    if let place = region.shape.center {
      JSONWriter.raw(#","lat":"#, to: &bytes)
      RegionWriter.number(place.latitude, into: &bytes)
      JSONWriter.raw(#","lon":"#, to: &bytes)
      RegionWriter.number(place.longitude, into: &bytes)
    }
    if let circle = region.shape.enclosingCircle {
      JSONWriter.raw(#","rad":"#, to: &bytes)
      RegionWriter.number(circle.radius, into: &bytes)
    }
    if let beacon = region.shape.beacon {
      bytes.append(UInt8(ascii: ","))
      RegionWriter.identity(beacon.identity, into: &bytes)
    }
    if isWhole {
      if case .polygons(let area) = region.shape {
        JSONWriter.raw(#","polygons":"#, to: &bytes)
        RegionWriter.polygons(area, isClosed: false, into: &bytes)
      }
      RegionWriter.rest(region, into: &bytes)
      let names = waypointNames.filter { $0.description != "tst" }
      ExtrasMembers.write(region, beside: names, into: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

extension RegionReader {
  mutating func waypoints(into collector: inout RegionCollector, isLenient: Bool) throws(Fault) {
    switch json.peek() {
    case UInt8(ascii: "["): return try list(path: "", into: &collector, isLenient: isLenient)
    case UInt8(ascii: "{"): break
    default: throw json.syntax("expected a waypoint, a waypoints object or an array of waypoints")
    }
    let start = json.position
    var rest = RegionImporter()
    var inner: Int?
    try members(of: &rest) { (reader, key, _) throws(Fault) in
      if reader.json.matches(key, "waypoints") { inner = reader.json.position }
      return false
    }
    let end = json.position
    json.position = inner ?? start
    if inner == nil {
      try waypoint(into: &collector, path: nil)
    } else if json.peek() == UInt8(ascii: "{") {
      // The command has a whole waypoints object inside.
      do throws(Fault) {
        guard try messageType() == "waypoints" else { throw json.unexpected("expected waypoints", at: json.position) }
        json.position = inner ?? start
        try waypoints(into: &collector, isLenient: isLenient)
      } catch { throw error.below(".waypoints") }
    } else {
      try list(path: ".waypoints", into: &collector, isLenient: isLenient)
    }
    json.position = end
  }

  private mutating func list(
    path: StaticString, into collector: inout RegionCollector, isLenient: Bool
  ) throws(Fault) {
    try elements(path: path) { (reader, index) throws(Fault) in
      let start = reader.json.position
      let name = "\(path.utf8CodeUnitCount > 0 ? "waypoints" : "")[\(index)]"
      do throws(Fault) { try reader.waypoint(into: &collector, path: name) } catch {
        guard isLenient, !error.isSyntax else { throw error }
        reader.json.position = start
        try reader.json.skipValue()
        collector.skip(error.reason, at: FormatError.Place(byte: error.offset, path: name + error.path), isWrong: true)
      }
    }
  }

  private mutating func waypoint(into collector: inout RegionCollector, path: String?) throws(Fault) {
    _ = json.peek()
    let start = json.position
    var foreign = RegionImporter()
    var (latitude, longitude): (Double?, Double?)
    var creation: Int?
    var area: MultiPolygon?
    try members(of: &foreign) { (reader, key, foreign) throws(Fault) in
      let names = OwnTracks.waypointNames
      guard let index = reader.find(key, in: names) else { return false }
      if try reader.json.kind() == .null {
        try reader.json.null()
        return true
      }
      switch names[index].description {
      case "rid": return try reader.take("id", key, into: &foreign)
      case "desc": return try reader.take("name", key, into: &foreign)
      case "_type":
        let type = try reader.text { $0 == "waypoint" ? nil : "\($0.prefix(20).debugDescription) is no waypoint" }
        return !type.isEmpty
      case "rad":
        // A mark on the map has 0.
        let start = reader.json.position
        if try reader.number({ _, _ in nil }) == 0 { return true }
        reader.json.position = start
        return try reader.take("radius", key, into: &foreign)
      case "lat": latitude = try reader.number(RegionValues.latitude)
      case "lon": longitude = try reader.number(RegionValues.longitude)
      case "tst":
        creation = try reader.seconds()
        return false
      case "polygons":
        guard try reader.json.kind() == .array else { return false }
        area = try reader.polygons(isClosed: false)
      case "uuid":
        // Empty where there is no beacon.
        let start = reader.json.position
        guard try reader.json.kind() == .string, try reader.json.string().count == 0 else {
          reader.json.position = start
          return try reader.take("uuid", key, into: &foreign)
        }
      default: return try reader.take(names[index], key, into: &foreign)
      }
      return true
    }
    var geometry = RegionImporter.Geometry.none
    if let latitude, let longitude, let point = Coordinate(latitude: latitude, longitude: longitude) { geometry = .point(point) }
    if let area {
      geometry = .area(area)
      // The circle around it is for the apps.
      foreign.forget("rad")
    }
    foreign.readBeaconInName()
    if let id = foreign.id, creation == OwnTracks.creationTime(ofID: id) { foreign.forget("tst") }
    let place = FormatError.Place(byte: start, path: path)
    if case .point = geometry, foreign.radius == nil, foreign.uuid == nil {
      return collector.skip("a waypoint without a radius is a mark and no region", at: place)
    }
    let derived = creation
    switch foreign.region(
      geometry, isBeaconFirst: true, derive: { OwnTracks.computedID(description: $1, creation: derived) })
    {
    case .skip(let reason): collector.skip(reason, at: place)
    case .refuse(let reason, let member): throw json.unexpected(reason, at: start, path: member.isEmpty ? "" : ".\(member)")
    case .region(let region, let isDerived):
      if let reason = collector.add(region, isDerived: isDerived, at: place) {
        throw json.unexpected(reason, at: start, path: ".rid")
      }
    }
  }
}
