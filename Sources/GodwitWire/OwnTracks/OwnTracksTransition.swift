internal import Foundation
internal import GodwitModel
internal import GodwitText

/// The members of a message `transition`.
struct OwnTracksTransition {
  typealias Fault = JSONReader.Fault

  private enum Member: Int, KnownMember {
    case type, event, description, id, time, creation, latitude, longitude, accuracy, uuid, major, minor

    static let names: [StaticString] = [
      "_type", "event", "desc", "rid", "tst", "wtst", "lat", "lon", "acc", "uuid", "major", "minor",
    ]
  }

  /// The offset of the message in bytes.
  private let start: Int
  private var type: String?
  private var event: RegionEvent.Kind?
  private var id: String?
  private var name: String?
  private var beacon = BeaconBuilder()
  private var time, creation: Int?
  private var latitude, longitude, accuracy: Double?
  private var others = UnmappedMembers()

  /// Reads the next message.
  init(from json: inout JSONReader) throws(Fault) {
    _ = json.peek()
    start = json.position
    var others = UnmappedMembers()
    try others.readObject(from: &json) { (json, key, _) throws(Fault) in
      guard let member = Member(key, in: json), try json.kind() != .null else { return false }
      return try read(member, from: &json)
    }
    self.others = others
  }

  /// Reads a member. - Returns: `false` if the member is stored unchanged.
  private mutating func read(_ member: Member, from json: inout JSONReader) throws(Fault) -> Bool {
    switch member {
    case .type: type = try json.text { _ in nil }
    case .event:
      let word = try json.text { text in
        ["enter", "leave"].contains(text) ? nil : "\(text.prefix(20).debugDescription) is not an event; expected enter or leave"
      }
      event = word == "enter" ? .entered : .exited
    case .description: name = try json.text { _ in nil }
    case .id: id = try json.text(RegionValues.id)
    case .time: time = Int(try json.number(OwnTracks.refuseSeconds))
    case .creation:
      creation = Int(try json.number(OwnTracks.refuseSeconds))
      // The creation time is part of the region's identity and stays in the extras.
      return false
    case .latitude: latitude = try json.number(RegionValues.latitude)
    case .longitude: longitude = try json.number(RegionValues.longitude)
    case .accuracy: accuracy = try json.number { _, _ in nil }
    case .uuid: return try beacon.readUUID(from: &json)
    case .major: return try beacon.readMajor(from: &json)
    case .minor: return try beacon.readMinor(from: &json)
    }
    return true
  }

  /// Makes the record.
  consuming func record() throws(Fault) -> Record {
    guard type == "transition" else { throw missing("expected a transition", "._type") }
    guard let event else { throw missing("a transition needs an event", ".event") }
    guard let time else { throw missing("a transition needs a time", ".tst") }
    let name = beacon.setName(name: name) ?? ""
    guard id != nil || !name.isEmpty else { throw missing("a transition needs a desc or a rid", ".desc") }
    var entry = RegionEvent(
      time: Date(timeIntervalSince1970: Double(time)), kind: event,
      region: RegionMention(
        id: id ?? OwnTracks.computedID(description: name, creation: creation), name: name, beacon: beacon.identity))
    if let latitude, let longitude { entry.coordinate = Coordinate(latitude: latitude, longitude: longitude) }
    if entry.coordinate != nil, let accuracy, accuracy >= 0, accuracy.isFinite { entry.horizontalAccuracy = accuracy }
    return Record(kind: .region(entry), extras: others.text)
  }

  private func missing(_ reason: String, _ path: String) -> Fault {
    Fault(offset: start, isSyntax: false, reason: reason, path: path)
  }
}
