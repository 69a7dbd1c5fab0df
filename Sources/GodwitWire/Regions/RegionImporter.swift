package import GodwitModel
package import GodwitText

/// What a document in another language says of a region: the members that mean something to us, and the rest, which is kept.
package struct RegionImporter {
  /// Members that mean something beside a geometry, by their names in GeoJSON and KML.
  package static let names: [StaticString] = [
    "id", "name", "title", "radius", "uuid", "major", "minor", "tags", "dwell", "schedule", "extras",
  ]

  package var id: String?
  package var name: String?
  var tags: [String] = []
  var dwell: Double?
  var schedule: RegionSchedule?
  var radius: Meters?
  var uuid: ProximityUUID?
  var major: UInt16?
  var minor: UInt16?

  /// Members as they came, `"name":value`, one after the other, and where each ends.
  private var others: [UInt8] = []
  private var ends: [Int] = []
  /// Members that are taken for what they seem to be only beside some geometries, or where there is no better one.
  private var deferred: [(name: StaticString, member: [UInt8])] = []
  /// The object `extras`.
  private var wrapped: [UInt8]?

  /// Nothing yet.
  package init() {}

  mutating func keep(_ member: [UInt8]) {
    others += member
    ends.append(others.count)
  }

  /// Keeps a member as it stands in a text, without white space.
  /// - Throws: where there are too many.
  mutating func keep(_ key: JSONReader.Text, _ value: Range<Int>, of json: JSONReader) throws(JSONReader.Fault) {
    guard ends.count < RecordLimits.extraMembers else {
      throw json.unexpected(RecordLimits.tooManyMembers, at: key.start - 1)
    }
    json.appendMember(key, value, to: &others)
    ends.append(others.count)
  }

  /// Keeps a member that is a string.
  package mutating func keep(_ name: String, text: String) {
    var member: [UInt8] = []
    JSONWriter.string(name, to: &member)
    member.append(UInt8(ascii: ":"))
    JSONWriter.string(text, to: &member)
    keep(member)
  }

  mutating func `defer`(_ name: StaticString, _ member: [UInt8]) { deferred.append((name, member)) }
  mutating func wrap(_ extras: [UInt8]) { wrapped = extras }

  package enum Geometry {
    case none
    case point(Coordinate)
    case area(MultiPolygon)
    /// One that no region has, by its name.
    case other(String)
  }

  package enum Recognition {
    case region(Region, isDerived: Bool)
    case skip(String)
    /// With the member that is to blame.
    case refuse(String, member: String)
  }

  /// Makes the region.
  /// - Parameters:
  ///   - geometry: what stands beside the members.
  ///   - defaultRadius: of points that have none, metres.
  ///   - derive: the id of what has none.
  package consuming func region(
    _ geometry: Geometry, defaultRadius: Meters? = nil, isBeaconFirst: Bool = false,
    derive: (RegionShape, _ name: String) -> String = { ComputedID.of($0, name: $1) }
  ) -> Recognition {
    var used: [String] = []
    let shape: RegionShape
    var isBeacon = uuid != nil && (radius == nil || isBeaconFirst)
    if case .area = geometry { isBeacon = false }
    switch geometry {
    case .other(let name): return .skip("\(name) is no region; expected a Point, a Polygon or a MultiPolygon")
    case _ where isBeacon:
      guard let uuid else { return .skip("there is nothing") }
      if minor != nil, major == nil { return .refuse("a minor number needs a major one", member: "minor") }
      let identity = beacon ?? BeaconIdentity(uuid: uuid)
      var place: Coordinate?
      if case .point(let point) = geometry { place = point }
      shape = .beacon(Beacon(identity: identity, place: place))
      used = ["uuid", "major", "minor"]
    case .none: return .skip("there is no geometry and no beacon's uuid")
    case .point(let center):
      guard let radius = radius ?? defaultRadius else {
        return .refuse("a point needs a radius in metres, or a uuid where it is a beacon", member: "radius")
      }
      shape = .circle(Circle(center: center, radius: radius))
      used = ["radius"]
    case .area(let area): shape = .polygons(area)
    }
    // Of two names the first one is the name.
    if name == nil { used.append("title") }
    for (name, member) in deferred where !used.contains(name.description) { keep(member) }
    let name = name ?? title ?? ""
    let extras = extrasText
    if let extras, !RegionRules.extrasSize.contains(extras.utf8.count) {
      return .refuse("there are \(extras.utf8.count) bytes; expected \(RegionRules.Member.extras.expected)", member: "")
    }
    return .region(
      Region(
        id: id ?? derive(shape, name), name: name, shape: shape, tags: tags, schedule: schedule, dwell: dwell, extras: extras),
      isDerived: id == nil)
  }

  /// A second name, taken where there is no first one.
  var title: String?

  /// The members that mean nothing to us, as an object.
  var othersText: String? {
    guard !ends.isEmpty else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(others.count + ends.count + 1)
    for member in members {
      text.append(text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
      text.append(contentsOf: member)
    }
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
  }

  private var members: [ArraySlice<UInt8>] { zip([0] + ends, ends).map { others[$0..<$1] } }

  private var extrasText: String? {
    guard let wrapped else { return othersText }
    if ends.isEmpty { return wrapped.count > 2 ? String(decoding: wrapped, as: UTF8.self) : nil }
    var all = self
    all.keep(Array("\"extras\":".utf8) + wrapped)
    return all.othersText
  }

  /// Leaves out a member that was kept.
  mutating func forget(_ name: String) {
    let kept = members.filter { !$0.starts(with: "\"\(name)\":".utf8) }
    (others, ends) = ([], [])
    for member in kept { keep(Array(member)) }
    deferred.removeAll { $0.member.starts(with: "\"\(name)\":".utf8) }
  }

  /// The beacon, where all of it is known.
  var beacon: BeaconIdentity? {
    uuid.map { uuid in major.map { BeaconIdentity(uuid: uuid, major: $0, minor: minor) } ?? BeaconIdentity(uuid: uuid) }
  }

  /// OwnTracks' older way to name a beacon: `Name:UUID`, `Name:UUID:1` or `Name:UUID:1:2`.
  mutating func readBeaconInName() {
    guard uuid == nil, let parts = name?.split(separator: ":", omittingEmptySubsequences: false), (2...4).contains(parts.count),
      let uuid = ProximityUUID(String(parts[1]))
    else { return }
    let numbers = parts[2...].map { UInt16($0) }
    guard !numbers.contains(nil) else { return }
    self.uuid = uuid
    major = numbers.first ?? nil
    minor = numbers.count > 1 ? numbers[1] : nil
    name = String(parts[0])
  }
}

extension JSONReader {
  /// Appends `"name":value` without white space.
  fileprivate func appendMember(_ key: Text, _ value: Range<Int>, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: base + key.start - 1, count: key.count + 2))
    bytes.append(UInt8(ascii: ":"))
    let text = UnsafeBufferPointer(start: base + value.lowerBound, count: value.count)
    // A string, a number or a word has no white space outside of itself.
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      bytes += JSONObjectText.compact(text)
    } else {
      bytes.append(contentsOf: text)
    }
  }
}

extension RegionReader {
  /// An object's members. - Parameters:
  ///   - foreign: gets those that nobody takes, as they came.
  ///   - take: reads a value, or leaves it and says no.
  package mutating func members(
    of foreign: inout RegionImporter,
    _ take: (inout RegionReader, _ key: JSONReader.Text, inout RegionImporter) throws(Fault) -> Bool
  ) throws(Fault) {
    guard try json.kind() == .object else { throw json.unexpected("expected an object", at: json.position) }
    json.position += 1
    guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
    repeat {
      let key = try json.key()
      _ = json.peek()
      let start = json.position
      do throws(Fault) {
        let isTaken = try take(&self, key, &foreign)
        guard isTaken else {
          json.position = start
          let value = try json.skipValue()
          try foreign.keep(key, value, of: json)
          continue
        }
      } catch { throw error.below(".\(shown(key))") }
    } while try json.hasMore(closing: UInt8(ascii: "}"))
  }

  /// `"name":value` without white space.
  private func member(_ key: JSONReader.Text, _ value: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    json.appendMember(key, value, to: &bytes)
    return bytes
  }

  /// One of the members that GeoJSON, KML and OwnTracks share. What is of another kind than ours is left to be kept.
  package mutating func take(
    _ name: StaticString, _ key: JSONReader.Text, into foreign: inout RegionImporter
  ) throws(Fault) -> Bool {
    let kind = try json.kind()
    let start = json.position
    if kind == .null {
      try json.null()
      return true
    }
    switch name.description {
    case "id": foreign.id = try word(RegionValues.id)
    case "name": foreign.name = try word(RegionValues.name)
    case "title":
      guard kind == .string else { return false }
      foreign.title = try text(RegionValues.name)
    case "radius": foreign.radius = try lossyNumber(RegionValues.radius)
    case "uuid":
      guard kind == .string, let uuid = ProximityUUID(json.decoded(try json.string())) else { return false }
      foreign.uuid = uuid
    case "major", "minor":
      guard kind == .number else { return false }
      if name.description == "major" { foreign.major = try short() } else { foreign.minor = try short() }
    case "tags":
      guard kind == .array || kind == .string else { return false }
      foreign.tags = kind == .array ? try tags() : try commaTags()
    case "dwell": foreign.dwell = try lossyNumber(RegionValues.dwell)
    case "schedule":
      guard kind == .object else { return false }
      foreign.schedule = try schedule()
    case "extras":
      guard kind == .object else { return false }
      let range = try json.skipValue()
      foreign.wrap(JSONObjectText.compact(UnsafeBufferPointer(start: json.base + range.lowerBound, count: range.count)))
    default: return false
    }
    if ["title", "radius", "uuid", "major", "minor"].contains(name.description) {
      foreign.defer(name, member(key, start..<json.position))
    }
    return true
  }

  /// A string by a rule; a number is its digits.
  private mutating func word(_ rule: (String) -> String?) throws(Fault) -> String {
    guard try json.kind() == .number else { return try text(rule) }
    let start = json.position
    _ = try json.number()
    let digits = json.verbatim(start..<json.position)
    if let reason = rule(digits) { throw json.unexpected(reason, at: start) }
    return digits
  }

  /// A number by a rule, or a string with nothing but one in it.
  private mutating func lossyNumber(_ rule: (Double, _ shown: String) -> String?) throws(Fault) -> Double {
    guard try json.kind() == .string else { return try number(rule) }
    let start = json.position
    guard let value = try json.lossyNumber() else { throw json.unexpected("expected a number", at: start) }
    if let reason = rule(value, json.verbatim(start..<min(json.position, start + 40))) {
      throw json.unexpected(reason, at: start)
    }
    return value
  }

  private mutating func commaTags() throws(Fault) -> [String] {
    let start = json.position
    let text = json.decoded(try json.string())
    switch CommaTags.read(text) {
    case .success(let tags): return tags
    case .failure(let refusal): throw json.unexpected(refusal.reason, at: start)
    }
  }
}

/// Tags in one text, with commas between them.
package enum CommaTags {
  package struct TagFault: Error {
    package var reason: String
  }

  package static func read(_ text: String) -> Result<[String], TagFault> {
    var tags: [String] = []
    for part in text.split(separator: ",") {
      let tag = part.trimmed
      if tag.isEmpty || tags.contains(tag) { continue }
      if let reason = RegionValues.tag(tag) { return .failure(TagFault(reason: reason)) }
      tags.append(tag)
    }
    guard RegionRules.tagCount.contains(tags.count) else {
      return .failure(TagFault(reason: "there are too many; expected \(RegionRules.Member.tags.expected)"))
    }
    return .success(tags)
  }
}

/// A region's extras, taken apart for languages that have a place for each member.
package enum ExtrasMembers {
  package struct Member {
    package var name: String
    /// `"name":value`, as it stands there.
    package var text: [UInt8]
    /// The value where it is a string, and the member is written as we would write it.
    package var string: String?
  }

  /// Nothing where there are none, or where the text is no object.
  package static func of(_ region: Region) -> [Member] {
    guard var bytes = region.extras.flatMap({ JSONObjectText.compacted($0) }) else { return [] }
    let count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    return bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return [] }
      var json = JSONReader(base: base, count: count)
      json.position = 1
      var members: [Member] = []
      do throws(JSONReader.Fault) {
        repeat {
          let start = json.position
          let key = try json.key()
          var member = Member(name: json.decoded(key), text: [])
          if try json.kind() == .string {
            let text = json.decoded(try json.string())
            var same: [UInt8] = []
            JSONWriter.string(member.name, to: &same)
            same.append(UInt8(ascii: ":"))
            JSONWriter.string(text, to: &same)
            if same.elementsEqual(buffer[start..<json.position]) { member.string = text }
          } else {
            try json.skipValue()
          }
          member.text = Array(buffer[start..<json.position])
          members.append(member)
        } while try json.hasMore(closing: UInt8(ascii: "}"))
      } catch { return [] }
      return members
    }
  }

  /// Appends the extras to an object that has members already: each as a member of it, or all of them as the member `extras`
  /// where one would be taken for something else.
  static func write(_ region: Region, beside names: [StaticString], into bytes: inout [UInt8]) {
    let members = of(region)
    guard !members.isEmpty else { return }
    if members.contains(where: { member in member.name == "extras" || names.contains { $0.description == member.name } }) {
      JSONWriter.raw(#","extras":{"#, to: &bytes)
      bytes.append(contentsOf: members.map(\.text).joined(separator: [UInt8(ascii: ",")]))
      bytes.append(UInt8(ascii: "}"))
    } else {
      for member in members {
        bytes.append(UInt8(ascii: ","))
        bytes.append(contentsOf: member.text)
      }
    }
  }
}
