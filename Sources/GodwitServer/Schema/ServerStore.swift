internal import Foundation
internal import GodwitAccounts
internal import GodwitHistory
public import GodwitPostgres
internal import GodwitSQLite
public import GodwitStore
internal import GodwitTransfer

extension StoreParts {
  /// Those of the server.
  static let server = StoreParts(
    migrations: ServerSchema.migrations, postgresSteps: ServerSchema.postgresSteps,
    participants: { [DirtyDayRecorder(), RejectedRecordRecorder(), LivePositions(), ImportClaims()] },
    filter: { ZoneFilter() })
}

extension SQLiteTrackStore {
  /// Opens the server's database in a data folder, or makes folder and database.
  /// - Parameters:
  ///   - folder: where the database is, or will be.
  ///   - pageCache: KiB of pages that the writing side keeps in memory.
  /// - Throws: `SQLiteError`, `MigrationError`, or the file system's error, each saying what to do.
  public convenience init(folder: String, pageCache: Int = SQLiteTrackStore.pageCache) throws {
    try self.init(folder: folder, pageCache: pageCache, parts: .server)
  }
}

extension PostgresTrackStore {
  /// Connects to the server's database, and brings its tables up to date.
  /// - Parameter address: of a database that exists and that the user may make tables in.
  /// - Throws: `PostgresError`, or an error that says that a newer program was here.
  public convenience init(_ address: PostgresAddress) throws { try self.init(address, parts: .server) }
}

extension StoreLocation {
  /// Opens the server's store, or makes it where there is none.
  /// - Parameter pageCache: KiB of pages that SQLite keeps in memory for writing.
  /// - Throws: what the database or the file system refuses, as errors that say what to do.
  package func open(pageCache: Int = SQLiteTrackStore.pageCache) throws -> any StoreDatabase {
    try open(pageCache: pageCache, parts: .server)
  }
}
