package import GodwitPostgres

/// PostgreSQL as a ``SQLConnection``.
///
/// A parameter has the type of its value: a comparison with a column of another type needs `CAST`. All rows of a query
/// are received before the first is delivered, so large results need pages.
package final class PostgresConnection: SQLConnection {
  /// The session, for statements that only PostgreSQL has.
  package let session: PostgresSession

  package init(_ session: PostgresSession) { self.session = session }

  package var dialect: SQLDialect { .postgres }

  package func run(_ sql: String, with arguments: [SQLArgument]) throws -> Int {
    try session.run(sql, arguments.map(\.postgres)).changes
  }

  package func query(_ sql: String, with arguments: [SQLArgument], _ body: (any SQLRow) throws -> Bool) throws {
    let rows = try session.run(sql, arguments.map(\.postgres))
    while rows.next() { if try !body(rows) { return } }
  }
}

extension PostgresRows: SQLRow {}

extension SQLArgument {
  fileprivate var postgres: PostgresValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .blob(let value): .blob(value)
    }
  }
}
