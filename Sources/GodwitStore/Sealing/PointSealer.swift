internal import GodwitColumns
internal import GodwitModel
internal import GodwitPostgres

/// Moves points from rows of `points` into blocks, and back. Must be called in a transaction that holds the lock of the device's row.
package struct PointSealer {
  private let device: Int64
  private let db: any SQLConnection
  private let columns: [PointColumn]

  /// The usual number of points of a block. Larger blocks save little space, and reading a day decodes at least one block.
  static let usual = 4_096
  /// A block with fewer points is rewritten together with the points that follow it.
  static let small = 2_048
  /// The maximum number of rows of one step. A step ends between two times, because all points of one time are in one block.
  static let maximum = 16_384
  /// The maximum number of blocks that one step rewrites.
  static let blocksOfStep = 4

  /// - Parameters:
  ///   - device: the number of the device.
  ///   - db: in a transaction.
  package init(ofDevice device: Int64, _ db: any SQLConnection) {
    (self.device, self.db) = (device, db)
    columns = PointColumn.stored(db.dialect).filter { $0 != .device }
  }

  // MARK: Sealing

  /// The result of a step of sealing.
  package struct Step: Sendable, Hashable {
    /// Number of points that this step moved from rows into blocks.
    package var sealed = 0
    /// Where the next step begins; `nil` if there is nothing left to seal.
    package var next: Int64?
  }

  /// Seals the first rows of a device: about as many as two usual blocks have, in the times of at most four existing blocks.
  /// - Parameters:
  ///   - begin: rows before this time stay rows.
  ///   - end: rows at or after this time stay rows. Milliseconds since 1970, as `begin`.
  ///   - minimum: if fewer rows follow the last block, they stay rows.
  /// - Throws: ``DamagedBlock``, ``DamagedDay``, an error of the encoding, or the database's error. After an error the transaction
  ///   must be rolled back.
  package func sealFirst(from begin: Int64, before end: Int64, minimum: Int) throws -> Step {
    guard
      let first = try db.integer("SELECT min(time) FROM points WHERE device = ? AND time >= ? AND time < ?", device, begin, end)
    else { return Step() }
    let existing = try BlockTable.headers(ofDevice: device, first..<end, maximum: Self.blocksOfStep + 1, db)
    let limit = existing.count > Self.blocksOfStep ? existing[Self.blocksOfStep].times.lowerBound : end
    let rows = try rows(from: first, before: limit)
    let next = rows.next ?? (limit < end ? limit : nil)
    let points = rows.columns
    guard points.count > 0, !existing.isEmpty || points.count >= minimum else { return Step(next: next) }
    let last = points.key(points.count - 1).time
    // Sealing damaged rows would give them a valid checksum.
    try PointHashes.check(ofDevice: device, first...last, db)
    // Late points are merged into the block of their time. New points first fill the last block.
    var changed = existing.filter { $0.times.lowerBound <= last }
    if changed.first?.times.contains(first) != true, first > .min,
      let before = try BlockTable.header(ofDevice: device, beginningAtOrBefore: first - 1, db), before.count < Self.small
    {
      changed.insert(before, at: 0)
    }
    let blocks = try changed.map { try BlockTable.block($0, columns: columns, db) }
    let parts = parts(of: PointColumns(columns, merging: blocks.map { PointColumns(columns, of: $0) } + [points]))
    let contents = try ColumnCodec.encode(parts.map(\.table)) {
      for header in changed { try BlockTable.delete(header, db) }
      try delete(points)
    }
    for (part, content) in zip(parts, contents) {
      if let header = part.header(ofDevice: device) { try BlockTable.insert(header, content: content, db) }
    }
    return Step(sealed: points.count, next: next)
  }

  /// Rows in the order of their keys.
  private struct Rows {
    var columns: PointColumns
    /// The time from which the next rows begin; `nil` if there are no more.
    var next: Int64?
  }

  /// Reads the rows of about two blocks. Reads all rows of a time, or none.
  private func rows(from begin: Int64, before end: Int64) throws -> Rows {
    var rows = PointRows(columns)
    var (times, isComplete): ([Int64], Bool) = ([], true)
    try db.query(
      """
      \(PointColumn.select(self.columns, db.dialect)) WHERE points.device = ? AND points.time >= ? AND points.time < ?
      ORDER BY points.device, points.time, points.latitude, points.longitude LIMIT ?
      """, with: [device, begin, end, Int64(Self.maximum + 1)].map(\.argument)
    ) { row in
      let time = row.integer(0)
      if times.count >= 2 * Self.usual, let last = times.last, last < time {
        isComplete = false
        return false
      }
      times.append(time)
      rows.append(row)
      return true
    }
    var columns = rows.columns
    guard let last = times.last else { return Rows(columns: columns) }
    let next = last == .max ? nil : last + 1
    guard times.count <= Self.maximum else {
      // Too many rows have the same time for one block; they stay rows.
      columns.removeLast(keeping: times.partitioningIndex { $0 >= last })
      return Rows(columns: columns, next: next)
    }
    return Rows(columns: columns, next: isComplete ? nil : next)
  }

  /// Deletes the rows of points.
  private func delete(_ points: PointColumns) throws {
    let (first, last) = (points.key(0).time, points.key(points.count - 1).time)
    let count = try db.run("DELETE FROM points WHERE device = ? AND time >= ? AND time <= ?", device, first, last)
    guard count == points.count else { throw ConcurrentChange(device: device) }
  }

  /// An error: another connection changed points of the device without holding the lock.
  struct ConcurrentChange: Error, CustomStringConvertible {
    let device: Int64
    var description: String { "The points of device \(device) changed while they were compressed. Nothing was changed." }
  }

  /// Divides points into parts of about the usual number, one for each block.
  private func parts(of points: PointColumns) -> [PointColumns] {
    var (parts, start): ([PointColumns], Int) = ([], 0)
    while start < points.count {
      let rest = points.count - start
      let count = max(1, (rest + Self.usual / 2) / Self.usual)
      var end = start + (rest + count - 1) / count
      // All points of a time are in one block.
      while end < points.count, points.key(end).time == points.key(end - 1).time { end += 1 }
      parts.append(points.part(start..<end))
      start = end
    }
    return parts
  }

  // MARK: Opening

  /// Converts whole blocks to rows again, so that SQL statements can change their points.
  /// - Parameter times: blocks with times in this range; milliseconds since 1970, the end is excluded.
  /// - Throws: ``DamagedBlock``, or the database's error.
  package func open(_ times: Range<Int64>) throws {
    for header in try BlockTable.headers(ofDevice: device, times, db) { try open(header) }
  }

  /// Converts a block to rows again.
  /// - Throws: ``DamagedBlock``, or the database's error.
  package func open(_ header: BlockTable.Header) throws {
    try insertRows(of: try BlockTable.block(header, columns: columns, db))
    try BlockTable.delete(header, db)
  }

  private func insertRows(of block: SealedBlock) throws {
    let layout = PointColumn.stored(db.dialect)
    var row = SealedRow(layout, of: block, device: device)
    if let session = (db as? PostgresConnection)?.session {
      for month in Set(block.times.map { PostgresPartitions.Month(milliseconds: $0) }) {
        try PostgresPartitions.attachIfPlausible(month, db)
      }
      var copy = PostgresCopyRows(columns: Int16(layout.count))
      for index in 0..<block.count {
        row.move(to: index)
        copy.appendRow()
        for (position, column) in layout.enumerated() { copy.append(row, Int32(position), column) }
      }
      let names = layout.map(\.name).joined(separator: ", ")
      try session.copy("COPY points (\(names)) FROM STDIN (FORMAT binary)", copy.finished())
      return
    }
    let values = layout.map { _ in "?" }.joined(separator: ", ")
    let sql = "INSERT INTO points (\(layout.map(\.name).joined(separator: ", "))) VALUES (\(values))"
    for index in 0..<block.count {
      row.move(to: index)
      let arguments = layout.enumerated().map { position, column -> SQLArgument in
        let position = Int32(position)
        if row.isNull(position) { return .null }
        return column == .extras ? .text(row.text(position)) : .integer(row.integer(position))
      }
      _ = try db.run(sql, with: arguments)
    }
  }
}

extension PostgresCopyRows {
  /// Appends a value in the type of its column.
  fileprivate mutating func append(_ row: SealedRow, _ position: Int32, _ column: PointColumn) {
    guard !row.isNull(position) else { return appendNull() }
    let number = row.integer(position)
    switch column {
    case .extras: append(row.text(position))
    case .time, .received, .sequence: append(number)
    case .batteryLevel, .batteryState, .motion: append(Int16(clamping: number))
    default: append(Int32(clamping: number))
    }
  }
}
