package import GodwitSQLite

/// SQLite as a ``SQLConnection``.
package final class SQLiteConnection: SQLConnection {
  /// The database, for statements that only SQLite has.
  package let database: Database

  package init(_ database: Database) { self.database = database }

  package var dialect: SQLDialect { .sqlite }

  package func run(_ sql: String, with arguments: [SQLArgument]) throws -> Int {
    let statement = try database.statement(sql)
    try statement.bind(arguments.map(\.sqlite))
    defer { statement.reset() }
    let before = database.totalChanges
    while try statement.step() {}
    // `changes` still has the number of the previous statement if this one changes nothing.
    return database.totalChanges == before ? 0 : database.changes
  }

  package func query(_ sql: String, with arguments: [SQLArgument], _ body: (any SQLRow) throws -> Bool) throws {
    let statement = try database.statement(sql)
    try statement.bind(arguments.map(\.sqlite))
    defer { statement.reset() }
    while try statement.step() {
      guard try body(statement) else { return try statement.checkMemory() }
    }
  }
}

extension Statement: SQLRow {}

extension SQLArgument {
  fileprivate var sqlite: any SQLiteValue {
    switch self {
    case .null: Int64?.none
    case .integer(let value): value
    case .real(let value): value
    case .text(let value): value
    case .blob(let value): value
    }
  }
}
