internal import GodwitModel

/// Reads points in the order of their keys, no matter whether they are rows of `points` or in blocks.
package struct PointReader {
  private let span: PointSpan
  private let columns: [PointColumn]
  /// `SELECT … FROM points …`, of rows whose first columns are `columns`.
  private let select: String
  private let db: any SQLConnection

  /// - Parameters:
  ///   - columns: the columns of the rows, by position. The columns of the key that are not among them follow.
  ///   - span: the points.
  ///   - db: the database.
  package init(_ columns: [PointColumn], of span: PointSpan, _ db: any SQLConnection) {
    let all = PointColumn.withKey(columns)
    self.init(all, select: PointColumn.select(all, db.dialect), of: span, db)
  }

  /// - Parameters:
  ///   - columns: the columns of points of blocks, by position, with the key.
  ///   - select: `SELECT … FROM points …`, which begins with the same columns.
  ///   - span: the points.
  ///   - db: the database.
  init(_ columns: [PointColumn], select: String, of span: PointSpan, _ db: any SQLConnection) {
    (self.columns, self.select, self.span, self.db) = (columns, select, span, db)
  }

  /// Reads the points.
  /// - Parameter body: receives each point as a row, valid during the call, and returns whether to continue.
  /// - Throws: ``DamagedBlock``, or the database's error.
  package func read(_ body: (any SQLRow) throws -> Bool) throws { try read(rows: body, sealed: body) }

  /// Calls `body` with each point as a row.
  /// - Throws: ``DamagedBlock``, or the database's error.
  package func readEach(_ body: (any SQLRow) throws -> Void) throws {
    try read {
      try body($0)
      return true
    }
  }

  /// The same with one function for rows of the table and one for points of blocks.
  func read(rows: (any SQLRow) throws -> Bool, sealed: (SealedRow) throws -> Bool) throws {
    guard try BlockTable.exists(device: span.device, span.times, db) else { return try readRows(rows) }
    let key = PointColumn.key.compactMap { columns.firstIndex(of: $0) }.map { Int32($0) }
    var blocks = try BlockPoints(span, columns, db)
    var left = span.limit
    /// Calls `sealed` with the points of blocks before a key; `nil`: with all. - Returns: whether to continue.
    func readBlocks(to end: PointKey?) throws -> Bool {
      while let row = try blocks.next(before: end) {
        left -= 1
        if try !sealed(row) || left <= 0 { return false }
      }
      return true
    }
    var continues = true
    try readRows { row in
      let point = PointKey(time: row.integer(key[0]), latitude: row.integer(key[1]), longitude: row.integer(key[2]))
      continues = try readBlocks(to: point)
      guard continues else { return false }
      left -= 1
      continues = try rows(row) && left > 0
      return continues
    }
    if continues { _ = try readBlocks(to: nil) }
  }

  private func readRows(_ body: (any SQLRow) throws -> Bool) throws {
    let (text, arguments) = span.sql(select)
    try db.query(text, with: arguments, body)
  }
}

/// The points of blocks in a span, in order.
private struct BlockPoints {
  private let span: PointSpan
  private let columns: [PointColumn]
  private let db: any SQLConnection
  private let row: SealedRow
  /// Flagged points, which are left out.
  private var flagged: Set<PointKey> = []
  private var block: SealedBlock?
  /// The rest of the points of the block.
  private var indices = 0..<0
  /// The block after it; `nil`: there is none.
  private var following: BlockTable.Header?

  init(_ span: PointSpan, _ columns: [PointColumn], _ db: any SQLConnection) throws {
    (self.span, self.columns, self.db) = (span, columns, db)
    row = SealedRow(columns, device: span.device)
    following = try BlockTable.header(ofDevice: span.device, endingAtOrAfter: span.beginning, db)
    if span.leavesOutFlagged { flagged = try PointFlags.flagged(ofDevice: span.device, span.times, db) }
  }

  /// The next point. - Parameter end: the key that it is before; `nil`: any.
  mutating func next(before end: PointKey?) throws -> SealedRow? {
    while true {
      while let index = indices.first, let block {
        let key = block.key(index)
        if let end, key > end { return nil }
        indices = index + 1..<indices.upperBound
        // A point that was stored again while its block was damaged is a row as well.
        if key == end { continue }
        if !flagged.isEmpty, flagged.contains(key) { continue }
        if let box = span.box, !box.contains(key) { continue }
        row.move(to: index)
        return row
      }
      guard let following, following.times.lowerBound < span.times.upperBound else { return nil }
      // A block that begins later is decoded when it is its turn.
      if let end, following.times.lowerBound > end.time { return nil }
      try begin(following)
    }
  }

  private mutating func begin(_ header: BlockTable.Header) throws {
    let end = header.times.upperBound
    following = end == .max ? nil : try BlockTable.header(ofDevice: span.device, endingAtOrAfter: end + 1, db)
    indices = 0..<0
    if let box = span.box, !box.touches(header) { return }
    let block = try BlockTable.block(header, columns: columns, db)
    let first = span.after.map { block.index(after: $0) } ?? 0
    let begin = max(first, block.index(from: span.times.lowerBound))
    indices = begin..<max(begin, block.index(from: span.times.upperBound))
    row.use(block)
    self.block = block
  }
}
