internal import GodwitColumns
internal import GodwitModel

/// A decoded block of points.
struct SealedBlock {
  let header: BlockTable.Header
  private(set) var times: [Int64]
  private(set) var latitudes: [Int64]
  private(set) var longitudes: [Int64]
  /// All decoded columns, including the key.
  private(set) var values: [PointColumn: Values]

  /// The values of a column.
  enum Values {
    case integers([Int64], present: [Bool]?)
    case texts([String?])
  }

  /// - Parameters:
  ///   - header: the row of the block.
  ///   - content: the encoded columns.
  ///   - columns: the columns to decode, in addition to the key.
  ///   - last: caches the last decoded block; `nil`: no cache.
  /// - Throws: `ColumnDamage`.
  init(_ header: BlockTable.Header, content: [UInt8], columns: [PointColumn], last: LastTable?) throws(ColumnDamage) {
    let ids = Self.decoded(columns)
    let table = if let last { try last.decode(content, columns: ids) } else { try ColumnCodec.decode(content, columns: ids) }
    let values = Self.values(of: table)
    guard case .integers(let times, nil)? = values[.time], case .integers(let latitudes, nil)? = values[.latitude],
      case .integers(let longitudes, nil)? = values[.longitude], table.count == header.count,
      times.first == header.times.lowerBound, times.last == header.times.upperBound
    else { throw ColumnDamage("its columns do not match its row") }
    (self.header, self.times, self.latitudes, self.longitudes) = (header, times, latitudes, longitudes)
    self.values = values
    if columns.contains(.delay), values[.delay] == nil { derive(.delay, from: .received) { PointColumn.delay(from: $0, to: $1) } }
    if columns.contains(.received), values[.received] == nil {
      derive(.received, from: .delay) { $0 &+ $1 &* 1000 }
    }
  }

  /// The numbers of the columns to decode for some columns.
  static func decoded(_ columns: [PointColumn]) -> Set<UInt8> {
    var ids = Set((columns + PointColumn.key).map(\.rawValue))
    // A block has only one of the two columns; the other is computed from it.
    if ids.contains(PointColumn.delay.rawValue) { ids.insert(PointColumn.received.rawValue) }
    if ids.contains(PointColumn.received.rawValue) { ids.insert(PointColumn.delay.rawValue) }
    return ids
  }

  /// The columns of a table that are columns of points.
  static func values(of table: ColumnTable) -> [PointColumn: Values] {
    var values: [PointColumn: Values] = [:]
    for column in table.integers {
      if let known = PointColumn(rawValue: column.id) { values[known] = .integers(column.values, present: column.present) }
    }
    for column in table.texts { if let known = PointColumn(rawValue: column.id) { values[known] = .texts(column.values) } }
    return values
  }

  /// A column whose points may have no number.
  struct OptionalColumn {
    private let numbers: [Int64]
    /// Whether each point has a number; empty if all have one.
    private let present: [Bool]

    init(_ numbers: [Int64] = [], present: [Bool]? = nil) { (self.numbers, self.present) = (numbers, present ?? []) }
    init(repeating number: Int64, count: Int) { self.init(Array(repeating: number, count: count)) }

    @inline(__always)
    subscript(index: Int) -> Int64? {
      numbers.isEmpty || (!present.isEmpty && !present[index]) ? nil : numbers[index]
    }

    /// The number in units of `1 / factor`.
    @inline(__always)
    func value(_ index: Int, _ factor: Double) -> Double? { self[index].map { Double($0) / factor } }
  }

  func optional(_ column: PointColumn) -> OptionalColumn {
    guard case .integers(let numbers, let present)? = values[column] else { return OptionalColumn() }
    return OptionalColumn(numbers, present: present)
  }

  /// The texts of all points; empty if the block has none.
  func texts(_ column: PointColumn) -> [String?] {
    guard case .texts(let values)? = values[column] else { return [] }
    return values
  }

  var count: Int { times.count }

  /// Computes a column from the times and another column.
  private mutating func derive(_ column: PointColumn, from other: PointColumn, _ value: (Int64, Int64) -> Int64) {
    guard case .integers(let values, let present)? = self.values[other] else { return }
    self.values[column] = .integers(zip(times, values).map(value), present: present)
  }

  /// The key of a point.
  func key(_ index: Int) -> PointKey { PointKey(time: times[index], latitude: latitudes[index], longitude: longitudes[index]) }

  /// The index of the first point at or after a time.
  func index(from time: Int64) -> Int { times.partitioningIndex { $0 >= time } }

  /// The index of the first point after a key.
  func index(after key: PointKey) -> Int {
    var index = index(notBefore: key)
    while index < count, self.key(index) == key { index += 1 }
    return index
  }

  /// The index of the first point at or after a key.
  func index(notBefore key: PointKey) -> Int {
    var index = index(from: key.time)
    while index < count, self.key(index) < key { index += 1 }
    return index
  }

  /// The index of a point; `nil` if the block does not have it.
  func index(of key: PointKey) -> Int? {
    let index = index(notBefore: key)
    return index < count && self.key(index) == key ? index : nil
  }
}
