internal import Foundation
internal import GodwitModel
package import GodwitStore

/// Detaches points and events from their import when a device uploads them itself, so that they stay when the import is
/// deleted.
///
/// `@unchecked Sendable`: used only on the store's thread.
package final class ImportClaims: CommitParticipant, @unchecked Sendable {
  private var hasImports = false

  package init() {}

  package func begin(_ group: [Submission], _ db: any SQLConnection) throws {
    hasImports = try db.integer("SELECT 1 FROM imports WHERE traced = 1 LIMIT 1") != nil
  }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
    guard hasImports, submission.importID == nil, !stored.known.isEmpty else { return }
    let device = submission.device.id
    var points: [[Int64]] = []
    for index in stored.known {
      let record = submission.records[index]
      guard case .fix(let fix) = record.kind else {
        let row = EventRow(record)
        try db.run(
          """
          UPDATE events SET import = NULL
          WHERE device = ? AND kind = ? AND time = ? AND discriminator = ? AND import IS NOT NULL
          """, device, row.kind, row.time, row.discriminator)
        continue
      }
      points.append([
        fix.time.millisecondsSince1970, PointRow.exact(fix.coordinate.latitude, by: 1e7),
        PointRow.exact(fix.coordinate.longitude, by: 1e7),
      ])
    }
    try Self.open(points.map { PointKey(time: $0[0], latitude: $0[1], longitude: $0[2]) }, of: device, db)
    switch db.dialect {
    case .sqlite:
      for point in points { try Self.claim(point, of: device, db) }
    case .postgres:
      guard let first = points.map({ $0[0] }).min(), let last = points.map({ $0[0] }).max() else { return }
      // With the bounds, PostgreSQL searches only the partitions of these times.
      try db.run(
        """
        UPDATE points SET import = NULL FROM json_array_elements(CAST(?1 AS json)) AS known (place)
        WHERE device = ?2 AND time = CAST(place->>0 AS bigint) AND latitude = CAST(place->>1 AS integer)
          AND longitude = CAST(place->>2 AS integer) AND import IS NOT NULL AND time >= ?3 AND time <= ?4
        """, String(decoding: try JSONEncoder().encode(points), as: UTF8.self), device, first, last)
    }
  }

  package func discardState() {}

  /// Unpacks the blocks that contain any of these points from an import.
  private static func open(_ keys: [PointKey], of device: Int64, _ db: any SQLConnection) throws {
    guard let first = keys.map(\.time).min(), let last = keys.map(\.time).max(), last < .max,
      try BlockTable.exists(device: device, first..<last + 1, db)
    else { return }
    let wanted = Set(keys)
    var imported: Set<Int64> = []
    if db.dialect == .sqlite {
      try db.forEach("SELECT id FROM contexts WHERE import IS NOT NULL") { imported.insert(try $0.integer("id")) }
    }
    let own: PointColumn = db.dialect == .sqlite ? .context : .importNumber
    for block in try BlockTable.headers(ofDevice: device, first..<last + 1, db) {
      var isImported = false
      try PointReader([own], of: PointSpan(device: device, block.range), db).read { row in
        guard wanted.contains(try PointKey(row)), let number = try row.optionalInteger(own.name) else { return true }
        isImported = db.dialect == .postgres || imported.contains(number)
        return !isImported
      }
      if isImported { try PointSealer(ofDevice: device, db).open(block) }
    }
  }

  /// Changes the context of a point to an equal one without an import.
  private static func claim(_ point: [Int64], of device: Int64, _ db: any SQLConnection) throws {
    let context = try db.integer(
      """
      SELECT context FROM points WHERE device = ? AND time = ? AND latitude = ? AND longitude = ?
        AND context IN (SELECT id FROM contexts WHERE import IS NOT NULL)
      """, device, point[0], point[1], point[2])
    guard let context else { return }
    let columns = "journal, device_id, wifi, trip, unique_id, motion, battery_state"
    let same = columns.split(separator: ", ").map { "own.\($0) IS named.\($0)" }.joined(separator: " AND ")
    var own = try db.integer(
      """
      SELECT own.id FROM contexts AS named JOIN contexts AS own ON \(same) AND own.import IS NULL AND own.retired IS NULL
      WHERE named.id = ?
      """, context)
    if own == nil {
      own = try db.integer(
        "INSERT INTO contexts (\(columns)) SELECT \(columns) FROM contexts WHERE id = ? RETURNING id", context)
    }
    try db.run(
      "UPDATE points SET context = ? WHERE device = ? AND time = ? AND latitude = ? AND longitude = ?", own, device, point[0],
      point[1], point[2])
  }
}
