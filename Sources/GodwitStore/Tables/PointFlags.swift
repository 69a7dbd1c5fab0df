internal import GodwitModel

/// Reads the flags of points (table `marks`) and the live positions (`live_positions`). Participants of the
/// transactions write them.
package enum PointFlags {
  /// The condition that a row of `points` is not flagged.
  package static let isUnflagged = """
    NOT EXISTS (SELECT 1 FROM marks WHERE marks.device = points.device AND marks.time = points.time
      AND marks.latitude = points.latitude AND marks.longitude = points.longitude AND marks.marked = 1)
    """

  /// The newest point in a device's row, unless it is flagged.
  package static func livePoint(ofDevice device: Int64, in connection: any SQLConnection) throws -> PointKey? {
    try connection.first(
      """
      SELECT time, latitude, longitude FROM live_positions AS live WHERE device = ? AND NOT EXISTS (
        SELECT 1 FROM marks WHERE marks.device = live.device AND marks.time = live.time AND marks.latitude = live.latitude
          AND marks.longitude = live.longitude AND marks.marked = 1)
      """, device
    ) { PointKey(time: $0.integer(0), latitude: $0.integer(1), longitude: $0.integer(2)) }
  }

  /// The same query, without the check for flags if there are none.
  package static func needed(_ query: PointQuery, in connection: any SQLConnection) throws -> PointQuery {
    guard query.leavesOutMarked else { return query }
    var needed = query
    needed.leavesOutMarked =
      try connection.integer(
        "SELECT 1 FROM marks WHERE (?1 < 0 OR device = ?1) AND time >= ?2 AND time < ?3 AND marked = 1 LIMIT 1",
        query.device ?? -1, query.from?.millisecondsSince1970 ?? .min, query.to?.millisecondsSince1970 ?? .max) != nil
    return needed
  }
}
