internal import GodwitColumns
internal import GodwitModel

/// Reads points in the order of their keys, both from rows of `points` and from blocks.
package struct PointReader {
  private let span: PointSpan
  private let columns: [PointColumn]
  /// `SELECT … FROM points …`, of rows whose first columns are `columns`.
  private let select: String
  private let db: any SQLConnection
  /// Caches the last decoded block; `nil`: no cache.
  private let last: LastTable?

  /// - Parameters:
  ///   - columns: the columns of the rows, by position. The missing columns of the key follow them.
  ///   - span: the points.
  ///   - db: the database.
  package init(_ columns: [PointColumn], of span: PointSpan, _ db: any SQLConnection) {
    let all = PointColumn.withKey(columns)
    self.init(all, select: PointColumn.select(all, db.dialect), of: span, db)
  }

  /// - Parameters:
  ///   - columns: the columns of the points of blocks, by position, including the key.
  ///   - select: `SELECT … FROM points …`, whose first columns are the same.
  ///   - span: the points.
  ///   - db: the database.
  ///   - last: caches the last decoded block, for the next page, which may begin in it.
  init(_ columns: [PointColumn], select: String, of span: PointSpan, _ db: any SQLConnection, last: LastTable? = nil) {
    (self.columns, self.select, self.span, self.db, self.last) = (columns, select, span, db, last)
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

  /// Reads the points, with one function for rows of the table and another for points of blocks.
  func read(rows: (any SQLRow) throws -> Bool, sealed: (SealedRow) throws -> Bool) throws {
    var continues = true
    try read(rows: rows) { block, indices in
      var row = SealedRow(columns, of: block, device: span.device)
      for index in indices where continues {
        row.move(to: index)
        continues = try sealed(row)
      }
      return continues
    }
  }

  /// Maximum rows of a batch. A block, which is passed as a single batch, has about as many points.
  private static let batchSize = 4_096

  /// Calls `body` with batches of points.
  /// - Throws: ``DamagedBlock``, or the database's error.
  package func readBatches(_ body: (PointBatch) throws -> Void) throws {
    var rows = PointRows(columns)
    func flush() throws {
      guard rows.count > 0 else { return }
      try body(PointBatch(rows.columns))
      rows.removeAll()
    }
    try read(
      rows: { row in
        rows.append(row)
        if rows.count >= Self.batchSize { try flush() }
        return true
      },
      runs: { block, indices in
        try flush()
        try body(PointBatch(block, indices))
        return true
      })
    try flush()
  }

  /// Reads the points in the order of their keys.
  /// - Parameters:
  ///   - rows: receives each row of the table, and returns whether to continue.
  ///   - runs: receives successive points of a block, by their indices, and returns whether to continue.
  func read(rows: (any SQLRow) throws -> Bool, runs: (SealedBlock, Range<Int>) throws -> Bool) throws {
    guard try BlockTable.exists(device: span.device, span.times, db) else { return try readRows(rows) }
    let key = PointColumn.key.compactMap { columns.firstIndex(of: $0) }.map { Int32($0) }
    var blocks = try BlockPoints(span, columns, db, last: last)
    var left = span.limit
    /// Calls `runs` with the points of blocks before a key; `nil`: with all remaining points. - Returns: whether to continue.
    func readBlocks(to end: PointKey?) throws -> Bool {
      while left > 0, let (block, indices) = try blocks.next(before: end, maximum: left) {
        left -= indices.count
        if try !runs(block, indices) { return false }
      }
      return left > 0
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
  private let last: LastTable?
  /// Flagged points, if the span excludes them.
  private var flagged: Set<PointKey> = []
  private var block: SealedBlock?
  /// The indices of the block's points that were not returned yet.
  private var indices = 0..<0
  /// Whether points of the block may be flagged or outside of the box.
  private var isFiltered = false
  /// The header of the next block; `nil`: there is none.
  private var following: BlockTable.Header?
  /// The encoded columns of the next block, if another thread decodes them.
  private var prepared: [UInt8]?

  init(_ span: PointSpan, _ columns: [PointColumn], _ db: any SQLConnection, last: LastTable?) throws {
    (self.span, self.columns, self.db, self.last) = (span, columns, db, last)
    following = try BlockTable.header(ofDevice: span.device, endingAtOrAfter: span.beginning, db)
    if span.leavesOutFlagged { flagged = try PointFlags.flagged(ofDevice: span.device, span.times, db) }
  }

  /// The next points of one block.
  /// - Parameters:
  ///   - end: the points before this key; `nil`: all points.
  ///   - maximum: the maximum number of points, at least 1.
  mutating func next(before end: PointKey?, maximum: Int) throws -> (SealedBlock, Range<Int>)? {
    while true {
      while let block, !indices.isEmpty {
        let last = end.map { block.index(notBefore: $0) } ?? indices.upperBound
        var run = indices.clamped(to: indices.lowerBound..<max(indices.lowerBound, last))
        if isFiltered {
          let first = run.first { isSelected($0, of: block) } ?? run.upperBound
          run = first..<(run[first...].first { !isSelected($0, of: block) } ?? run.upperBound)
        }
        run = run.prefix(maximum)
        indices = run.upperBound..<indices.upperBound
        // A point that was stored again while its block was damaged exists in the block and as a row. The row is returned.
        if let end, let index = indices.first, block.key(index) == end { indices.removeFirst() }
        if !run.isEmpty { return (block, run) }
        if let end, let index = indices.first, block.key(index) > end { return nil }
      }
      guard let following, following.times.lowerBound < span.times.upperBound else { return nil }
      // A block that begins after `end` is decoded when it is needed.
      if let end, following.times.lowerBound > end.time { return nil }
      try begin(following)
      // A page that follows another is probably not the last. It can be read although the block after it may be damaged.
      if maximum > indices.count { try prepare() } else if span.after != nil { try? prepare() }
    }
  }

  private func isSelected(_ index: Int, of block: SealedBlock) -> Bool {
    let key = block.key(index)
    return !flagged.contains(key) && span.box?.contains(key) ?? true
  }

  private mutating func begin(_ header: BlockTable.Header) throws {
    let end = header.times.upperBound
    following = end == .max ? nil : try BlockTable.header(ofDevice: span.device, endingAtOrAfter: end + 1, db)
    indices = 0..<0
    if let box = span.box, !box.touches(header) { return }
    let block = try BlockTable.block(header, content: prepared, columns: columns, last: last, db)
    prepared = nil
    let first = span.after.map { block.index(after: $0) } ?? 0
    let begin = max(first, block.index(from: span.times.lowerBound))
    indices = begin..<max(begin, block.index(from: span.times.upperBound))
    isFiltered = span.box != nil || flagged.contains { header.times.contains($0.time) }
    self.block = block
  }

  /// Starts to decode the next block on another thread.
  private mutating func prepare() throws {
    guard let last, let following, following.times.lowerBound < span.times.upperBound, span.box?.touches(following) ?? true else {
      return
    }
    let content = try BlockTable.content(following, db)
    last.prepare(content, columns: SealedBlock.decoded(columns))
    prepared = content
  }
}
