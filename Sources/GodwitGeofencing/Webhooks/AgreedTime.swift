package import Foundation
internal import GodwitModel
package import GodwitStore

/// The clock that all servers of a database use in transactions. If several servers may share the database, it is the
/// database's clock, because the clock of a server may be wrong. Otherwise it is the clock of the only server.
package struct AgreedTime: Sendable {
  private let read: @Sendable (any SQLConnection, Date) throws -> Date

  /// - Parameter read: returns the time; called with the connection and the time of this server.
  package init(_ read: @escaping @Sendable (any SQLConnection, Date) throws -> Date) { self.read = read }

  /// The database's clock if several servers may share the database, else the clock of this server.
  package static let database = AgreedTime { db, own in
    guard db.dialect.isShared else { return own }
    // `clock_timestamp()` advances within a transaction, unlike `now()`.
    let time = try db.integer("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS time")
    return time.map { Date(millisecondsSince1970: $0) } ?? own
  }

  /// Returns the time.
  ///
  /// - Parameters:
  ///   - own: the time of this server.
  ///   - db: a connection in a transaction.
  /// - Throws: the database's error.
  package func now(_ own: Date, _ db: any SQLConnection) throws -> Date { try read(db, own) }
}
