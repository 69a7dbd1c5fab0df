internal import GodwitModel
internal import GodwitText

/// Reads the waypoints of OwnTracks' apps as regions.
struct WaypointReader {
  typealias Fault = JSONReader.Fault

  /// Whether invalid waypoints are skipped with a reason.
  private let skipsFaults: Bool
  private var collector: RegionCollector
  private var members = ForeignMemberReader()

  /// - Parameters:
  ///   - skipsFaults: whether invalid waypoints are skipped.
  ///   - limits: the maximum size and number of regions.
  init(skipsFaults: Bool, limits: RegionFileLimits) {
    self.skipsFaults = skipsFaults
    collector = RegionCollector(format: OwnTracks.format, limits: limits)
  }

  /// The regions and skipped waypoints so far.
  var found: RegionImport { collector.found }

  /// Reads a `waypoint`, a `waypoints` message or file, a `setWaypoints` command, or an array of waypoints.
  mutating func readDocument(from json: inout JSONReader) throws(Fault) {
    switch json.peek() {
    case UInt8(ascii: "["): return try readList(from: &json, path: "")
    case UInt8(ascii: "{"): break
    default: throw json.syntax("expected a waypoint, a waypoints object or an array of waypoints")
    }
    let start = json.position
    var others = UnmappedMembers()
    var inner: Int?
    try others.readObject(from: &json) { (json, key, _) throws(Fault) in
      if json.matches(key, "waypoints") { inner = json.position }
      return false
    }
    let end = json.position
    json.position = inner ?? start
    if inner == nil {
      try readWaypoint(from: &json, path: nil)
    } else if json.peek() == UInt8(ascii: "{") {
      // The command contains a complete `waypoints` object.
      do throws(Fault) {
        var ahead = json
        guard try OwnTracks.messageType(from: &ahead) == "waypoints" else {
          throw json.unexpected("expected waypoints", at: ahead.position)
        }
        try readDocument(from: &json)
      } catch { throw error.below(".waypoints") }
    } else {
      try readList(from: &json, path: ".waypoints")
    }
    json.position = end
  }

  private mutating func readList(from json: inout JSONReader, path: StaticString) throws(Fault) {
    try json.forEachElement(path: path) { (json, index) throws(Fault) in
      let start = json.position
      let name = "\(path.utf8CodeUnitCount > 0 ? "waypoints" : "")[\(index)]"
      do throws(Fault) { try readWaypoint(from: &json, path: name) } catch {
        guard skipsFaults, !error.isSyntax else { throw error }
        json.position = start
        try json.skipValue()
        collector.skip(error.reason, at: FormatError.Place(byte: error.offset, path: name + error.path), isWrong: true)
      }
    }
  }

  private mutating func readWaypoint(from json: inout JSONReader, path: String?) throws(Fault) {
    let waypoint = try Waypoint(from: &json, &members)
    let start = waypoint.start
    let place = FormatError.Place(byte: start, path: path)
    switch waypoint.region() {
    case .skip(let reason): collector.skip(reason, at: place)
    case .refuse(let reason, let member): throw json.unexpected(reason, at: start, path: member.isEmpty ? "" : ".\(member)")
    case .region(let region, let isDerived):
      if let reason = collector.add(region, isDerived: isDerived, at: place) {
        throw json.unexpected(reason, at: start, path: ".rid")
      }
    }
  }
}

/// The members of a `waypoint`.
struct Waypoint {
  typealias Fault = JSONReader.Fault

  /// The known members.
  enum Member: Int, KnownMember {
    case id, description, radius, latitude, longitude, creation, type, polygons, uuid, major, minor, tags, dwell, schedule, extras

    static let names: [StaticString] = [
      "rid", "desc", "rad", "lat", "lon", "tst", "_type", "polygons", "uuid", "major", "minor", "tags", "dwell", "schedule",
      "extras",
    ]
  }

  /// The offset of the waypoint in bytes.
  let start: Int
  private var foreign = RegionImporter()
  private var latitude, longitude: Double?
  private var creation: Int?
  private var area: MultiPolygon?

  /// Reads the next waypoint.
  /// - Parameters:
  ///   - json: the reader, before the waypoint.
  ///   - members: reads the members that other formats also have.
  init(from json: inout JSONReader, _ members: inout ForeignMemberReader) throws(Fault) {
    _ = json.peek()
    start = json.position
    var others = UnmappedMembers()
    try others.readObject(from: &json) { (json, key, _) throws(Fault) in
      guard let member = Member(key, in: json) else { return false }
      return try read(member, key, from: &json, &members)
    }
    foreign.others = others
  }

  /// Reads a member. - Returns: `false` if the member is stored unchanged.
  private mutating func read(
    _ member: Member, _ key: JSONReader.Text, from json: inout JSONReader, _ members: inout ForeignMemberReader
  ) throws(Fault) -> Bool {
    let kind = try json.kind()
    if kind == .null {
      try json.null()
      return true
    }
    let start = json.position
    switch member {
    case .id: return try members.read(.id, key, from: &json, into: &foreign)
    case .description: return try members.read(.name, key, from: &json, into: &foreign)
    case .radius:
      // The radius of a mark on the map is 0.
      if try json.number({ _, _ in nil }) == 0 { return true }
      json.position = start
      return try members.read(.radius, key, from: &json, into: &foreign)
    case .latitude: latitude = try json.number(RegionValues.latitude)
    case .longitude: longitude = try json.number(RegionValues.longitude)
    case .creation:
      creation = Int(try json.number(OwnTracks.refuseSeconds))
      return false
    case .type:
      let type = try json.text { $0 == "waypoint" ? nil : "\($0.prefix(20).debugDescription) is not a waypoint" }
      return !type.isEmpty
    case .polygons:
      guard kind == .array else { return false }
      area = try PolygonReader(isClosed: false).polygons(from: &json)
    case .uuid:
      // The UUID is empty if there is no beacon.
      guard kind == .string, try json.string().count == 0 else {
        json.position = start
        return try members.read(.uuid, key, from: &json, into: &foreign)
      }
    case .major: return try members.read(.major, key, from: &json, into: &foreign)
    case .minor: return try members.read(.minor, key, from: &json, into: &foreign)
    case .tags: return try members.read(.tags, key, from: &json, into: &foreign)
    case .dwell: return try members.read(.dwell, key, from: &json, into: &foreign)
    case .schedule: return try members.read(.schedule, key, from: &json, into: &foreign)
    case .extras: return try members.read(.extras, key, from: &json, into: &foreign)
    }
    return true
  }

  /// Makes the region. A waypoint with neither a radius nor the UUID of a beacon is a mark on the map and not a region.
  consuming func region() -> RegionImporter.Outcome {
    var geometry = RegionImporter.Geometry.none
    if let latitude, let longitude, let point = Coordinate(latitude: latitude, longitude: longitude) { geometry = .point(point) }
    if let area {
      geometry = .area(area)
      // Only the apps use the enclosing circle.
      foreign.discard("rad")
    }
    foreign.name = foreign.beacon.setName(name: foreign.name)
    if let id = foreign.id, creation == OwnTracks.creationTime(ofID: id) { foreign.discard("tst") }
    if case .point = geometry, foreign.radius == nil, foreign.beacon.uuid == nil {
      return .skip("a waypoint without a radius is not a region")
    }
    let creation = creation
    return foreign.region(
      geometry, isBeaconFirst: true, derive: { OwnTracks.computedID(description: $1, creation: creation) })
  }
}
