package import GodwitModel
internal import GodwitText

/// Collects the members of a region in a document of another format: the known members, and the unknown members, which are
/// stored unchanged.
package struct RegionImporter {
  /// The known members next to a geometry, with their names in GeoJSON and KML.
  enum Member: Int, KnownMember {
    case id, name, title, radius, uuid, major, minor, tags, dwell, schedule, extras

    static let names: [StaticString] = [
      "id", "name", "title", "radius", "uuid", "major", "minor", "tags", "dwell", "schedule", "extras",
    ]

    /// Whether the member is used only with some geometries, or only if another member is missing.
    var isConditional: Bool {
      switch self {
      case .title, .radius, .uuid, .major, .minor: true
      case .id, .name, .tags, .dwell, .schedule, .extras: false
      }
    }
  }

  /// The names of these members.
  package static var names: [StaticString] { Member.names }

  package var id: String?
  package var name: String?
  /// A title, which is the name of a region without `name`.
  var title: String?
  var tags: [String] = []
  var dwell: Double?
  var schedule: RegionSchedule?
  var radius: Meters?
  var beacon = BeaconBuilder()
  /// The unknown members.
  package var others = UnmappedMembers()

  /// The conditional members as received. Unused ones are stored in the extras.
  private var conditional: [(member: Member, text: [UInt8])] = []
  /// The object `extras`.
  private var extras: [UInt8]?

  /// Makes an importer without members.
  package init() {}

  /// Stores a conditional member from a text.
  mutating func add(_ member: Member, _ key: JSONReader.Text, _ value: Range<Int>, of json: JSONReader) {
    var text: [UInt8] = []
    json.appendMember(key, value, to: &text)
    conditional.append((member, text))
  }

  /// Stores the object `extras`.
  mutating func add(extras value: Range<Int>, of json: JSONReader) {
    extras = JSONObjectText.compact(UnsafeBufferPointer(start: json.base + value.lowerBound, count: value.count))
  }

  /// Removes a member that would be stored in the extras.
  mutating func discard(_ name: String) {
    others.discard(name)
    conditional.removeAll { $0.text.starts(with: "\"\(name)\":".utf8) }
  }

  package enum Geometry {
    case none
    case point(Coordinate)
    case area(MultiPolygon)
    /// A geometry that regions do not support, with its name.
    case other(String)
  }

  package enum Outcome {
    case region(Region, isDerived: Bool)
    case skip(String)
    /// The region is rejected with a reason; `member` is the faulty member.
    case refuse(String, member: String)
  }

  /// Makes the region.
  /// - Parameters:
  ///   - geometry: the geometry of the region.
  ///   - defaultRadius: the radius in metres of points without a radius.
  ///   - isBeaconFirst: whether a point with a radius and a UUID is a beacon; otherwise it is a circle.
  ///   - derive: computes the id of a region without an id.
  package consuming func region(
    _ geometry: Geometry, defaultRadius: Meters? = nil, isBeaconFirst: Bool = false,
    derive: (RegionShape, _ name: String) -> String = { ComputedID.of($0, name: $1) }
  ) -> Outcome {
    var used: [Member] = []
    let shape: RegionShape
    var isBeacon = beacon.uuid != nil && (radius == nil || isBeaconFirst)
    if case .area = geometry { isBeacon = false }
    switch geometry {
    case .other(let name): return .skip("\(name) is not a region; expected a Point, a Polygon or a MultiPolygon")
    case _ where isBeacon:
      if beacon.minor != nil, beacon.major == nil { return .refuse("a minor number needs a major one", member: "minor") }
      guard let identity = beacon.identity else { return .skip("the feature is empty") }
      var place: Coordinate?
      if case .point(let point) = geometry { place = point }
      shape = .beacon(Beacon(identity: identity, place: place))
      used = [.uuid, .major, .minor]
    case .none: return .skip("there is neither a geometry nor a beacon's uuid")
    case .point(let center):
      guard let radius = radius ?? defaultRadius else {
        return .refuse("a point needs a radius in metres, or the uuid of a beacon", member: "radius")
      }
      shape = .circle(Circle(center: center, radius: radius))
      used = [.radius]
    case .area(let area): shape = .polygons(area)
    }
    // `name` takes precedence over `title`.
    if name == nil { used.append(.title) }
    for (member, text) in conditional where !used.contains(member) { others.store(text) }
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

  private var extrasText: String? {
    guard let extras else { return others.text }
    if others.isEmpty { return extras.count > 2 ? String(decoding: extras, as: UTF8.self) : nil }
    var all = others
    all.store(Array("\"extras\":".utf8) + extras)
    return all.text
  }
}
