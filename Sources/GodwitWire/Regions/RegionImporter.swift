package import GodwitModel
internal import GodwitText

/// What a document in another format says of a region: the members that mean something to us, and the rest, which is kept.
package struct RegionImporter {
  /// Members that mean something beside a geometry, by their names in GeoJSON and KML.
  enum Member: Int, KnownMember {
    case id, name, title, radius, uuid, major, minor, tags, dwell, schedule, extras

    static let names: [StaticString] = [
      "id", "name", "title", "radius", "uuid", "major", "minor", "tags", "dwell", "schedule", "extras",
    ]

    /// Whether it is taken for what it seems to be only beside some geometries, or where there is no better one.
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
  /// A second name, taken where there is no first one.
  var title: String?
  var tags: [String] = []
  var dwell: Double?
  var schedule: RegionSchedule?
  var radius: Meters?
  var beacon = BeaconBuilder()
  /// Members that mean nothing to us.
  package var others = UnmappedMembers()

  /// Conditional members, as they came: those that turn out to mean nothing are kept.
  private var conditional: [(member: Member, text: [UInt8])] = []
  /// The object `extras`.
  private var extras: [UInt8]?

  /// Nothing yet.
  package init() {}

  /// Remembers a conditional member as it stands in a text.
  mutating func add(_ member: Member, _ key: JSONReader.Text, _ value: Range<Int>, of json: JSONReader) {
    var text: [UInt8] = []
    json.appendMember(key, value, to: &text)
    conditional.append((member, text))
  }

  /// Takes the object `extras`.
  mutating func add(extras value: Range<Int>, of json: JSONReader) {
    extras = JSONObjectText.compact(UnsafeBufferPointer(start: json.base + value.lowerBound, count: value.count))
  }

  /// Leaves out a member that would be kept.
  mutating func discard(_ name: String) {
    others.discard(name)
    conditional.removeAll { $0.text.starts(with: "\"\(name)\":".utf8) }
  }

  package enum Geometry {
    case none
    case point(Coordinate)
    case area(MultiPolygon)
    /// One that no region has, by its name.
    case other(String)
  }

  package enum Outcome {
    case region(Region, isDerived: Bool)
    case skip(String)
    /// With the member that is to blame.
    case refuse(String, member: String)
  }

  /// Makes the region.
  /// - Parameters:
  ///   - geometry: what stands beside the members.
  ///   - defaultRadius: of points that have none, metres.
  ///   - isBeaconFirst: whether a point with both is a beacon and no circle.
  ///   - derive: the id of what has none.
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
    // Of two names the first one is the name.
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
