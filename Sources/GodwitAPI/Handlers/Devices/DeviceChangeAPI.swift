internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitStore

/// Changes the names and the appearance of devices, and merges devices.
struct DeviceChangeAPI: Sendable {
  let work: RequestWork
  let tokens: TokenCache
  let deletion: DeletionRun
  let announceDeletion: @Sendable () -> Void

  /// `PUT /api/v1/devices/NAME/name`
  func rename(_ request: BodyRequest<NameBody>) async throws -> NamedDevice {
    let (principal, former, name, now) = (request.principal, request.parameter, request.body.name, work.now)
    let device = try await work.run { try principal.device(named: former, in: work.store, wholly: true) }
    guard Device.isValid(name: name) else {
      throw NameBody.fault("name", "1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends.")
    }
    try await work.write { db in
      do { try DeviceRename.rename(device, to: name, at: now, db) } catch let conflict as DeviceConflict {
        throw Problem(409, "Not renamed", conflict.description, at: "name")
      }
    }
    tokens.invalidate()
    announceDeletion()
    return NamedDevice(device: name)
  }

  /// `PUT /api/v1/devices/NAME/look`
  func setAppearance(_ request: BodyRequest<AppearanceBody>) async throws -> Appearance {
    let (principal, name, look) = (request.principal, request.parameter, try request.body.look)
    let device = try await work.run { try principal.device(named: name, in: work.store, wholly: true) }
    try await work.write { try DeviceAppearanceTable.set(look, of: device.id, $0) }
    announceDeletion()
    return Appearance(look)
  }

  /// `POST /api/v1/devices/NAME/merge`
  func merge(_ request: BodyRequest<MergeBody>) async throws -> DeletionAPI.Deletion {
    let (principal, name, into, isDry) = (request.principal, request.parameter, request.body.into, request.body.dryRun ?? false)
    let audit = DeletionRequest.Audit(request.http)
    return try await work.run {
      let former = try principal.device(named: name, in: work.store, wholly: true)
      let target = try principal.device(named: into, in: work.store, wholly: true)
      guard former.id != target.id else {
        throw Problem(400, "Bad body", "into: expected another device than the one that is merged.", at: "into")
      }
      let owners = try work.store.read { db in try [former, target].map { try TrackTables.owner(of: $0.id, db) } }
      guard owners[0] == owners[1] else {
        throw Problem(409, "Two owners", "The devices belong to different users. Give them one owner, then merge them.")
      }
      var line = audit
      line.subject = "\(name) into \(into)"
      let request = DeletionRequest(target: .merge(former.id, into: target.id), audit: line)
      if isDry { return DeletionAPI.Deletion(dryRun: true, counts: try deletion.dry(request.target)) }
      do {
        let (counts, entry) = try deletion.runUndoably(request, at: work.now)
        announceDeletion()
        work.changed()
        tokens.invalidate()
        return DeletionAPI.Deletion(dryRun: false, counts: counts, entry: entry)
      } catch let conflict as DeviceConflict {
        throw Problem(409, "Not merged", conflict.description)
      }
    }
  }
}
