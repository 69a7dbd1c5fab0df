package import GodwitHistory
package import GodwitModel
package import GodwitStore

/// Applies private zones to stored points for users other than the owner. Points that were stored before a zone was
/// created, or before the device changed its owner, are shown as they would be stored now.
package struct HiddenPlaces: Sendable {
  private var zones: [Int64: ZoneSet] = [:]

  /// - Parameters:
  ///   - devices: the devices whose points are shown.
  ///   - database: the database of the zones.
  package init(of devices: [Int64], in database: any StoreDatabase) throws {
    guard !devices.isEmpty else { return }
    try database.read { db in
      let sets = try ZoneTable.byUser(db)
      guard !sets.isEmpty else { return }
      for device in devices { zones[device] = sets[try TrackTables.owner(of: device, db)] }
    }
  }

  /// Returns the area of a device that is hidden in tiles; `nil`: none.
  package func area(of device: Int64) -> (any HiddenArea)? { zones[device].map { ZoneArea(zones: $0) } }

  /// Returns a point in the form in which it may be shown; `nil`: it must not be shown.
  package func shown(_ point: StoredPoint) -> StoredPoint? {
    guard let zones = zones[point.device.id] else { return point }
    switch zones.applied(to: point.record) {
    case .asItWas: return point
    case .dropped: return nil
    case .coarsened(let record):
      guard case .fix(let fix) = record.kind else { return nil }
      return StoredPoint(device: point.device, fix: fix, record: record, cursor: point.cursor)
    }
  }

  /// Returns a fix of a device in the form in which it may be shown; `nil`: it must not be shown.
  package func shown(_ fix: Fix, of device: Int64) -> Fix? {
    guard let zones = zones[device] else { return fix }
    switch zones.applied(to: Record(kind: .fix(fix))) {
    case .asItWas: return fix
    case .dropped: return nil
    case .coarsened(let record): if case .fix(let blurred) = record.kind { return blurred } else { return nil }
    }
  }
}

/// The private zones of a user as an area.
private struct ZoneArea: HiddenArea {
  let zones: ZoneSet

  func isNear(latitude: Int32, longitude: Int32, within metres: Meters) -> Bool {
    // An invalid coordinate is hidden.
    guard let place = Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7) else { return true }
    return zones.isNear(place, within: metres)
  }
}
