internal import Foundation
internal import GodwitDigests
internal import GodwitHistory
package import GodwitModel
package import GodwitStore
internal import GodwitText

/// Reads the points of a device that a sharing link shows. The number of points is bounded, so that a window of years costs
/// no more than one of days.
package enum SharedTrack {
  /// Maximum points that are read completely. Of more points, one is read from each of as many equal parts of the time
  /// span.
  package static let maximumPoints = 20_000

  /// Calls `body` with the points of a window in their order, without outliers.
  /// - Parameters:
  ///   - device: the number of the device.
  ///   - window: the window in milliseconds since 1970.
  ///   - db: the database.
  package static func read(
    _ device: Int64, _ window: Range<Int64>, _ db: any SQLConnection, _ body: (Fix) -> Void
  ) throws {
    guard !window.isEmpty else { return }
    if try BlockTable.exists(device: device, window, db) { return try readSealed(device, window, db, body) }
    let columns = "points.time, points.latitude, points.longitude, points.horizontal_accuracy"
    let isShown = PointFlags.isUnflagged
    let count = try db.integer(
      """
      SELECT count(*) FROM (SELECT 1 FROM points WHERE device = ? AND time >= ? AND time < ? LIMIT \(maximumPoints + 1)) AS part
      """, device, window.lowerBound, window.upperBound)
    guard count ?? 0 > maximumPoints else {
      return try db.forEach(
        """
        SELECT \(columns) FROM points WHERE device = ? AND time >= ? AND time < ? AND \(isShown)
        ORDER BY device, time, latitude, longitude LIMIT \(maximumPoints)
        """, device, window.lowerBound, window.upperBound
      ) { row in if let found = try fix(row) { body(found) } }
    }
    let ends = try db.first(
      "SELECT min(time) AS first, max(time) AS last FROM points WHERE device = ? AND time >= ? AND time < ?", device,
      window.lowerBound,
      window.upperBound
    ) { try (first: $0.integer("first"), last: $0.integer("last")) }
    guard let ends else { return }
    let (span, isTooLong) = ends.last.subtractingReportingOverflow(ends.first)
    let part = max(1, (isTooLong ? Int64.max : span) / Int64(maximumPoints) + 1)
    // Each step is one search in the index. The last point is included, because it is the device's current position.
    try db.forEach(
      """
      WITH RECURSIVE sample (time) AS (
        SELECT CAST(?2 AS BIGINT) UNION ALL
        SELECT (SELECT min(points.time) FROM points WHERE device = ?1 AND points.time >= sample.time + ?4 AND points.time <= ?3)
        FROM sample WHERE sample.time <= ?3 - ?4),
      chosen (time) AS (SELECT time FROM sample WHERE time IS NOT NULL UNION SELECT ?3)
      SELECT \(columns) FROM chosen CROSS JOIN points
      WHERE points.device = ?1 AND points.time = chosen.time AND points.time >= ?2 AND points.time <= ?3 AND \(isShown)
      ORDER BY points.time, points.latitude, points.longitude LIMIT \(2 * maximumPoints)
      """, device, ends.first, ends.last, part
    ) { row in if let found = try fix(row) { body(found) } }
  }

  /// Reads a window with points in blocks. Reading one point of a block takes as long as reading thousands.
  private static func readSealed(
    _ device: Int64, _ window: Range<Int64>, _ db: any SQLConnection, _ body: (Fix) -> Void
  ) throws {
    var span = PointSpan(device: device, window)
    span.leavesOutFlagged = true
    let columns: [PointColumn] = [.time, .latitude, .longitude, .horizontalAccuracy]
    let count = try PointLookup.count(ofDevice: device, window, db)
    // The time span is divided into `maximumPoints` parts; the first point of each part is shown.
    var part: Int64?
    var (next, last): (Int64, Fix?) = (.min, nil)
    try PointReader(columns, of: span, db).readEach { row in
      let time = try row.integer("time")
      if count > maximumPoints, part == nil {
        let (length, isTooLong) = try (lastTime(device, window, db) ?? time).subtractingReportingOverflow(time)
        part = max(1, (isTooLong ? Int64.max : length) / Int64(maximumPoints) + 1)
      }
      guard time >= next else {
        last = try fix(row)
        return
      }
      if let part { next = time > .max - part ? .max : time + part }
      last = nil
      if let found = try fix(row) { body(found) }
    }
    // The last point is the device's current position.
    if let last { body(last) }
  }

  private static func lastTime(_ device: Int64, _ window: Range<Int64>, _ db: any SQLConnection) throws -> Int64? {
    try PointLookup.newest([], ofDevice: device, atOrBefore: window.upperBound - 1, leavesOutFlagged: false, db) {
      try $0.integer("time")
    }
  }

  /// Returns a revision of the shown tracks. It changes with flagged points of the window, deletions and private zones, but
  /// not with new points. If it changes, points that were shown may have been withdrawn.
  /// - Parameters:
  ///   - devices: the numbers of the link's devices.
  ///   - window: the window in milliseconds since 1970.
  ///   - db: the database.
  /// - Returns: 16 hexadecimal digits, which do not reveal what changed.
  package static func revision(_ devices: [Int64], _ window: Range<Int64>, _ db: any SQLConnection) throws -> String {
    // Deletions change this version, too.
    var text = "\(try FilterVersion.current(db))"
    for device in devices {
      // A jump that is not yet confirmed was never shown.
      let flags = try db.first(
        """
        SELECT count(*) AS flags, CAST(COALESCE(sum(time % 1000000007), 0) AS BIGINT) AS times,
          CAST(COALESCE(sum(latitude), 0) AS BIGINT) AS latitudes FROM outliers
        WHERE device = ? AND time >= ? AND time < ? AND flagged = 1 AND (manual = 1 OR day <> \(TimelineTables.openDay))
        """, device, window.lowerBound, window.upperBound
      ) { try "\($0.integer("flags")) \($0.integer("times")) \($0.integer("latitudes"))" }
      text += ", \(device): \(flags ?? "")"
    }
    return Hexadecimal.text(SHA256Digest.of(Array(text.utf8), prefix: 8))
  }

  private static func fix(_ row: any SQLRow) throws -> Fix? {
    let place = try Coordinate(latitude: Double(row.integer("latitude")) / 1e7, longitude: Double(row.integer("longitude")) / 1e7)
    guard let place else { return nil }
    return try Fix(
      time: row.time("time"), coordinate: place,
      horizontalAccuracy: row.optionalInteger("horizontal_accuracy").map { Double($0) / 100 })
  }
}
