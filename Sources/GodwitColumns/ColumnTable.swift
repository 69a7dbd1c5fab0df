/// A table of columns, which is the content of a block. All columns have ``count`` rows. Each column has a different
/// ``Integers/id``.
package struct ColumnTable: Equatable, Sendable {
  /// A column of numbers.
  package struct Integers: Equatable, Sendable {
    /// Identifies the column in its table. Columns of texts and of integers share the ids.
    package var id: UInt8
    /// A number for each row; 0 if the row has none.
    package var values: [Int64]
    /// Whether each row has a number; `nil` if all have one.
    package var present: [Bool]?

    package init(id: UInt8, values: [Int64], present: [Bool]? = nil) {
      self.id = id
      self.values = values
      self.present = present
    }
  }

  /// A column of texts.
  package struct Texts: Equatable, Sendable {
    package var id: UInt8
    /// A text for each row; `nil` if the row has none.
    package var values: [String?]

    package init(id: UInt8, values: [String?]) {
      self.id = id
      self.values = values
    }
  }

  /// Number of rows, 0...``ColumnCodec/maximumRows``.
  package var count: Int
  package var integers: [Integers]
  package var texts: [Texts]

  package init(count: Int, integers: [Integers] = [], texts: [Texts] = []) {
    self.count = count
    self.integers = integers
    self.texts = texts
  }

  /// The column of numbers with an id.
  package func integers(_ id: UInt8) -> Integers? { integers.first { $0.id == id } }

  /// The column of texts with an id.
  package func texts(_ id: UInt8) -> Texts? { texts.first { $0.id == id } }
}
