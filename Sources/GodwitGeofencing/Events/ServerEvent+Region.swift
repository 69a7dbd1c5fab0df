package import Foundation
package import GodwitModel
package import GodwitStore
internal import GodwitText

extension ServerEvent {
  /// Creates the server event of a region event.
  /// - Parameters:
  ///   - event: the event.
  ///   - device: the device.
  ///   - source: whether the device reported the event or the server computed it.
  package init(_ event: RegionEvent, of device: Device, source: Source) {
    let mention = event.region
    let type = "\(mention.beacon == nil ? "geofence" : "beacon").\(event.kind.rawValue)"
    let time = event.time.millisecondsSince1970
    let name = Self.name(of: "\(device.name)\u{1F}\(event.kind.rawValue)\u{1F}\(mention.id)\u{1F}\(time)", at: event.time)
    var text = #"{"id":"\#(name)","type":"\#(type)","time":"\#(RFC3339.string(event.time))","device":\#(device.name.jsonQuoted)"#
    text += #","region":\#(Self.json(mention))"#
    if let place = event.coordinate {
      text += #","location":{"latitude":\#(place.latitude),"longitude":\#(place.longitude)"#
      if let accuracy = event.horizontalAccuracy, accuracy.isFinite { text += #","accuracy":\#(accuracy)"# }
      text += "}"
    }
    if let entered = event.entered { text += #","entered_at":"\#(RFC3339.string(entered))""# }
    self.init(
      name: name, device: device, type: type, region: mention.id, tags: mention.tags,
      body: text + #","source":"\#(source.rawValue)"}"#)
  }

  /// Returns the kind and the time of a stored region event, or `nil` for an event without a region.
  /// - Parameter body: the stored JSON.
  package static func content(_ body: String) -> (kind: RegionEvent.Kind, time: Date)? {
    struct Content: Decodable { var type: String, time: String }
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(body.utf8)), let time = RFC3339.date(content.time),
      let kind = RegionEvent.Kind(rawValue: String(content.type.drop { $0 != "." }.dropFirst()))
    else { return nil }
    return (kind, time)
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
