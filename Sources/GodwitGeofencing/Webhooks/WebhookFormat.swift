package import Foundation
package import GodwitModel
internal import GodwitWire

/// The format of a webhook's deliveries.
package enum WebhookFormat: String, Sendable, Hashable, Codable, CaseIterable {
  /// Godwit's format: an event in the form of the API.
  case godwit
  /// A message for Home Assistant's OwnTracks integration at `/api/webhook/ID`. Events without an OwnTracks equivalent
  /// are not sent.
  case homeAssistant = "home-assistant"

  /// Whether the format supports a type of event.
  package func knows(type: String) -> Bool {
    self == .godwit || !(type.hasSuffix(".dwelled") || type.hasSuffix(".crossed") || type.hasPrefix("device."))
  }

  /// Returns an event in this format.
  /// - Parameter event: the stored JSON.
  package func body(of event: String) -> [UInt8] {
    guard self == .homeAssistant, let record = Self.record(of: event) else { return Array(event.utf8) }
    var message: [UInt8] = []
    OwnTracks.write(record.record, topic: Self.topic(of: record.device), into: &message)
    return message
  }

  /// Returns a position in this format.
  /// - Parameters:
  ///   - record: a fix.
  ///   - device: the name of the device.
  package static func body(of record: Record, device: String) -> [UInt8] {
    var message: [UInt8] = []
    OwnTracks.write(record, topic: topic(of: device), into: &message)
    return message
  }

  /// Home Assistant derives the name of the device from the user and the device of the topic.
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

  /// Returns the time of a stored event, or `nil` if it has none.
  package static func time(ofEvent event: String) -> Date? {
    struct TimeMember: Decodable { var time: String? }
    return (try? JSONDecoder().decode(TimeMember.self, from: Data(event.utf8)))?.time.flatMap { RFC3339.date($0) }
  }

  private static func record(of event: String) -> (record: Record, device: String)? {
    guard let event = try? JSONDecoder().decode(Event.self, from: Data(event.utf8)), let time = RFC3339.date(event.time),
      let kind = RegionEvent.Kind(rawValue: String(event.type.drop { $0 != "." }.dropFirst())),
      kind == .entered || kind == .exited
    else { return nil }
    var mention = RegionMention(id: event.region.id, name: event.region.name)
    if event.type.hasPrefix("beacon.") { mention.beacon = BeaconIdentity(uuid: ProximityUUID(high: 0, low: 0)) }
    // Home Assistant uses the position if the device leaves a region without entering another.
    let place = event.location?.coordinate ?? event.region.center?.coordinate
    let reported = RegionEvent(
      time: time, kind: kind, region: mention, coordinate: place, horizontalAccuracy: event.location?.accuracy)
    return (Record(kind: .region(reported)), event.device)
  }
}
