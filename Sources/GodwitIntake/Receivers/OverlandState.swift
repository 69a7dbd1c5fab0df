internal import Foundation
internal import GodwitAccounts
internal import GodwitModel
internal import GodwitStore
internal import GodwitWire

/// The state in an Overland request beside its records: the newest position if more records are queued than sent, and
/// the current trip. Neither is a point of the track. Private zones apply to both.
struct OverlandState: Sendable {
  private let current: Record?
  /// The text of a JSON object.
  private let trip: String?
  private let isTripOver: Bool

  /// - Parameters:
  ///   - request: the decoded request.
  ///   - wasOnTrip: whether the store has a current trip. A request without one ends it.
  /// - Returns: `nil` if nothing has to be stored.
  init?(_ request: Overland.Request, wasOnTrip: Bool) {
    current = request.current
    // The Android app sends a string with JSON, which is not validated before.
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
        // The position before is no longer the newest one.
        try AppTables.remove("current", of: device, db)
      }
    }
    if let trip { try AppTables.store("trip", Self.shown(trip: trip, zones), of: device, at: time, db) }
    if isTripOver { try AppTables.remove("trip", of: device, db) }
  }

  private static func object(_ text: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
  }

  /// The record as zones let it be stored; `nil`: not at all.
  private static func shown(_ record: Record, _ zones: ZoneSet?) -> Record? {
    switch zones?.applied(to: record) {
    case nil, .asItWas: record
    case .coarsened(let record): record
    case .dropped: nil
    }
  }

  /// The trip without its places that are in a zone.
  private static func shown(trip text: String, _ zones: ZoneSet?) -> String {
    guard let zones, var trip = object(text) else { return text }
    var isChanged = false
    for (name, value) in trip {
      guard let place = place(of: value), zones.contains(place) else { continue }
      trip[name] = nil
      isChanged = true
    }
    guard isChanged else { return text }
    // What was read as JSON can be written; without it nothing is stored.
    let data = (try? JSONSerialization.data(withJSONObject: trip, options: [.sortedKeys])) ?? Data("{}".utf8)
    return String(decoding: data, as: UTF8.self)
  }

  /// The position of a GeoJSON feature of a point.
  private static func place(of value: Any) -> Coordinate? {
    guard let feature = value as? [String: Any], let geometry = feature["geometry"] as? [String: Any],
      let numbers = geometry["coordinates"] as? [Double], numbers.count >= 2
    else { return nil }
    return Coordinate(latitude: numbers[1], longitude: numbers[0])
  }
}
