/// Why a block cannot be read: its bytes are not those that were written, or a program wrote them that this one does not know.
package struct ColumnDamage: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong, as part of a sentence: "its checksum is wrong".
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { "A block of columns is damaged: \(reason)." }
}

/// Why a table cannot become a block: it breaks a limit of the format.
package struct ColumnLimit: Error, Equatable, Sendable, CustomStringConvertible {
  /// Which limit, as part of a sentence.
  package let reason: String

  init(_ reason: String) { self.reason = reason }

  package var description: String { "A table of columns cannot be encoded: \(reason)." }
}
