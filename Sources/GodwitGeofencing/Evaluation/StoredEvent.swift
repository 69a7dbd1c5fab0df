internal import Foundation
internal import GodwitModel
internal import GodwitText

/// Writes an event that the server computed as the JSON of a record, in the form that `JSONDecoder` reads. The JSON is
/// written directly, because a server with many geofences stores thousands of events a second, and `JSONEncoder` would take
/// most of that time.
enum StoredEvent {
  private static let context =
    (try? JSONEncoder().encode(DeviceContext())).map { String(decoding: $0, as: UTF8.self) } ?? #"{"motion":0}"#
  private static let suffix = #"}}},"context":"# + context + #","extras":"{\"source\":\"server\"}"}"#

  /// Returns the JSON of a record.
  ///
  /// - Parameter event: an event of a region that is a circle or polygons.
  static func record(_ event: RegionEvent) -> String {
    let region = event.region
    var text = #"{"kind":{"region":{"_0":{"time":\#(event.time.timeIntervalSinceReferenceDate)"#
    text += #","kind":"\#(event.kind.rawValue)","region":{"id":\#(region.id.jsonQuoted),"name":\#(region.name.jsonQuoted)"#
    text += #","tags":[\#(region.tags.map(\.jsonQuoted).joined(separator: ","))]"#
    if let center = region.center { text += #","center":\#(json(center))"# }
    if let radius = region.radius { text += #","radius":\#(radius)"# }
    text += "}"
    if let place = event.coordinate { text += #","coordinate":\#(json(place))"# }
    if let accuracy = event.horizontalAccuracy, accuracy.isFinite { text += #","horizontalAccuracy":\#(accuracy)"# }
    if let entered = event.entered { text += #","entered":\#(entered.timeIntervalSinceReferenceDate)"# }
    return text + suffix
  }

  private static func json(_ place: Coordinate) -> String {
    #"{"latitude":\#(place.latitude),"longitude":\#(place.longitude)}"#
  }

  /// Returns the JSON of the regions that a device is in.
  static func stays(_ stays: [RegionPresence.Stay]) -> String {
    let items = stays.map { #"{"id":\#($0.id.jsonQuoted),"entered":\#($0.entered),"hasDwelled":\#($0.hasDwelled)}"# }
    return "[\(items.joined(separator: ","))]"
  }
}
