internal import Foundation
internal import GodwitAccounts
internal import GodwitModel
internal import GodwitStore
internal import GodwitWire

/// The state in an Overland request in addition to its records: the newest position, if more records are queued than sent, and the
/// current trip. Neither becomes a point of the track. Private zones apply to both.
struct OverlandState: Sendable {
  private let current: Record?
  /// The trip as the text of a JSON object.
  private let trip: String?
  private let isTripOver: Bool

  /// - Parameters:
  ///   - request: the decoded request.
  ///   - wasOnTrip: whether the store has a current trip. A request without one ends it.
  /// - Returns: `nil` if there is nothing to store.
  init?(_ request: Overland.Request, wasOnTrip: Bool) {
    current = request.current
    // The Android app sends a string that contains JSON, which has not been validated so far.
    trip = request.trip.flatMap { Self.object($0) == nil ? nil : $0 }
    isTripOver = trip == nil && wasOnTrip
    if current == nil, trip == nil, !isTripOver { return nil }
  }

  func store(of device: Int64, at time: Date, _ db: any SQLConnection) throws {
    let zones = current == nil && trip == nil ? nil : try ZoneTable.zones(ofDevice: device, db)
    if let current {
      if let shown = Self.shown(current, zones) {
        var text: [UInt8] = []
        Overland.writeFeature(shown, device: nil, into: &text)
        try AppTables.store("current", String(decoding: text, as: UTF8.self), of: device, at: time, db)
      } else {
        // The stored position is no longer the newest one.
        try AppTables.remove("current", of: device, db)
      }
    }
    if let trip { try AppTables.store("trip", Self.shown(trip: trip, zones), of: device, at: time, db) }
    if isTripOver { try AppTables.remove("trip", of: device, db) }
  }

  private static func object(_ text: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
  }

  /// The record with private zones applied; `nil` if it must not be stored.
  private static func shown(_ record: Record, _ zones: ZoneSet?) -> Record? {
    switch zones?.applied(to: record) {
    case nil, .asItWas: record
    case .coarsened(let record): record
    case .dropped: nil
    }
  }

  /// The trip without the members whose positions are in a private zone.
  private static func shown(trip text: String, _ zones: ZoneSet?) -> String {
    guard let zones, var trip = object(text) else { return text }
    var isChanged = false
    for (name, value) in trip {
      guard let place = place(of: value), zones.contains(place) else { continue }
      trip[name] = nil
      isChanged = true
    }
    guard isChanged else { return text }
    // The object was parsed from JSON, so it can be written. If it cannot, an empty object is stored.
    let data = (try? JSONSerialization.data(withJSONObject: trip, options: [.sortedKeys])) ?? Data("{}".utf8)
    return String(decoding: data, as: UTF8.self)
  }

  /// The position of a GeoJSON point feature; `nil` for other values.
  private static func place(of value: Any) -> Coordinate? {
    guard let feature = value as? [String: Any], let geometry = feature["geometry"] as? [String: Any],
      let numbers = geometry["coordinates"] as? [Double], numbers.count >= 2
    else { return nil }
    return Coordinate(latitude: numbers[1], longitude: numbers[0])
  }
}
