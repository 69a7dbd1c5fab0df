internal import GodwitSQLite
internal import GodwitStore
internal import GodwitTransfer

/// Replaces unreadable blocks of points with the points of a snapshot.
struct BlockRepair {
  static let table = "point_blocks"

  /// The path of the snapshot, with the newest schema.
  let snapshot: String
  /// The database that is repaired, in a transaction.
  let connection: SQLiteConnection

  /// Removes blocks whose content does not match the block's checksum, although their pages match theirs. Their time ranges become gaps.
  static func removeDamaged(_ db: SQLiteConnection, from result: inout TableSalvage.Result) throws {
    for block in try BlockScrub.damaged(db) {
      let (first, last) = (block.times.lowerBound, block.times.upperBound)
      let removed = try db.run("DELETE FROM \(table) WHERE device = ? AND first = ?", block.device, first)
      result.rows -= Int64(removed)
      result.gaps.append("(device, first) = (\(block.device), \(first)), a block that fails its own checksum,")
      result.gapKeys.append(
        TableSalvage.Result.GapKeys(after: [block.device, first], before: [block.device, last == .max ? last : last + 1]))
    }
  }

  /// Removes the snapshot's blocks from the copy.
  func begin() throws { try connection.run("DELETE FROM \(Self.table)") }

  /// Stores the snapshot's points whose times no block covers.
  /// - Parameter gaps: between keys of blocks: device and first time.
  /// - Returns: the number of stored points.
  func fill(_ gaps: [TableSalvage.Result.GapKeys]) throws -> Int64 {
    guard !gaps.isEmpty else { return 0 }
    let source = SQLiteConnection(try Database(path: snapshot, access: .readOnly))
    var count: Int64 = 0
    for device in try source.all("SELECT id FROM devices ORDER BY id", body: { try $0.integer("id") }) {
      for gap in gaps {
        if let times = try times(of: gap, device) { count += try copy(device, times, from: source) }
      }
    }
    return count
  }

  /// The times of a gap within a device; `nil` if the gap has no times of the device.
  private func times(of gap: TableSalvage.Result.GapKeys, _ device: Int64) throws -> Range<Int64>? {
    var (first, end): (Int64, Int64) = (.min, .max)
    if let after = gap.after, after.count == 2 {
      guard after[0] <= device else { return nil }
      if after[0] == device {
        let last = try connection.integer(
          "SELECT last FROM \(Self.table) WHERE device = ? AND first = ?", device, after[1])
        first = last.map { $0 < .max ? $0 + 1 : $0 } ?? after[1]
      }
    }
    if let before = gap.before, before.count == 2 {
      guard before[0] >= device else { return nil }
      if before[0] == device { end = before[1] }
    }
    return first < end ? first..<end : nil
  }

  private func copy(_ device: Int64, _ times: Range<Int64>, from source: SQLiteConnection) throws -> Int64 {
    let columns = PointColumn.stored(.sqlite)
    let names = columns.map(\.name).joined(separator: ", ")
    let sql = "INSERT INTO points (\(names)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", "))) ON CONFLICT DO NOTHING"
    var count: Int64 = 0
    try PointReader(columns, of: PointSpan(device: device, times), source).readEach { row in
      let values = try columns.map { column -> SQLArgument in
        if column == .extras { return try row.optionalText(column.name).map { .text($0) } ?? .null }
        return try row.optionalInteger(column.name).map { .integer($0) } ?? .null
      }
      count += Int64(try connection.run(sql, with: values))
    }
    return count
  }
}
