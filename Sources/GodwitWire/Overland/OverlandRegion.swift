internal import Foundation
internal import GodwitModel
internal import GodwitText

/// A region event in Overland's format: the member `region` next to an `action` such as `geofence_entered`,
/// `geofence_exited`, `geofence_dwelled`, `geofence_crossed` or `beacon_entered`. The Overland app sends no such events;
/// the names are those of Rover (Documentation/Regions.md).
///
///     "action":"geofence_entered","region":{"id":"home","name":"Home","latitude":46.05,"longitude":14.5,"radius":100}
struct OverlandRegion: Codable {
  var id: String
  var name: String?
  var tags: [String]?
  var latitude: Double?
  var longitude: Double?
  var radius: Double?
  var uuid: ProximityUUID?
  var major: UInt16?
  var minor: UInt16?
  /// The time of entry (RFC 3339).
  private var since: String?

  private enum CodingKeys: String, CodingKey {
    case id, name, tags, latitude, longitude, radius, uuid, major, minor
    case since = "entered_at"
  }

  init(_ event: RegionEvent) {
    let region = event.region
    id = region.id
    name = region.name.isEmpty ? nil : region.name
    tags = region.tags.isEmpty ? nil : region.tags
    latitude = region.center?.latitude
    longitude = region.center?.longitude
    radius = region.radius
    uuid = region.beacon?.uuid
    major = region.beacon?.major
    minor = region.beacon?.minor
    since = event.entered.map { RFC3339.string($0) }
  }

  /// Reads an object; `nil` for other texts, which are stored unchanged.
  init?(_ text: some DataProtocol) {
    guard let read = try? JSONDecoder().decode(OverlandRegion.self, from: Data(text)), !read.id.isEmpty else { return nil }
    self = read
  }

  var entered: Date? { since.flatMap { RFC3339.date($0) } }

  var mention: RegionMention {
    var center: Coordinate?
    if let latitude, let longitude { center = Coordinate(latitude: latitude, longitude: longitude) }
    let beacon = uuid.map { uuid in
      major.map { BeaconIdentity(uuid: uuid, major: $0, minor: minor) } ?? BeaconIdentity(uuid: uuid)
    }
    return RegionMention(id: id, name: name ?? "", tags: tags ?? [], center: center, radius: radius, beacon: beacon)
  }

  /// Returns the kind of event of an action; `nil` for other actions.
  static func kind(_ action: String) -> RegionEvent.Kind? {
    for shape in ["geofence_", "beacon_"] where action.hasPrefix(shape) {
      return RegionEvent.Kind(rawValue: String(action.dropFirst(shape.count)))
    }
    return nil
  }

  /// Writes `action` and `region`, each with a leading comma.
  func write(_ kind: RegionEvent.Kind, into bytes: inout [UInt8]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // JSON has only finite numbers. A radius that is not finite is omitted.
    var finite = self
    finite.radius = radius.flatMap { $0.isFinite ? $0 : nil }
    guard let text = try? encoder.encode(finite) else { return }
    JSONWriter.raw(#","action":""#, to: &bytes)
    bytes.append(contentsOf: "\(uuid == nil ? "geofence" : "beacon")_\(kind.rawValue)\"".utf8)
    JSONWriter.raw(#","region":"#, to: &bytes)
    bytes.append(contentsOf: text)
  }
}
