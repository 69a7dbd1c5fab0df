internal import GodwitColumns
internal import GodwitModel

/// Points of one device by column, in the order of their keys: the input of a block.
struct PointColumns {
  private(set) var table: ColumnTable

  /// No points. - Parameter columns: include those of the key.
  private init(_ columns: [PointColumn]) {
    let integers = columns.filter { $0 != .extras }.map { ColumnTable.Integers(id: $0.rawValue, values: [], present: nil) }
    let texts = columns.contains(.extras) ? [ColumnTable.Texts(id: PointColumn.extras.rawValue, values: [])] : []
    table = ColumnTable(count: 0, integers: integers, texts: texts)
  }

  /// - Parameter table: points in the order of their keys.
  init(_ table: ColumnTable) { self.table = table }

  /// The given columns of the points of a block. Columns that the block does not have contain no values.
  init(_ columns: [PointColumn], of block: SealedBlock) {
    self.init(columns)
    for index in table.integers.indices {
      let id = PointColumn(rawValue: table.integers[index].id)
      if let id, case .integers(let values, let present)? = block.values[id] {
        (table.integers[index].values, table.integers[index].present) = (values, present)
      } else {
        table.integers[index].values = Array(repeating: 0, count: block.count)
        table.integers[index].present = Array(repeating: false, count: block.count)
      }
    }
    for index in table.texts.indices {
      if case .texts(let values)? = block.values[.extras] {
        table.texts[index].values = values
      } else {
        table.texts[index].values = Array(repeating: nil, count: block.count)
      }
    }
    table.count = block.count
  }

  /// Merges lists of points in the order of their keys, without duplicates.
  init(_ columns: [PointColumn], merging lists: [PointColumns]) {
    if let only = lists.first, lists.count == 1 {
      self = only
      return
    }
    self.init(columns)
    var order = lists.indices.flatMap { list in (0..<lists[list].count).map { (list, $0) } }
      .sorted { lists[$0.0].key($0.1) < lists[$1.0].key($1.1) }
    // A point that was stored again while its block was damaged is in two lists.
    let isDouble = order.indices.map {
      $0 > 0 && lists[order[$0].0].key(order[$0].1) == lists[order[$0 - 1].0].key(order[$0 - 1].1)
    }
    if isDouble.contains(true) { order = zip(order, isDouble).filter { !$0.1 }.map(\.0) }
    for index in table.integers.indices {
      table.integers[index].values = order.map { lists[$0.0].table.integers[index].values[$0.1] }
      guard lists.contains(where: { $0.table.integers[index].present != nil }) else { continue }
      table.integers[index].present = order.map { lists[$0.0].table.integers[index].present?[$0.1] ?? true }
    }
    for index in table.texts.indices {
      table.texts[index].values = order.map { lists[$0.0].table.texts[index].values[$0.1] }
    }
    table.count = order.count
  }

  var count: Int { table.count }

  /// The key of a point.
  func key(_ index: Int) -> PointKey {
    // The key's columns are the first ones.
    PointKey(
      time: table.integers[0].values[index], latitude: table.integers[1].values[index],
      longitude: table.integers[2].values[index])
  }

  mutating func removeLast(keeping count: Int) { self = part(0..<count) }

  /// Returns a range of the points.
  func part(_ range: Range<Int>) -> PointColumns {
    var part = self
    for index in table.integers.indices {
      part.table.integers[index].values = Array(table.integers[index].values[range])
      part.table.integers[index].present = table.integers[index].present.map { Array($0[range]) }
    }
    for index in table.texts.indices { part.table.texts[index].values = Array(table.texts[index].values[range]) }
    part.table.count = range.count
    return part
  }

  /// Returns the header of a block with these points; `nil` if there are none.
  func header(ofDevice device: Int64) -> BlockTable.Header? {
    let (latitudes, longitudes) = (table.integers[1].values, table.integers[2].values)
    guard let first = table.integers[0].values.first, let last = table.integers[0].values.last, let south = latitudes.min(),
      let north = latitudes.max(), let west = longitudes.min(), let east = longitudes.max()
    else { return nil }
    return BlockTable.Header(
      device: device, times: first...last, count: count, latitudes: south...north, longitudes: west...east)
  }
}
