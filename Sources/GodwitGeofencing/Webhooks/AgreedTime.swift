package import Foundation
internal import GodwitModel
package import GodwitStore

/// The time on which all servers of a database agree, in a transaction: that of the database if several servers may share it, because
/// the clock of one of them may be wrong; otherwise the clock of the only server.
package struct AgreedTime: Sendable {
  private let read: @Sendable (any SQLConnection, Date) throws -> Date

  /// - Parameter read: returns the time; it gets the connection and the time of this server.
  package init(_ read: @escaping @Sendable (any SQLConnection, Date) throws -> Date) { self.read = read }

  /// The database's clock where several servers may share the database.
  package static let database = AgreedTime { db, own in
    guard db.dialect.isShared else { return own }
    // This clock advances within a transaction.
    let time = try db.integer("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS time")
    return time.map { Date(millisecondsSince1970: $0) } ?? own
  }

  /// - Parameters:
  ///   - own: the time of this server.
  ///   - db: in a transaction.
  /// - Throws: the database's error.
  package func now(_ own: Date, _ db: any SQLConnection) throws -> Date { try read(db, own) }
}
