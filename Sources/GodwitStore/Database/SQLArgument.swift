/// A parameter's value in any database.
package enum SQLArgument: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// The arguments of a statement. A key path would be created at each call, which takes longer than a short statement.
  static func list(_ values: [any SQLValue]) -> [SQLArgument] { values.map { $0.argument } }
}

/// A type that can be a parameter.
package protocol SQLValue {
  var argument: SQLArgument { get }
}

extension Int64: SQLValue { package var argument: SQLArgument { .integer(self) } }
extension Int: SQLValue { package var argument: SQLArgument { .integer(Int64(self)) } }
/// 1 or 0, in a column of integers.
extension Bool: SQLValue { package var argument: SQLArgument { .integer(self ? 1 : 0) } }
extension Double: SQLValue { package var argument: SQLArgument { .real(self) } }
extension String: SQLValue { package var argument: SQLArgument { .text(self) } }
extension [UInt8]: SQLValue { package var argument: SQLArgument { .blob(self) } }
extension Optional: SQLValue where Wrapped: SQLValue {
  package var argument: SQLArgument {
    // Not by a key path: it would be created for each value.
    map { $0.argument } ?? .null
  }
}
