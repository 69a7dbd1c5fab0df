internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitIntake
internal import GodwitMirror
internal import GodwitRegions
internal import GodwitServices
internal import GodwitStore
internal import GodwitTransfer

/// The store, and the components that read and cache it.
struct StoreComponents: Sendable {
  let store: any StoreDatabase
  let administrator: AdministratorAccess
  let access: AccessControl
  /// Reads and writes for requests.
  let work: RequestWork
  let tokens: TokenCache
  let regions: DatabaseRegionStore
  let appConfigurations: AppConfigurationCache
  let friends: OwnTracksFriends
  let audit: AuditLog

  /// Opens the store; creates the data folder if it does not exist.
  init(_ configuration: Server.Configuration, _ environment: ServerEnvironment) throws {
    let folder = configuration.dataFolder
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw UnusableFolder(path: folder, reason: error.localizedDescription)
    }
    let store = try (configuration.store ?? .folder(folder)).open(clock: environment.clock, queues: environment.queues)
    self.store = store
    if configuration.endsMirror { try store.writeAndWait { try MirrorTables.remove($0) } }
    if let mirror = configuration.mirror, let warning = MirrorOptions.warning(about: mirror.url) {
      configuration.notices(warning)
    }
    administrator = try AdministratorAccess(folder: folder)
    let access = AccessControl(administrator: administrator, database: store, identityHeader: configuration.identityHeader)
    self.access = access
    let reading = store.queues.queue("godwit.reading", isConcurrent: true)
    work = RequestWork(store: store, reading: reading, changed: { access.invalidate() })
    tokens = TokenCache(clock: store.clock) { try store.device(tokenHash: $0) ?? access.device(writing: $0) }
    regions = DatabaseRegionStore(store)
    appConfigurations = AppConfigurationCache(clock: store.clock) { device in
      try store.read { try AppTables.configuration(of: device, $0) }
    }
    friends = OwnTracksFriends(store: store)
    audit = AuditLog(store: store)
  }
}

/// The data folder cannot be created.
struct UnusableFolder: Error, CustomStringConvertible {
  let path: String
  let reason: String
  var description: String { "The data folder \(path) cannot be created: \(reason) Name another folder with --data." }
}
