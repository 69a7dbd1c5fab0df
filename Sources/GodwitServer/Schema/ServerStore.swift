internal import Foundation
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHistory
internal import GodwitMirror
public import GodwitPostgres
internal import GodwitSQLite
package import GodwitServices
public import GodwitStore
internal import GodwitTransfer

extension StoreParts {
  /// The parts of the server's store.
  static func server(clock: ServerClock = .system, queues: WorkQueues = .system) -> StoreParts {
    StoreParts(
      migrations: ServerSchema.migrations, postgresSteps: ServerSchema.postgresSteps,
      participants: {
        [
          MirrorReplacement(), DirtyDayRecorder(), MirrorRecorder(), RejectedRecordRecorder(), LivePositions(), ImportClaims(),
        ]
      },
      filter: { ZoneFilter() }, clock: clock, queues: queues)
  }
}

extension SQLiteTrackStore {
  /// Opens the server's database in a data folder; creates folder and database if they do not exist.
  /// - Parameters:
  ///   - folder: the folder of the database.
  ///   - pageCache: KiB of the writer's page cache.
  /// - Throws: `SQLiteError`, `MigrationError`, or the file system's error; the descriptions give the remedy.
  public convenience init(folder: String, pageCache: Int = SQLiteTrackStore.pageCache) throws {
    try self.init(folder: folder, pageCache: pageCache, parts: .server())
  }
}

extension PostgresTrackStore {
  /// Connects to the server's database, and migrates its tables.
  /// - Parameter address: an existing database in which the user may create tables.
  /// - Throws: `PostgresError`, or an error if a newer version has written the database.
  public convenience init(_ address: PostgresAddress) throws { try self.init(address, parts: .server()) }
}

extension StoreLocation {
  /// Opens the server's store; creates it if it does not exist.
  /// - Parameters:
  ///   - pageCache: KiB of SQLite's page cache for writing.
  ///   - clock: the clock of the store and its parts.
  ///   - queues: the queues on which they run.
  /// - Throws: an error of the database or the file system; its description gives the remedy.
  package func open(
    pageCache: Int = SQLiteTrackStore.pageCache, clock: ServerClock = .system, queues: WorkQueues = .system
  ) throws -> any StoreDatabase {
    guard case .folder(let folder) = self else {
      return try open(pageCache: pageCache, parts: .server(clock: clock, queues: queues))
    }
    try MigrationCopy.create(of: folder, before: ServerSchema.migrations, at: clock.now)
    let store = try open(pageCache: pageCache, parts: .server(clock: clock, queues: queues))
    MigrationCopy.finish(in: folder)
    return store
  }
}
