internal import GodwitColumns
internal import GodwitModel

/// The table `point_blocks`: points of one device that are rarely read or changed, compressed by column.
///
/// The blocks of a device do not overlap, and all points of the same time are in one block. A point is either in a block or a row
/// of `points`. Points that arrive late, with a time inside a block, are rows until the block is rewritten.
package enum BlockTable {
  /// The tables in SQLite. The content is the last column, so that the other columns are read without it.
  package static let sqlite = """
    CREATE TABLE point_blocks (
      device INTEGER NOT NULL,
      first INTEGER NOT NULL,         -- time of the first point
      last INTEGER NOT NULL,          -- time of the last point
      count INTEGER NOT NULL,
      south INTEGER NOT NULL,         -- 1e-7 degrees
      north INTEGER NOT NULL,
      west INTEGER NOT NULL,
      east INTEGER NOT NULL,
      content BLOB NOT NULL,          -- see GodwitColumns
      PRIMARY KEY (device, first)
    ) STRICT, WITHOUT ROWID;
    -- Points up to this time may be in blocks; those that arrive are compared with the blocks.
    CREATE TABLE sealed_devices (
      device INTEGER PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
      until INTEGER NOT NULL
    ) STRICT;
    """

  /// The tables in PostgreSQL.
  package static let postgres = """
    CREATE TABLE point_blocks (
      device BIGINT NOT NULL,
      first BIGINT NOT NULL,
      last BIGINT NOT NULL,
      count BIGINT NOT NULL,
      south BIGINT NOT NULL,
      north BIGINT NOT NULL,
      west BIGINT NOT NULL,
      east BIGINT NOT NULL,
      content BYTEA NOT NULL,
      PRIMARY KEY (device, first)
    );
    CREATE TABLE sealed_devices (
      device BIGINT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
      until BIGINT NOT NULL
    );
    ALTER TABLE point_blocks ALTER COLUMN content SET STORAGE EXTERNAL;
    """

  /// A block without its content.
  package struct Header: Sendable, Hashable {
    /// The number of the device.
    package var device: Int64
    /// Times of the first and the last point, milliseconds since 1970.
    package var times: ClosedRange<Int64>
    package var count: Int
    /// Bounds of the coordinates, 1e-7 degrees.
    var latitudes: ClosedRange<Int64>
    var longitudes: ClosedRange<Int64>

    /// - Returns: `nil` for a damaged row.
    init?(_ row: any SQLRow) throws {
      guard let times = Self.range(try row.integer("first"), try row.integer("last")),
        let latitudes = Self.range(try row.integer("south"), try row.integer("north")),
        let longitudes = Self.range(try row.integer("west"), try row.integer("east"))
      else { return nil }
      (device, count) = (try row.integer("device"), Int(try row.integer("count")))
      (self.times, self.latitudes, self.longitudes) = (times, latitudes, longitudes)
    }

    init(
      device: Int64, times: ClosedRange<Int64>, count: Int, latitudes: ClosedRange<Int64>, longitudes: ClosedRange<Int64>
    ) {
      (self.device, self.times, self.count) = (device, times, count)
      (self.latitudes, self.longitudes) = (latitudes, longitudes)
    }

    /// The times as a half-open range. The greatest integer is excluded, because no end follows it.
    package var range: Range<Int64> { Range(upTo: times) }

    private static func range(_ first: Int64, _ last: Int64) -> ClosedRange<Int64>? { first <= last ? first...last : nil }
  }

  private static let header = "device, first, last, count, south, north, west, east"

  // MARK: Reading

  /// Whether a device has a block with times in a range.
  /// - Parameters:
  ///   - device: `nil`: any device.
  ///   - times: milliseconds since 1970; the end is excluded.
  ///   - db: the database.
  package static func exists(device: Int64?, _ times: Range<Int64>, _ db: any SQLConnection) throws -> Bool {
    guard let device else {
      return try db.integer(
        "SELECT 1 FROM point_blocks WHERE first < ? AND last >= ? LIMIT 1", times.upperBound, times.lowerBound) != nil
    }
    // Blocks do not overlap. Therefore the last block that begins before the end also ends last.
    let last = try db.integer(
      "SELECT last FROM point_blocks WHERE device = ? AND first < ? ORDER BY first DESC LIMIT 1", device, times.upperBound)
    return last.map { $0 >= times.lowerBound } ?? false
  }

  /// Whether a query includes times of blocks.
  static func isNeeded(_ query: PointQuery, _ db: any SQLConnection) throws -> Bool {
    let (first, end) = (query.from?.millisecondsSince1970 ?? .min, query.to?.millisecondsSince1970 ?? .max)
    return try first < end && exists(device: query.device, first..<end, db)
  }

  /// The first block of a device that ends at or after a time.
  /// - Returns: `nil` if there is none.
  static func header(ofDevice device: Int64, endingAtOrAfter time: Int64, _ db: any SQLConnection) throws -> Header? {
    // The last block that begins at or before the time, or the next block.
    if let before = try one(
      "SELECT \(header) FROM point_blocks WHERE device = ? AND first <= ? ORDER BY first DESC LIMIT 1", device, time, db),
      before.times.upperBound >= time
    {
      return before
    }
    return try one("SELECT \(header) FROM point_blocks WHERE device = ? AND first > ? ORDER BY first LIMIT 1", device, time, db)
  }

  /// The last block of a device that begins at or before a time.
  static func header(ofDevice device: Int64, beginningAtOrBefore time: Int64, _ db: any SQLConnection) throws -> Header? {
    try one("SELECT \(header) FROM point_blocks WHERE device = ? AND first <= ? ORDER BY first DESC LIMIT 1", device, time, db)
  }

  private static func one(_ sql: String, _ device: Int64, _ time: Int64, _ db: any SQLConnection) throws -> Header? {
    try db.first(sql, device, time) { try Header($0) } ?? nil
  }

  /// The headers of all blocks of a device with times in a range, in order.
  package static func headers(
    ofDevice device: Int64, _ times: Range<Int64>, maximum: Int = .max, _ db: any SQLConnection
  ) throws -> [Header] {
    guard let first = try header(ofDevice: device, endingAtOrAfter: times.lowerBound, db) else { return [] }
    return try db.all(
      "SELECT \(header) FROM point_blocks WHERE device = ? AND first >= ? AND first < ? ORDER BY first LIMIT ?", device,
      first.times.lowerBound, times.upperBound, maximum
    ) { try Header($0) }.compactMap { $0 }
  }

  /// The time of the first sealed point of a device.
  static func begin(ofDevice device: Int64, _ db: any SQLConnection) throws -> Int64? {
    try db.integer("SELECT first FROM point_blocks WHERE device = ? ORDER BY first LIMIT 1", device)
  }

  /// Decodes all columns of a block.
  /// - Throws: ``DamagedBlock``, or the database's error.
  package static func check(_ header: Header, _ db: any SQLConnection) throws {
    _ = try block(header, columns: PointColumn.allCases, db)
  }

  /// Reads the encoded columns of a block.
  static func content(_ header: Header, _ db: any SQLConnection) throws -> [UInt8] {
    try db.first(
      "SELECT content FROM point_blocks WHERE device = ? AND first = ?", header.device, header.times.lowerBound
    ) { try $0.blob("content") } ?? []
  }

  /// Decodes a block.
  /// - Parameters:
  ///   - header: the block.
  ///   - content: its encoded columns; `nil`: reads them.
  ///   - columns: the columns to decode, in addition to the key.
  ///   - last: caches the last decoded block; `nil`: no cache.
  ///   - db: the database.
  /// - Throws: ``DamagedBlock``, or the database's error.
  static func block(
    _ header: Header, content: [UInt8]? = nil, columns: [PointColumn], last: LastTable? = nil, _ db: any SQLConnection
  ) throws -> SealedBlock {
    let content = try content ?? Self.content(header, db)
    do { return try SealedBlock(header, content: content, columns: columns, last: last) } catch {
      let name = try db.text("SELECT name FROM devices WHERE id = ?", header.device)
      throw DamagedBlock(header, name: name ?? "number \(header.device)", reason: error.reason)
    }
  }

  /// Calls `body` with the contexts of all points in blocks. A context may be passed several times.
  /// - Throws: ``DamagedBlock``, or the database's error.
  package static func forEachContext(_ db: any SQLConnection, _ body: (Int64) -> Void) throws {
    for device in try db.all("SELECT DISTINCT device FROM point_blocks ORDER BY device", body: { try $0.integer("device") }) {
      for header in try headers(ofDevice: device, .min..<Int64.max, db) {
        let block = try block(header, columns: [.context], db)
        guard case .integers(let contexts, let present)? = block.values[.context] else { continue }
        var last: Int64?
        for (index, context) in contexts.enumerated() where context != last && present?[index] ?? true {
          body(context)
          last = context
        }
      }
    }
  }

  // MARK: Writing

  static func insert(_ header: Header, content: [UInt8], _ db: any SQLConnection) throws {
    try db.run(
      "INSERT INTO point_blocks (\(self.header), content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", header.device,
      header.times.lowerBound, header.times.upperBound, header.count, header.latitudes.lowerBound, header.latitudes.upperBound,
      header.longitudes.lowerBound, header.longitudes.upperBound, content)
    try db.run(
      """
      INSERT INTO sealed_devices (device, until) VALUES (?, ?) ON CONFLICT (device) DO UPDATE SET until = excluded.until
      WHERE excluded.until > sealed_devices.until
      """, header.device, header.times.upperBound)
  }

  /// Deletes a damaged block. Its points are lost, because nothing can decode them.
  package static func delete(_ block: DamagedBlock, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM point_blocks WHERE device = ? AND first = ?", block.device, block.times.lowerBound)
  }

  static func delete(_ header: Header, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM point_blocks WHERE device = ? AND first = ?", header.device, header.times.lowerBound)
  }
}
