internal import Foundation
package import GodwitModel
internal import GodwitSQLite
package import GodwitStore

/// The table `live_positions`: the live position of each device. If a row is missing, or its point was deleted or flagged, the live
/// position is computed from the points.
///
/// An unconfirmed jump is a row of `outliers` with ``TimelineTables/openDay`` as its day. Therefore it is excluded everywhere until
/// it is confirmed, survives a restart, and is the same for all servers of a database.
package enum LivePositionTable {
  /// The table in SQLite.
  package static let sqlite = """
    CREATE TABLE live_positions (
      device INTEGER PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
      time INTEGER NOT NULL,          -- `time`, `latitude` and `longitude` identify the point
      latitude INTEGER NOT NULL,
      longitude INTEGER NOT NULL,
      accuracy INTEGER NOT NULL,      -- metres; 0: unknown
      effective_time INTEGER NOT NULL -- the smaller of its time and its arrival
    ) STRICT;
    """
  /// The table in PostgreSQL.
  package static let postgres = """
    CREATE TABLE live_positions (
      device BIGINT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
      time BIGINT NOT NULL,
      latitude BIGINT NOT NULL,
      longitude BIGINT NOT NULL,
      accuracy BIGINT NOT NULL,
      effective_time BIGINT NOT NULL
    );
    """

  // MARK: The newest point

  /// Whether a record is a stored point that is not flagged.
  package static func isShown(_ record: Record, device: Int64, _ db: any SQLConnection) throws -> Bool {
    guard let point = PointKey(record) else { return false }
    return try !PointFlags.isFlagged(point, ofDevice: device, db) && PointLookup.contains(point, ofDevice: device, db)
  }

  // MARK: Gates

  /// Returns the points in the rows of devices. Devices without a row are omitted.
  static func points(ofDevices devices: [Int64], _ db: any SQLConnection) throws -> [Int64: PointKey] {
    let chosen = NumberList(devices)
    var points: [Int64: PointKey] = [:]
    let sql = "SELECT device, time, latitude, longitude FROM live_positions WHERE device IN \(chosen.sql)"
    try db.query(sql, with: chosen.arguments) { row in
      points[try row.integer("device")] = try PointKey(row)
      return true
    }
    return points
  }

  /// Returns the states of devices. Devices without a state are omitted.
  /// - Parameters:
  ///   - devices: their numbers.
  ///   - received: times of receipt, milliseconds since 1970.
  ///   - db: in a transaction.
  static func gates(ofDevices devices: [Int64], received: Int64, _ db: any SQLConnection) throws -> [Int64: LiveGate] {
    let chosen = NumberList(devices)
    var positions: [Int64: LiveGate.Position] = [:]
    try db.query(
      """
      SELECT live.device, live.time, live.latitude, live.longitude, live.accuracy, live.effective_time,
        points.time AS row_time
      FROM live_positions AS live LEFT JOIN points ON points.device = live.device AND points.time = live.time
        AND points.latitude = live.latitude AND points.longitude = live.longitude
      WHERE live.device IN \(chosen.sql) AND NOT EXISTS (
        SELECT 1 FROM outliers WHERE outliers.device = live.device AND outliers.time = live.time AND outliers.latitude = live.latitude
          AND outliers.longitude = live.longitude AND outliers.flagged = 1)
      """, with: chosen.arguments
    ) { row in
      let device = try row.integer("device")
      // No row of `points` exists: the point is in a block, or was deleted.
      if try row.isNull("row_time"), try !isStored(PointKey(row), device, db) { return true }
      positions[device] = try position(row, accuracy: row.integer("accuracy"), timestamp: row.integer("effective_time"))
      return true
    }
    for device in devices where positions[device] == nil {
      positions[device] = try newest(ofDevice: device, received: received, db)
    }
    var pending: [Int64: LiveGate.Position] = [:]
    try db.query(
      """
      SELECT device, time, latitude, longitude FROM outliers
      WHERE device IN \(chosen.sql) AND day = \(TimelineTables.openDay) AND manual = 0
      """, with: chosen.arguments
    ) { row in
      let device = try row.integer("device")
      do {
        let found = try PointLookup.first(PointKey(row), columns, ofDevice: device, db) {
          try position($0, received: received)
        }
        pending[device] = found ?? pending[device]
      } catch is DamagedBlock {}
      return true
    }
    var gates: [Int64: LiveGate] = [:]
    for device in devices { gates[device] = LiveGate(last: positions[device], pending: pending[device]) }
    return gates
  }

  /// Whether a point is stored. A point in a damaged block counts as deleted.
  private static func isStored(_ key: PointKey, _ device: Int64, _ db: any SQLConnection) throws -> Bool {
    do { return try PointLookup.contains(key, ofDevice: device, db) } catch is DamagedBlock { return false }
  }

  private static func newest(ofDevice device: Int64, received: Int64, _ db: any SQLConnection) throws -> LiveGate.Position? {
    // Uploads must be accepted even if a block is damaged.
    do {
      return try PointLookup.newest(columns, ofDevice: device, leavesOutFlagged: true, db) {
        try position($0, received: received)
      }
    } catch is DamagedBlock { return nil }
  }

  private static let columns: [PointColumn] = [.horizontalAccuracy, .received]

  /// Returns the position of a stored point with these columns, which arrived at or before `received`.
  private static func position(_ row: any SQLRow, received: Int64) throws -> LiveGate.Position? {
    let timestamp = try min(row.integer("time"), row.integer("received"), received)
    return try position(row, accuracy: row.integer("horizontal_accuracy") / 100, timestamp: timestamp)
  }

  /// - Parameter accuracy: the accuracy in metres.
  /// - Returns: `nil` if the row is damaged.
  private static func position(_ row: any SQLRow, accuracy: Int64, timestamp: Int64) throws -> LiveGate.Position? {
    guard let latitude = Int32(exactly: try row.integer("latitude")),
      let longitude = Int32(exactly: try row.integer("longitude")),
      abs(latitude) <= 900_000_000, abs(longitude) <= 1_800_000_000
    else { return nil }
    let point = TimelinePoint(
      time: try row.integer("time"), latitude: latitude, longitude: longitude, accuracy: Int32(clamping: accuracy))
    return LiveGate.Position(point: point, rank: LiveRank(timestamp: timestamp, time: point.time))
  }

  /// Stores the live positions of devices.
  package static func store(_ positions: [(device: Int64, position: LiveGate.Position)], _ db: any SQLConnection) throws {
    let columns = "device, time, latitude, longitude, accuracy, effective_time"
    let conflict = """
      ON CONFLICT (device) DO UPDATE SET time = excluded.time, latitude = excluded.latitude, longitude = excluded.longitude,
        accuracy = excluded.accuracy, effective_time = excluded.effective_time
      """
    for chunk in chunks(positions) {
      let rows = Array(repeating: "(?, ?, ?, ?, ?, ?)", count: chunk.count).joined(separator: ", ")
      let values = chunk.flatMap { device, position -> [SQLArgument] in
        let point = position.point
        return [
          device, point.time, Int64(point.latitude), Int64(point.longitude), Int64(point.accuracy), position.rank.timestamp,
        ]
        .map { .integer($0) }
      }
      _ = try db.run("INSERT INTO live_positions (\(columns)) VALUES \(rows) \(conflict)", with: values)
    }
  }

  // MARK: Flags

  /// Flags points that this transaction stores.
  package static func flag(
    _ flags: [(point: PointKey, reason: OutlierFilter.Reason)], ofDevice device: Int64, _ db: any SQLConnection
  ) throws {
    for chunk in chunks(flags) {
      let rows = Array(repeating: "(?, ?, ?, ?, ?, 1, 0, ?)", count: chunk.count).joined(separator: ", ")
      let values = chunk.flatMap { point, reason -> [SQLArgument] in
        let day = reason == .unconfirmed ? TimelineTables.openDay : DirtyDays.day(of: point.time)
        return [
          .integer(device), .integer(point.time), .integer(point.latitude), .integer(point.longitude), .text(reason.rawValue),
          .integer(day),
        ]
      }
      _ = try db.run(
        """
        INSERT INTO outliers (device, time, latitude, longitude, reason, flagged, manual, day) VALUES \(rows)
        ON CONFLICT (device, time, latitude, longitude) DO NOTHING
        """, with: values)
    }
  }

  /// Resolves an unconfirmed point.
  /// - Returns: `false` if the point is no longer unconfirmed, because a user or the timeline decided before.
  package static func resolve(
    _ point: PointKey, ofDevice device: Int64, isConfirmed: Bool, at received: Int64, _ db: any SQLConnection
  ) throws -> Bool {
    let key = "device = ? AND time = ? AND latitude = ? AND longitude = ? AND day = \(TimelineTables.openDay) AND manual = 0"
    let day = DirtyDays.day(of: point.time)
    let changed =
      if isConfirmed {
        try db.run("DELETE FROM outliers WHERE \(key)", device, point.time, point.latitude, point.longitude)
      } else {
        try db.run(
          "UPDATE outliers SET reason = ?, day = ? WHERE \(key)", OutlierFilter.Reason.teleport.rawValue, day, device, point.time,
          point.latitude, point.longitude)
      }
    // The line of the day was computed without the point.
    if isConfirmed, changed > 0 {
      try DirtyDays.record(device: device, day: day, since: point.time, at: received, db)
    }
    return changed > 0
  }

  /// Reads the record of a stored point, without values from other tables; `nil` if it does not exist.
  package static func record(of point: PointKey, device: Int64, _ db: any SQLConnection) throws -> Record? {
    let columns: [PointColumn] = [
      .device, .time, .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy, .course,
      .courseAccuracy, .batteryLevel,
    ]
    let found = try PointLookup.first(point, columns, ofDevice: device, db) { row in
      PointRow.fix(row).map { Record(kind: .fix($0), context: DeviceContext(batteryLevel: PointRow.batteryLevel(row))) }
    }
    return found ?? nil
  }

  /// Divides a list into chunks of 50 and single elements, so that only two statements are compiled.
  private static func chunks<Element>(_ list: [Element]) -> [ArraySlice<Element>] {
    let whole = list.count / 50 * 50
    return stride(from: 0, to: whole, by: 50).map { list[$0..<$0 + 50] } + (whole..<list.count).map { list[$0...$0] }
  }
}
