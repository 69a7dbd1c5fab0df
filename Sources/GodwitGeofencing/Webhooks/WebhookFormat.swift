package import Foundation
package import GodwitModel
internal import GodwitWire

/// The language that a webhook is told in.
package enum WebhookFormat: String, Sendable, Hashable, Codable, CaseIterable {
  /// Our own: an event as it is listed.
  case godwit
  /// What Home Assistant's OwnTracks integration takes at `/api/webhook/ID`: one message of OwnTracks, and no event that it has
  /// no word for.
  case homeAssistant = "home-assistant"

  /// Whether there is a word for an event, by the end of its type.
  package func knows(type: String) -> Bool {
    self == .godwit || !(type.hasSuffix(".dwelled") || type.hasPrefix("device."))
  }

  /// An event as the webhook is told it.
  /// - Parameter event: as it is stored.
  package func body(of event: String) -> [UInt8] {
    guard self == .homeAssistant, let record = Self.record(of: event) else { return Array(event.utf8) }
    var message: [UInt8] = []
    OwnTracks.write(record.record, topic: Self.topic(of: record.device), into: &message)
    return message
  }

  /// A position as the webhook is told it.
  /// - Parameters:
  ///   - record: a fix.
  ///   - device: whose it is.
  package static func body(of record: Record, device: String) -> [UInt8] {
    var message: [UInt8] = []
    OwnTracks.write(record, topic: topic(of: device), into: &message)
    return message
  }

  /// Home Assistant names the device after its user and its own name.
  private static func topic(of device: String) -> String { OwnTracks.topic(user: "godwit", device: device) }

  private struct Event: Decodable {
    struct Place: Decodable {
      package var latitude: Double
      package var longitude: Double
      package var accuracy: Double?
      package var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
    }
    struct Region: Decodable {
      package var id: String
      package var name: String
      package var center: Place?
    }
    var type: String
    var time: String
    var device: String
    var region: Region
    var location: Place?
  }

  /// When an event happened, as it is stored; `nil`: it does not say.
  package static func time(ofEvent event: String) -> Date? {
    struct TimeMember: Decodable { var time: String? }
    return (try? JSONDecoder().decode(TimeMember.self, from: Data(event.utf8)))?.time.flatMap { RFC3339.date($0) }
  }

  private static func record(of event: String) -> (record: Record, device: String)? {
    guard let event = try? JSONDecoder().decode(Event.self, from: Data(event.utf8)), let time = RFC3339.date(event.time),
      let kind = RegionEvent.Kind(rawValue: String(event.type.drop { $0 != "." }.dropFirst())), kind != .dwelled
    else { return nil }
    var mention = RegionMention(id: event.region.id, name: event.region.name)
    if event.type.hasPrefix("beacon.") { mention.beacon = BeaconIdentity(uuid: ProximityUUID(high: 0, low: 0)) }
    // Home Assistant goes by the place where a region is left to no other one.
    let place = event.location?.coordinate ?? event.region.center?.coordinate
    let told = RegionEvent(
      time: time, kind: kind, region: mention, coordinate: place, horizontalAccuracy: event.location?.accuracy)
    return (Record(kind: .region(told)), event.device)
  }
}
