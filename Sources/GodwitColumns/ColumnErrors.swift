/// Why a block cannot be decoded: its bytes were changed, or an unknown version of the format was used.
package struct ColumnDamage: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault, as part of a sentence: "its checksum is wrong".
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { "A block of columns is damaged: \(reason)." }
}

/// Why a table cannot be encoded: it exceeds a limit of the format.
package struct ColumnLimit: Error, Equatable, Sendable, CustomStringConvertible {
  /// The limit, as part of a sentence.
  package let reason: String

  init(_ reason: String) { self.reason = reason }

  package var description: String { "A table of columns cannot be encoded: \(reason)." }
}
