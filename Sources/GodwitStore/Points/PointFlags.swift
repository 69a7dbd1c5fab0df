internal import GodwitModel

/// Reads the flags of points (table `outliers`) and the live positions (table `live_positions`). Participants of the transactions
/// write these tables.
package enum PointFlags {
  /// The condition that a row of `points` is not flagged.
  package static let isUnflagged = """
    NOT EXISTS (SELECT 1 FROM outliers WHERE outliers.device = points.device AND outliers.time = points.time
      AND outliers.latitude = points.latitude AND outliers.longitude = points.longitude AND outliers.flagged = 1)
    """

  /// The flagged points of a device.
  /// - Parameter times: milliseconds since 1970; the end is excluded.
  static func flagged(ofDevice device: Int64, _ times: Range<Int64>, _ db: any SQLConnection) throws -> Set<PointKey> {
    Set(
      try db.all(
        "SELECT time, latitude, longitude FROM outliers WHERE device = ? AND time >= ? AND time < ? AND flagged = 1", device,
        times.lowerBound, times.upperBound
      ) { try PointKey($0) })
  }

  /// Whether a point is flagged.
  package static func isFlagged(_ key: PointKey, ofDevice device: Int64, _ db: any SQLConnection) throws -> Bool {
    try db.integer(
      "SELECT 1 FROM outliers WHERE device = ? AND time = ? AND latitude = ? AND longitude = ? AND flagged = 1", device, key.time,
      key.latitude, key.longitude) != nil
  }

  /// The point in the device's row of `live_positions`; `nil` if there is none or the point is flagged.
  package static func livePoint(ofDevice device: Int64, _ db: any SQLConnection) throws -> PointKey? {
    try db.first(
      """
      SELECT time, latitude, longitude FROM live_positions AS live WHERE device = ? AND NOT EXISTS (
        SELECT 1 FROM outliers WHERE outliers.device = live.device AND outliers.time = live.time AND outliers.latitude = live.latitude
          AND outliers.longitude = live.longitude AND outliers.flagged = 1)
      """, device
    ) { try PointKey($0) }
  }

  /// Returns the query without the check for flags, if the device and the times have no flagged points.
  package static func needed(_ query: PointQuery, _ db: any SQLConnection) throws -> PointQuery {
    guard query.leavesOutMarked else { return query }
    var needed = query
    needed.leavesOutMarked =
      try db.integer(
        "SELECT 1 FROM outliers WHERE (?1 < 0 OR device = ?1) AND time >= ?2 AND time < ?3 AND flagged = 1 LIMIT 1",
        query.device ?? -1, query.from?.millisecondsSince1970 ?? .min, query.to?.millisecondsSince1970 ?? .max) != nil
    return needed
  }
}

extension PointKey {
  /// - Parameter row: with the columns `time`, `latitude` and `longitude`.
  package init(_ row: any SQLRow) throws {
    self.init(time: try row.integer("time"), latitude: try row.integer("latitude"), longitude: try row.integer("longitude"))
  }
}
