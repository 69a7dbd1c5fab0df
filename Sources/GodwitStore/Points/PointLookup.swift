internal import GodwitModel

/// Finds single points of a device, both in rows of `points` and in blocks.
package enum PointLookup {
  /// Calls `body` with a point.
  /// - Parameters:
  ///   - key: the point.
  ///   - columns: the columns of the row.
  ///   - device: the number of the device.
  ///   - db: the database.
  /// - Returns: the result of `body`; `nil` if there is no such point.
  package static func first<Value>(
    _ key: PointKey, _ columns: [PointColumn], ofDevice device: Int64, _ db: any SQLConnection,
    _ body: (any SQLRow) throws -> Value
  ) throws -> Value? {
    let all = PointColumn.withKey(columns)
    var value: Value?
    // Columns of PostgreSQL may have 32 bits. The parameters are cast to the type of the columns.
    try db.query(
      """
      \(PointColumn.select(all, db.dialect)) WHERE device = CAST(? AS INTEGER) AND time = ?
        AND latitude = CAST(? AS INTEGER) AND longitude = CAST(? AS INTEGER)
      """, with: [device, key.time, key.latitude, key.longitude].map(\.argument)
    ) {
      value = try body($0)
      return false
    }
    if let value { return value }
    guard let header = try BlockTable.header(ofDevice: device, beginningAtOrBefore: key.time, db), header.times.contains(key.time)
    else { return nil }
    let block = try BlockTable.block(header, columns: all, db)
    guard let index = block.index(of: key) else { return nil }
    var row = SealedRow(all, of: block, device: device)
    row.move(to: index)
    return try body(row)
  }

  /// Whether there is a point.
  package static func contains(_ key: PointKey, ofDevice device: Int64, _ db: any SQLConnection) throws -> Bool {
    try first(key, [], ofDevice: device, db) { _ in true } ?? false
  }

  /// Calls `body` with points from the newest to the oldest.
  /// - Parameters:
  ///   - columns: the columns of the rows.
  ///   - device: the number of the device.
  ///   - time: the points at or before this time.
  ///   - leavesOutFlagged: whether flagged points are left out.
  ///   - db: the database.
  ///   - body: the result of the first call that returns a value is returned.
  package static func newest<Value>(
    _ columns: [PointColumn], ofDevice device: Int64, atOrBefore time: Int64 = .max, leavesOutFlagged: Bool,
    _ db: any SQLConnection, _ body: (any SQLRow) throws -> Value?
  ) throws -> Value? {
    let all = PointColumn.withKey(columns)
    let condition = leavesOutFlagged ? " AND \(PointFlags.isUnflagged)" : ""
    var (value, end): (Value?, PointKey?) = (nil, nil)
    let position = try BlockTable.header(ofDevice: device, beginningAtOrBefore: time, db)
    try db.query(
      """
      \(PointColumn.select(all, db.dialect)) WHERE points.device = ? AND points.time <= ?\(condition)
      ORDER BY points.time DESC, points.latitude DESC, points.longitude DESC LIMIT 1
      """, with: [device.argument, time.argument]
    ) { row in
      end = try PointKey(row)
      value = try body(row)
      return false
    }
    // Rows are usually newer than all blocks, so no block is decoded.
    guard var header = position, end.map({ $0.time <= min(time, header.times.upperBound) }) ?? true else { return value }
    let flagged = leavesOutFlagged ? try PointFlags.flagged(ofDevice: device, .min..<Int64.max, db) : []
    while true {
      let block = try BlockTable.block(header, columns: all, db)
      var row = SealedRow(all, of: block, device: device)
      for index in (0..<block.count).reversed() where block.times[index] <= time && !flagged.contains(block.key(index)) {
        // All further points of blocks are before the row in the order of the points.
        if let end, block.key(index) < end { return value }
        row.move(to: index)
        if let found = try body(row) { return found }
      }
      guard header.times.lowerBound > .min,
        let before = try BlockTable.header(ofDevice: device, beginningAtOrBefore: header.times.lowerBound - 1, db)
      else { return value }
      header = before
    }
  }

  /// The time of the first point of a device.
  package static func begin(ofDevice device: Int64, _ db: any SQLConnection) throws -> Int64? {
    let row = try db.integer("SELECT min(time) FROM points WHERE device = ?", device)
    let block = try BlockTable.begin(ofDevice: device, db)
    return [row, block].compactMap { $0 }.min()
  }

  /// Calls `body` with the times of the sealed points of a device, in order.
  /// - Parameters:
  ///   - device: the number of the device.
  ///   - times: milliseconds since 1970; the end is excluded.
  ///   - db: the database.
  package static func forEachSealedTime(
    ofDevice device: Int64, _ times: Range<Int64>, _ db: any SQLConnection, _ body: (Int64) -> Void
  ) throws {
    for header in try BlockTable.headers(ofDevice: device, times, db) {
      for time in try BlockTable.block(header, columns: [], db).times where times.contains(time) { body(time) }
    }
  }

  /// The number of points of a device.
  /// - Parameters:
  ///   - device: the number of the device.
  ///   - times: milliseconds since 1970; the end is excluded.
  ///   - maximum: the greatest value that is returned; counting stops there.
  ///   - db: the database.
  package static func count(
    ofDevice device: Int64, _ times: Range<Int64>, maximum: Int = .max, _ db: any SQLConnection
  ) throws -> Int {
    let bound = maximum == .max ? "" : " LIMIT \(maximum)"
    let rows = try db.integer(
      "SELECT count(*) FROM (SELECT 1 FROM points WHERE device = ? AND time >= ? AND time < ?\(bound)) AS part", device,
      times.lowerBound, times.upperBound)
    var count = Int(rows ?? 0)
    for header in try BlockTable.headers(ofDevice: device, times, db) where count < maximum {
      if times.contains(header.times.lowerBound), times.contains(header.times.upperBound) {
        count += header.count
      } else {
        let block = try BlockTable.block(header, columns: [], db)
        count += block.index(from: times.upperBound) - block.index(from: times.lowerBound)
      }
    }
    return min(count, maximum)
  }
}
