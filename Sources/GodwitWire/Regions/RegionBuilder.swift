internal import GodwitModel
internal import GodwitText

/// Collects the members of a region in the format of Godwit's API, and makes the region.
struct RegionBuilder {
  typealias Fault = JSONReader.Fault

  /// The known members. A client may return the members that the server adds to a region: `revision`, `deleted`.
  enum Member: Int, KnownMember {
    case id, name, center, radius, polygons, beacon, tags, dwell, schedule, extras, revision, deleted

    static let names: [StaticString] = [
      "id", "name", "center", "radius", "polygons", "beacon", "tags", "dwell", "schedule", "extras", "revision", "deleted",
    ]
  }

  /// The offset of the object in bytes.
  private let start: Int
  var id: String?
  var name = ""
  var center: Coordinate?
  var radius: Meters?
  var polygons: MultiPolygon?
  var beacon: BeaconIdentity?
  var tags: [String] = []
  var dwell: Double?
  var schedule: RegionSchedule?
  var extras: String?
  var revision: Int64?
  var isDeleted = false

  /// - Parameter start: the offset of the object, which is the place of the fault for missing members.
  init(start: Int) { self.start = start }

  /// Makes the region.
  /// - Parameter known: the id that is known from another source; `nil` for the id in the object.
  func region(id known: String?) throws(Fault) -> Region {
    if let known, let id, id != known {
      throw unexpected("the id is \(id.debugDescription), expected \(known.debugDescription)", path: ".id")
    }
    guard let id = known ?? id else { throw unexpected("a region needs an id", path: ".id") }
    if isDeleted { throw unexpected("a deleted region is not expected here; remove it", path: ".deleted") }
    return Region(id: id, name: name, shape: try shape(), tags: tags, schedule: schedule, dwell: dwell, extras: extras)
  }

  /// Makes a node: the region with its revision, or the id and revision of a deleted region.
  func node() throws(Fault) -> RegionPage.Node {
    guard let revision else { throw unexpected("a node needs a revision") }
    guard isDeleted else { return .region(try region(id: nil), revision: revision) }
    guard let id else { throw unexpected("a node needs an id") }
    return .deleted(id: id, revision: revision)
  }

  private func shape() throws(Fault) -> RegionShape {
    switch (radius, polygons, beacon) {
    case (let radius?, nil, nil):
      guard let center else { throw unexpected("a circle needs a center") }
      return .circle(Circle(center: center, radius: radius))
    case (nil, let area?, nil):
      guard center == nil else { throw unexpected("polygons have no center; remove it") }
      return .polygons(area)
    case (nil, nil, let identity?): return .beacon(Beacon(identity: identity, place: center))
    case (nil, nil, nil):
      throw unexpected(
        center == nil
          ? "a region needs a center and a radius, polygons, or a beacon" : "a circle needs a radius in metres")
    default: throw unexpected("a region has one shape: a center and a radius, polygons, or a beacon")
    }
  }

  private func unexpected(_ reason: String, path: String = "") -> Fault {
    Fault(offset: start, isSyntax: false, reason: reason, path: path)
  }
}
