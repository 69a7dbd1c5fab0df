internal import GodwitModel
internal import GodwitSQLite

/// The SQL of a ``PointQuery``. Its text depends only on which parts are there, so it is compiled once each.
enum PointQueryText {
  static let select = "SELECT \(PointRow.columns) FROM points"

  static func sql(_ query: PointQuery) -> String {
    var conditions: [String] = []
    if query.device != nil { conditions.append("device = ?") }
    if query.from != nil { conditions.append("time >= ?") }
    if query.to != nil { conditions.append("time < ?") }
    if let box = query.box {
      conditions.append("latitude BETWEEN ? AND ?")
      conditions.append(
        box.west <= box.east
          ? "longitude BETWEEN ? AND ?" : "(longitude >= ? OR longitude <= ?)")
    }
    if query.after != nil {
      conditions.append("(device, time, latitude, longitude) > (?, ?, ?, ?)")
    }
    let whereClause = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    return select + whereClause
      + " ORDER BY device, time, latitude, longitude LIMIT ?"
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
      arguments += [after.device, after.time, after.latitude, after.longitude] as [any SQLiteValue]
    }
    arguments.append(query.limit)
    return arguments
  }
}
