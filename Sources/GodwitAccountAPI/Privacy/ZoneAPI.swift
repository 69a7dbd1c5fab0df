internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `/api/v1/zones`: private zones.
struct ZoneAPI {
  let work: RequestWork

  private static let maximumZones = 200

  func list(_ request: PlainRequest) async throws -> ZoneList {
    let account = request.principal.user?.id
    return try await work.read { db in
      let zones = try ZoneTable.all(db).filter { $0.account == account }
      let counts = try DeviceOwners.devices(of: account, db).map { device in
        let counts = try ZoneTable.counts(of: device.id, db)
        return Counts(device: device.name, coarsened: counts.coarsened, dropped: counts.dropped)
      }
      return ZoneList(zones: zones.map { Zone($0) }, counts: counts)
    }
  }

  func add(_ request: BodyRequest<ZoneBody>) async throws -> Created<Zone> {
    let (account, options, now) = (request.principal.user?.id, try request.body.options, work.now)
    request.audit(options.name)
    let made = try await work.write { db in
      guard try ZoneTable.all(db).filter({ $0.account == account }).count < Self.maximumZones else {
        throw Problem(409, "Too many zones", "The limit is \(Self.maximumZones). Remove one first.")
      }
      guard let made = try ZoneTable.add(options, of: account, at: now, db) else { throw StoreError.closed }
      return made
    }
    // Stored points do not change until the zone is applied to them.
    let inside = try await work.read { try StoredPointsInside.count(made, $0) }
    return Created(Zone(made, storedPointsInside: inside))
  }

  func change(_ request: BodyRequest<ZoneBody>) async throws -> Zone {
    let (principal, name, options) = (request.principal, request.parameter, try request.body.options)
    return try await work.write { db in
      let known = try Self.zone(name, of: principal, db)
      try ZoneTable.change(known.id, options, db)
      return Zone(PrivacyZone(id: known.id, account: known.account, options: options, created: known.created))
    }
  }

  func remove(_ request: PlainRequest) async throws -> Deleted {
    let (principal, name) = (request.principal, request.parameter)
    return try await work.write { db in
      try ZoneTable.remove(try Self.zone(name, of: principal, db).id, db)
      return Deleted(name)
    }
  }

  /// Returns a zone of the requester.
  private static func zone(_ name: String, of principal: Principal, _ db: any SQLConnection) throws -> PrivacyZone {
    guard let id = PrivacyZone.number(of: name),
      let known = try ZoneTable.all(db).first(where: { $0.id == id && $0.account == principal.user?.id })
    else {
      throw Problem(404, "Unknown zone", "There is no zone \(name.jsonQuoted). /api/v1/zones lists the existing ones.")
    }
    return known
  }
}
