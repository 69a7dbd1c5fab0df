/// The coding of a column of numbers without absent values. ``ColumnCodec`` describes the format.
enum IntegerColumn {
  /// A column to which a later column can refer.
  struct Reference {
    let id: UInt8
    /// The values; as many as the column that refers to this one has.
    let values: [Int64]
  }

  /// How a column is encoded.
  struct Plan {
    var source = SeriesSource.plain
    var predictor = Predictor.delta
    /// The column whose steps ``Predictor/paced`` uses, by its position among the references.
    var pace: Int?
  }
}

// MARK: Encoding

extension IntegerColumn {
  /// Encodes a column without references to other columns.
  static func encode(_ values: [Int64], with zstandard: Zstandard, into writer: inout BlockWriter) {
    guard !values.isEmpty else { return }
    let plan = SeriesChoice(values, references: [], allowsDictionary: false).plan
    write(values, plan, references: [], with: zstandard, into: &writer)
  }

  /// Encodes a column that may refer to other columns, with the ids of the columns that it refers to.
  static func encode(_ values: [Int64], references: [Reference], with zstandard: Zstandard, into writer: inout BlockWriter) {
    guard !values.isEmpty else { return }
    let plan = SeriesChoice(values, references: references, allowsDictionary: true).plan
    write(values, plan, references: references, with: zstandard, into: &writer)
  }

  private static func write(
    _ values: [Int64], _ plan: Plan, references: [Reference], with zstandard: Zstandard, into writer: inout BlockWriter
  ) {
    var series = values
    let predictor = plan.predictor.rawValue
    switch plan.source {
    case .plain: writer.byte(predictor)
    case .dictionary: writer.byte(predictor | 1 << 2)
    case .relative(let relation, let place):
      writer.byte(predictor | (relation.isSum ? 3 : 2) << 2 | UInt8(truncatingIfNeeded: relation.power) << 4)
      writer.byte(references[place].id)
      let other = references[place].values
      for row in series.indices { series[row] = relation.difference(series[row], other[row]) }
    }
    if let pace = plan.pace { writer.byte(references[pace].id) }
    if case .dictionary(let distinct) = plan.source {
      series = distinct.places
      writer.number(UInt64(distinct.sorted.count))
      var part = BlockWriter()
      encode(distinct.sorted, with: zstandard, into: &part)
      writer.counted(part.bytes)
    }
    writer.signed(series[0])
    let divisor = SeriesScale.divide(&series)
    writer.number(UInt64(divisor))
    var level: Int64 = 0
    if plan.predictor == .level {
      level = SeriesScale.middle(series)
      writer.signed(level)
    }
    let pace = plan.pace.map { references[$0].values } ?? []
    ResidualStream.encode(residuals(series, plan.predictor, level: level, pace: pace), with: zstandard, into: &writer)
  }

  /// Returns the residuals of all rows but the first.
  private static func residuals(_ series: [Int64], _ predictor: Predictor, level: Int64, pace: [Int64]) -> [UInt64] {
    series.withUnsafeBufferPointer { series in
      pace.withUnsafeBufferPointer { pace in
        [UInt64](unsafeUninitializedCapacity: series.count - 1) { residuals, filled in
          for row in 1..<max(series.count, 1) {
            residuals[row &- 1] = ZigZag.encoded(series.residual(row, predictor, level: level, pace: pace))
          }
          filled = series.count - 1
        }
      }
    }
  }
}

// MARK: Decoding

extension IntegerColumn {
  /// Reads the ids of the columns to which a column refers.
  static func references(_ content: UnsafeRawBufferPointer) throws(ColumnDamage) -> [UInt8] {
    var reader = BlockReader(content)
    let head = try Head(try reader.byte())
    return Array(try reader.part(head.references))
  }

  /// Decodes a column.
  /// - Parameter column: returns the values of the column with an id, as many as this column has.
  static func decode(
    _ count: Int, with zstandard: Zstandard, from reader: inout BlockReader, isPart: Bool = false,
    column: (UInt8) throws(ColumnDamage) -> [Int64]
  ) throws(ColumnDamage) -> [Int64] {
    guard count > 0 else { return [] }
    let head = try Head(try reader.byte())
    var (other, pace): ([Int64], [Int64]) = ([], [])
    if head.relation != nil { other = try column(try reader.byte()) }
    if head.predictor == .paced { pace = try column(try reader.byte()) }
    guard head.relation == nil || other.count == count, head.predictor != .paced || pace.count == count else {
      throw ColumnDamage("a column follows one with another number of rows")
    }
    var distinct: [Int64]?
    if head.hasDictionary {
      // A dictionary must not have a dictionary.
      guard !isPart else { throw ColumnDamage("a column has a dictionary in another one") }
      let size = try reader.number(limit: count)
      var part = BlockReader(try reader.counted())
      distinct = try decode(size, with: zstandard, from: &part, isPart: true, column: column)
      guard part.rest == 0 else { throw ColumnDamage("a column has bytes after its dictionary") }
    }
    let first = try reader.signed()
    let divisor = Int64(bitPattern: try reader.number())
    let level = head.predictor == .level ? try reader.signed() : 0
    let residuals = try ResidualStream.decode(count - 1, with: zstandard, from: &reader)
    var series = restored(residuals, head.predictor, level: level, pace: pace)
    if divisor != 1 || first != 0 {
      for row in series.indices { series[row] = first &+ series[row] &* divisor }
    }
    if let relation = head.relation {
      for row in series.indices { series[row] = relation.restored(series[row], other[row]) }
    }
    if let distinct {
      for row in series.indices {
        guard let value = distinct.indices.contains(Int(series[row])) ? distinct[Int(series[row])] : nil else {
          throw ColumnDamage("a row has a value that is not in the dictionary")
        }
        series[row] = value
      }
    }
    return series
  }

  /// Decodes a column that does not refer to others.
  static func decode(_ count: Int, with zstandard: Zstandard, from reader: inout BlockReader) throws(ColumnDamage) -> [Int64] {
    try decode(count, with: zstandard, from: &reader) { (_) throws(ColumnDamage) in
      throw ColumnDamage("a part of a column follows another column")
    }
  }

  /// The first byte of a column.
  private struct Head {
    let predictor: Predictor
    let hasDictionary: Bool
    let relation: Relation?

    init(_ byte: UInt8) throws(ColumnDamage) {
      guard let predictor = Predictor(rawValue: byte & 3), byte < 0x30, byte < 0x10 || byte & 0x08 != 0 else {
        throw ColumnDamage("a column has an unknown form")
      }
      self.predictor = predictor
      hasDictionary = byte & 0x0c == 0x04
      relation = byte & 0x08 == 0 ? nil : Relation(isSum: byte & 0x04 != 0, power: Int(byte >> 4))
    }

    var references: Int { (relation == nil ? 0 : 1) + (predictor == .paced ? 1 : 0) }
  }

  /// Restores the series that begins with 0 from its residuals.
  private static func restored(_ residuals: [UInt64], _ predictor: Predictor, level: Int64, pace: [Int64]) -> [Int64] {
    let count = residuals.count + 1
    return residuals.withUnsafeBufferPointer { residuals in
      pace.withUnsafeBufferPointer { pace in
        [Int64](unsafeUninitializedCapacity: count) { series, filled in
          filled = count
          var (value, step): (Int64, Int64) = (0, 0)
          series[0] = 0
          switch predictor {
          case .level:
            for row in 1..<count { series[row] = level &+ ZigZag.decoded(residuals[row &- 1]) }
          case .delta:
            for row in 1..<count {
              value &+= ZigZag.decoded(residuals[row &- 1])
              series[row] = value
            }
          case .linear:
            for row in 1..<count {
              step &+= ZigZag.decoded(residuals[row &- 1])
              value &+= step
              series[row] = value
            }
          case .paced:
            for row in 1..<count {
              if row > 1 {
                step = Predictor.pacedStep(
                  step, before: pace[row &- 1] &- pace[row &- 2], now: pace[row] &- pace[row &- 1])
              }
              step &+= ZigZag.decoded(residuals[row &- 1])
              value &+= step
              series[row] = value
            }
          }
        }
      }
    }
  }
}
