internal import GodwitModel
internal import GodwitText

/// Reads regions in the format of Godwit's API.
struct RegionReader {
  typealias Fault = JSONReader.Fault

  private var unknown: UnknownMembers
  private var schedules = ScheduleReader()

  /// - Parameter isStrict: whether unknown members are faults; otherwise they are skipped.
  init(isStrict: Bool) { unknown = UnknownMembers(areFaults: isStrict) }

  /// The number of unknown members that were skipped so far.
  var passedOver: Int { unknown.passedOver }

  // MARK: The document

  /// Reads a region, an array of regions, or `{"regions":[…]}`.
  mutating func document(from json: inout JSONReader, limits: RegionFileLimits) throws(Fault) -> [Region] {
    switch json.peek() {
    case UInt8(ascii: "["): return try regions(from: &json, limits: limits)
    case UInt8(ascii: "{"):
      let start = json.position
      json.position += 1
      if json.peek() == UInt8(ascii: "\"") {
        let key = try json.key()
        if json.matches(key, "regions") {
          guard json.peek() == UInt8(ascii: "[") else {
            throw json.unexpected("expected an array of regions", at: json.position, path: ".regions")
          }
          let all = try regions(from: &json, limits: limits)
          while try json.hasMore(closing: UInt8(ascii: "}")) {
            _ = json.peek()
            let place = json.position
            let other = try json.key()
            throw json.unexpected("unknown field \"\(json.shown(other))\"; expected regions", at: place)
          }
          return all
        }
      }
      json.position = start
      return [try region(from: &json, id: nil)]
    default:
      throw json.syntax(
        json.position >= json.count
          ? "the text is empty; expected a region, an array of regions or {\"regions\":[…]}"
          : "expected a region, an array of regions or {\"regions\":[…]}")
    }
  }

  private mutating func regions(from json: inout JSONReader, limits: RegionFileLimits) throws(Fault) -> [Region] {
    var all: [Region] = []
    var seen: [String: Int] = [:]
    try json.forEachElement(path: ".regions") { (json, index) throws(Fault) in
      guard index < limits.count else {
        throw json.unexpected(
          "there are more than \(limits.count) regions; send them in parts", at: json.position)
      }
      let start = json.position
      let region = try region(from: &json, id: nil)
      if let before = seen.updateValue(index, forKey: region.id) {
        throw json.unexpected(
          "the id \(region.id.debugDescription) is already used by regions[\(before)]", at: start, path: ".id")
      }
      all.append(region)
    }
    return all
  }

  // MARK: A region

  /// Reads the next region.
  /// - Parameter id: the id that is known from another source; `nil` for the id in the object.
  mutating func region(from json: inout JSONReader, id: String?) throws(Fault) -> Region {
    try builder(from: &json).region(id: id)
  }

  /// Reads a node: a region with its revision, or the id and revision of a deleted region.
  mutating func node(from json: inout JSONReader) throws(Fault) -> RegionPage.Node {
    try builder(from: &json).node()
  }

  private mutating func builder(from json: inout JSONReader) throws(Fault) -> RegionBuilder {
    _ = json.peek()
    var builder = RegionBuilder(start: json.position)
    var members = try MemberCursor<RegionBuilder.Member>(of: &json, expected: "a region: an object with an id and a shape")
    do throws(Fault) {
      while let member = try members.next(in: &json, &unknown) {
        if members.isNull, member != .id { continue }
        switch member {
        case .id: builder.id = try json.text(RegionValues.id)
        case .name: builder.name = try json.text(RegionValues.name)
        case .center: builder.center = try Coordinate(center: &json, &unknown)
        case .radius: builder.radius = try json.number(RegionValues.radius)
        case .polygons: builder.polygons = try PolygonReader(isClosed: false).polygons(from: &json)
        case .beacon: builder.beacon = try BeaconIdentity(from: &json, &unknown)
        case .tags: builder.tags = try json.tags()
        case .dwell: builder.dwell = try json.number(RegionValues.dwell)
        case .schedule: builder.schedule = try schedules.schedule(from: &json, &unknown)
        case .extras: builder.extras = try json.extras()
        case .revision: builder.revision = try json.revision()
        case .deleted: builder.isDeleted = try json.flag()
        }
      }
    } catch { throw members.located(error) }
    return builder
  }
}
