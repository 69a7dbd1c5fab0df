package import Foundation
internal import GodwitModel
package import GodwitStore
internal import GodwitText

extension PointKey {
  package init(_ vertex: TrackVertex) {
    self.init(time: vertex.time, latitude: Int64(vertex.latitude), longitude: Int64(vertex.longitude))
  }

  /// The point in API responses: the time in RFC 3339, the coordinates in degrees.
  package var json: String {
    JSONText.object {
      $0.add("time", Date(millisecondsSince1970: time))
      $0.add("latitude", raw: JSONText.number(Double(latitude) / 1e7, 7))
      $0.add("longitude", raw: JSONText.number(Double(longitude) / 1e7, 7))
    }
  }
}

/// The points of a device whose flags changed.
package struct FlagChange: Sendable, Hashable {
  package var flagged: [PointKey] = []
  package var unflagged: [PointKey] = []

  package init(flagged: [PointKey] = [], unflagged: [PointKey] = []) {
    self.flagged = flagged
    self.unflagged = unflagged
  }
  package var isEmpty: Bool { flagged.isEmpty && unflagged.isEmpty }
}

/// The table `outliers`: the outliers that the server found, and the flags that users set.
package enum OutlierTable {
  /// A row.
  package struct Entry: Sendable {
    package var device: Int64
    package var key: PointKey
    package var reason: OutlierFilter.Reason
    package var isMarked: Bool
    package var isManual: Bool
  }

  /// Returns the points of a device that are flagged as outliers.
  package static func marked(ofDevice device: Int64, _ times: Range<Int64>, _ db: any SQLConnection) throws -> Set<
    PointKey
  > {
    Set(
      try db.all(
        "SELECT time, latitude, longitude FROM outliers WHERE device = ? AND time >= ? AND time < ? AND flagged = 1", device,
        times.lowerBound, times.upperBound
      ) { try PointKey($0) })
  }

  /// Returns the flags of a device, ordered by time.
  /// - Parameters:
  ///   - after: only flags after this point are returned.
  ///   - limit: the maximum number of entries.
  package static func entries(
    ofDevice device: Int64, _ times: Range<Int64>, after: PointKey?, limit: Int, _ db: any SQLConnection
  ) throws -> [Entry] {
    try db.all(
      """
      SELECT time, latitude, longitude, reason, flagged, manual FROM outliers
      WHERE device = ?1 AND time >= ?2 AND time < ?3 AND (time, latitude, longitude) > (?4, ?5, ?6)
      ORDER BY time, latitude, longitude LIMIT ?7
      """, device, times.lowerBound, times.upperBound, after?.time ?? .min, after?.latitude ?? .min, after?.longitude ?? .min,
      limit
    ) { row in
      try Entry(
        device: device, key: PointKey(row), reason: OutlierFilter.Reason(rawValue: row.text("reason")) ?? .manual,
        isMarked: row.integer("flagged") != 0, isManual: row.integer("manual") != 0)
    }
  }

  /// Sets or clears a user's flag of a point, and marks its day as dirty.
  /// - Parameters:
  ///   - isMarked: whether the point is an outlier; `nil` clears the flag, so that the server decides.
  ///   - point: the point.
  ///   - device: the device.
  ///   - now: the current time.
  ///   - db: a connection in a transaction.
  /// - Returns: `false` if the point does not exist.
  package static func set(
    _ isMarked: Bool?, _ point: PointKey, ofDevice device: Int64, at now: Date, _ db: any SQLConnection
  ) throws -> Bool {
    guard try PointLookup.contains(point, ofDevice: device, db) else { return false }
    let day = DirtyDays.day(of: point.time)
    if let isMarked {
      try db.run(
        """
        INSERT INTO outliers (device, time, latitude, longitude, reason, flagged, manual, day) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7)
        ON CONFLICT (device, time, latitude, longitude)
          DO UPDATE SET reason = excluded.reason, flagged = excluded.flagged, manual = 1, day = excluded.day
        """, device, point.time, point.latitude, point.longitude, OutlierFilter.Reason.manual.rawValue, isMarked, day)
    } else {
      try db.run(
        "DELETE FROM outliers WHERE device = ? AND time = ? AND latitude = ? AND longitude = ? AND manual = 1", device,
        point.time, point.latitude, point.longitude)
    }
    // The line of the next day may begin with the last point before it.
    for near in Set([day, DirtyDays.day(of: point.time + TrackGap.seconds * 1000)]).sorted() {
      try DirtyDays.record(device: device, day: near, since: near * DayLength.milliseconds, at: 0, db)
    }
    try NewestPosition.invalidate(device: device, db)
    return true
  }
}
