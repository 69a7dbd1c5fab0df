package import Foundation
internal import GodwitDigests
package import GodwitModel
package import GodwitStore
internal import GodwitText

/// An event of a region, in one form for the page, the API and the webhooks.
package struct GeofenceEvent: Sendable, Hashable {
  /// The source of the event.
  package enum Source: String, Sendable {
    case device, server
  }

  /// The permanent identifier: "evt_" and 32 digits, a hash of the event. After a restored backup the same event gets
  /// the same identifier.
  package let name: String
  package let device: Device
  /// `geofence.entered`, `beacon.exited`, `device.silent` and so on.
  package let type: String
  /// The identifier and the tags of its region; empty if it has none.
  package let region: String
  package let tags: [String]
  /// The event as JSON.
  package let body: String

  package init(_ event: RegionEvent, of device: Device, source: Source) {
    let mention = event.region
    self.device = device
    region = mention.id
    tags = mention.tags
    type = "\(mention.beacon == nil ? "geofence" : "beacon").\(event.kind.rawValue)"
    let time = event.time.millisecondsSince1970
    name = Self.name(of: "\(device.name)\u{1F}\(event.kind.rawValue)\u{1F}\(mention.id)\u{1F}\(time)")
    var text = #"{"id":"\#(name)","type":"\#(type)","time":"\#(RFC3339.string(event.time))","device":\#(device.name.jsonQuoted)"#
    text += #","region":\#(Self.json(mention))"#
    if let place = event.coordinate {
      text += #","location":{"latitude":\#(place.latitude),"longitude":\#(place.longitude)"#
      if let accuracy = event.horizontalAccuracy, accuracy.isFinite { text += #","accuracy":\#(accuracy)"# }
      text += "}"
    }
    if let entered = event.entered { text += #","entered_at":"\#(RFC3339.string(entered))""# }
    body = text + #","source":"\#(source.rawValue)"}"#
  }

  /// The kind and the time of a region event.
  /// - Parameter body: the stored JSON; `nil` for an event without a region.
  package static func content(_ body: String) -> (kind: RegionEvent.Kind, time: Date)? {
    struct Content: Decodable { var type: String, time: String }
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(body.utf8)), let time = RFC3339.date(content.time),
      let kind = RegionEvent.Kind(rawValue: String(content.type.drop { $0 != "." }.dropFirst()))
    else { return nil }
    return (kind, time)
  }

  /// An event of a device without a region.
  /// - Parameters:
  ///   - name: the permanent identifier.
  ///   - device: the device.
  ///   - type: the type of the event.
  ///   - body: a JSON object.
  package init(name: String, device: Device, type: String, body: String) {
    (self.name, self.device, self.type, self.body) = (name, device, type, body)
    (region, tags) = ("", [])
  }

  /// The first 128 bits of SHA-256.
  package static func name(of text: String) -> String {
    "evt_" + Hexadecimal.text(SHA256Digest.of(Array(text.utf8), prefix: 16))
  }

  private static func json(_ region: RegionMention) -> String {
    var text = #"{"id":\#(region.id.jsonQuoted),"name":\#(region.name.jsonQuoted)"#
    text += #","tags":[\#(region.tags.map(\.jsonQuoted).joined(separator: ","))]"#
    if let center = region.center { text += #","center":{"latitude":\#(center.latitude),"longitude":\#(center.longitude)}"# }
    if let radius = region.radius, radius.isFinite { text += #","radius":\#(radius)"# }
    if let beacon = region.beacon {
      text += #","beacon":{"uuid":"\#(beacon.uuid)""#
      if let major = beacon.major { text += #","major":\#(major)"# }
      if let minor = beacon.minor { text += #","minor":\#(minor)"# }
      text += "}"
    }
    return text + "}"
  }
}
