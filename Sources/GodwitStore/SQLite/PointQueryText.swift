internal import GodwitModel
internal import GodwitSQLite

/// The SQL of a ``PointQuery``. Its text depends only on the parts in use, so that each variant is compiled once.
enum PointQueryText {
  static let select = "SELECT \(PointRow.columns) FROM points"

  /// - Parameters:
  ///   - query: the query.
  ///   - select: the columns and tables.
  static func sql(_ query: PointQuery, select: String = select) -> String {
    var conditions: [String] = []
    if query.device != nil { conditions.append("points.device = ?") }
    if query.from != nil { conditions.append("points.time >= ?") }
    if query.to != nil { conditions.append("points.time < ?") }
    if let box = query.box {
      conditions.append("points.latitude BETWEEN ? AND ?")
      conditions.append(
        box.west <= box.east
          ? "points.longitude BETWEEN ? AND ?" : "(points.longitude >= ? OR points.longitude <= ?)")
    }
    if query.after != nil {
      conditions.append("(points.device, points.time, points.latitude, points.longitude) > (?, ?, ?, ?)")
    }
    if query.leavesOutMarked {
      conditions.append(
        """
        NOT EXISTS (SELECT 1 FROM outliers WHERE outliers.device = points.device AND outliers.time = points.time
          AND outliers.latitude = points.latitude AND outliers.longitude = points.longitude AND outliers.flagged = 1)
        """)
    }
    let whereClause = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    return select + whereClause
      + " ORDER BY points.device, points.time, points.latitude, points.longitude LIMIT ?"
  }

  static func arguments(_ query: PointQuery) -> [any SQLiteValue] {
    var arguments: [any SQLiteValue] = []
    if let device = query.device { arguments.append(device) }
    if let from = query.from { arguments.append(from.millisecondsSince1970) }
    if let to = query.to { arguments.append(to.millisecondsSince1970) }
    if let box = query.box {
      for degrees in [box.south, box.north, box.west, box.east] { arguments.append(Int64((degrees * 1e7).rounded())) }
    }
    if let after = query.after {
      arguments += [after.device.value, after.time.value, after.latitude.value, after.longitude.value] as [any SQLiteValue]
    }
    arguments.append(query.limit)
    return arguments
  }
}
