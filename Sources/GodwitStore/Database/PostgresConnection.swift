package import GodwitPostgres

/// PostgreSQL as a ``SQLConnection``.
///
/// A parameter is of the type of its value: where a column is compared with another type, the statement says `CAST`. A query's
/// rows have all come before the first is given out, so what may have very many is asked for in pages.
package final class PostgresConnection: SQLConnection {
  /// For what is written for PostgreSQL alone.
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
