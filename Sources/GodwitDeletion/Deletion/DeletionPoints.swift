internal import Foundation
package import GodwitAccounts
internal import GodwitHistory
internal import GodwitMirror
internal import GodwitModel
package import GodwitStore

/// Finds and deletes the points of a selection. Pages are read while other transactions write, and each page is deleted in
/// one transaction, so that uploads wait only for milliseconds.
package struct DeletionPoints {
  package let selection: PointSelection
  private let area: PreparedArea?

  /// Points in one transaction.
  package static let step = 2_000

  package init(_ selection: PointSelection) {
    self.selection = selection
    area = selection.area.map { PreparedArea($0) }
  }

  /// The values of a point that are needed to delete it.
  package struct Found: Sendable {
    package var key: PointKey
    /// The row number of its journal.
    package var journal: Int64?
    package var sequence: Int64?
    package var context: Int64?
  }

  /// A page of examined points.
  package struct Page: Sendable {
    /// The points of the selection.
    package var points: [Found] = []
    /// The last examined point, after which the next page starts; `nil`: there is no further page.
    package var next: PointKey?
  }

  // MARK: Finding

  /// Reads a page.
  ///
  /// - Parameters:
  ///   - after: ``Page/next`` of the previous page; `nil`: the first page.
  ///   - db: the database.
  package func page(after: PointKey?, _ db: any SQLConnection) throws -> Page {
    var span = PointSpan(device: selection.device, selection.from..<max(selection.from, selection.to))
    (span.after, span.limit) = (after, Self.step)
    if let area { span.restrict(latitudes: area.latitudes, longitudes: area.longitudes) }
    let contexts = try SharedContexts(importID: selection.importID, db)
    let columns: [PointColumn] =
      [.time, .latitude, .longitude, .sequence, .context] + (db.dialect == .sqlite ? [] : [.journal, .importNumber])
    var page = Page()
    var (count, last): (Int, PointKey?) = (0, nil)
    try PointReader(columns, of: span, db).readEach { row in
      count += 1
      let key = try PointKey(row)
      last = key
      guard try contexts.isImported(row), area?.contains(latitude: key.latitude, longitude: key.longitude) ?? true else { return }
      try page.points.append(
        Found(
          key: key, journal: contexts.journal(row), sequence: row.optionalInteger("sequence"),
          context: row.optionalInteger("context")))
    }
    if count == Self.step { page.next = last }
    return page
  }

  /// Returns the number of points in the selection.
  package func count(_ db: any SQLConnection) throws -> Int {
    if area == nil, selection.importID == nil {
      guard selection.from < selection.to else { return 0 }
      return try PointLookup.count(ofDevice: selection.device, selection.from..<selection.to, db)
    }
    var (count, after): (Int, PointKey?) = (0, nil)
    repeat {
      let page = try page(after: after, db)
      count += page.points.count
      after = page.next
    } while after != nil
    return count
  }

  // MARK: Deleting

  /// Deletes points.
  /// - Parameters:
  ///   - points: the points of one page.
  ///   - keepsNumbers: whether the sequence numbers of their records are stored, so that the records are not stored again.
  ///   - bin: receives the points; `nil`: they are deleted permanently.
  ///   - db: a connection in a transaction.
  /// - Returns: the number of deleted points.
  package func delete(_ points: [Found], keepsNumbers: Bool, to bin: TrashBin? = nil, _ db: any SQLConnection) throws -> Int {
    guard let first = points.first?.key, let last = points.last?.key else { return 0 }
    // The device's row is locked first, as by a writer that stores records of the device.
    try db.run("UPDATE devices SET points = points WHERE id = ?", selection.device)
    try Self.open(points, selection.device, db)
    var count = 0
    if area == nil, selection.importID == nil {
      let condition = """
        points.device = ? AND points.time >= ? AND points.time <= ?
          AND (points.time, points.latitude, points.longitude) >= (?, ?, ?)
          AND (points.time, points.latitude, points.longitude) <= (?, ?, ?)
        """
      try bin?.copyPoints(
        where: condition, selection.device, first.time, last.time, first.time, first.latitude, first.longitude, last.time,
        last.latitude, last.longitude)
      count = try db.run(
        "DELETE FROM points WHERE \(condition)", selection.device, first.time, last.time, first.time, first.latitude,
        first.longitude, last.time, last.latitude, last.longitude)
    } else {
      let condition = "points.device = ? AND points.time = ? AND points.latitude = ? AND points.longitude = ?"
      for point in points {
        let key = point.key
        try bin?.copyPoints(where: condition, selection.device, key.time, key.latitude, key.longitude)
        count += try db.run(
          "DELETE FROM points WHERE \(condition)", selection.device, key.time, key.latitude, key.longitude)
      }
    }
    try Self.deleteOutliers(of: points, selection.device, bin, db)
    if keepsNumbers {
      for (journal, found) in Dictionary(grouping: points, by: \.journal) {
        guard let journal else { continue }
        try DeletionTables.add(found.compactMap(\.sequence), ofJournal: journal, db)
      }
    }
    try Self.markDirty(points.map(\.key.time), device: selection.device, db)
    try db.run("UPDATE devices SET points = points - ? WHERE id = ?", count, selection.device)
    return count
  }

  /// Whether all points of a damaged block are selected. The block itself is not read.
  package func contains(_ block: DamagedBlock) -> Bool {
    area == nil && selection.importID == nil && block.device == selection.device && selection.contains(block.times.lowerBound)
      && selection.contains(block.times.upperBound)
  }

  /// Deletes a damaged block. Its points cannot be moved to the trash, and the sequence numbers of their records are
  /// unknown.
  /// - Parameters:
  ///   - block: a block of which all points are selected.
  ///   - db: a connection in a transaction.
  /// - Returns: the number of its points.
  package func delete(_ block: DamagedBlock, _ db: any SQLConnection) throws -> Int {
    let (device, first, last) = (selection.device, block.times.lowerBound, block.times.upperBound)
    try db.run("UPDATE devices SET points = points - ? WHERE id = ?", block.count, device)
    try BlockTable.delete(block, db)
    try db.run("DELETE FROM live_positions WHERE device = ?", device)
    try db.run("DELETE FROM outliers WHERE device = ? AND time >= ? AND time <= ?", device, first, last)
    // At most a century is marked, because the times of the block may be damaged as well.
    let days = (DirtyDays.day(of: first)...DirtyDays.day(of: last)).prefix(36_525)
    try Self.markDirty(
      days.map { min(max(first, $0 * DayLength.milliseconds), last) } + [last], device: device, db)
    return block.count
  }

  /// Unpacks the blocks that contain any of the points, so that all points are rows.
  private static func open(_ points: [Found], _ device: Int64, _ db: any SQLConnection) throws {
    guard let first = points.first?.key.time, let last = points.last?.key.time else { return }
    for block in try BlockTable.headers(ofDevice: device, Range(upTo: first...last), db) {
      let next = points.partitioningIndex { $0.key.time >= block.times.lowerBound }
      guard next < points.count, points[next].key.time <= block.times.upperBound else { continue }
      try PointSealer(ofDevice: device, db).open(block)
    }
  }

  private static func deleteOutliers(
    of points: [Found], _ device: Int64, _ bin: TrashBin?, _ db: any SQLConnection
  ) throws {
    // The live position may be one of the points. Without the row, the newest remaining point is looked up again.
    try db.run("DELETE FROM live_positions WHERE device = ?", device)
    guard let first = points.first?.key.time, let last = points.last?.key.time else { return }
    let isMarked = try db.integer(
      "SELECT 1 FROM outliers WHERE device = ? AND time >= ? AND time <= ? LIMIT 1", device, first, last)
    guard isMarked != nil else { return }
    let condition = "device = ? AND time = ? AND latitude = ? AND longitude = ?"
    for point in points {
      let key = point.key
      try bin?.copy("outliers", where: condition, device, key.time, key.latitude, key.longitude)
      try db.run("DELETE FROM outliers WHERE \(condition)", device, key.time, key.latitude, key.longitude)
    }
  }

  /// Marks the days of times as dirty, so that data that was computed from deleted points is replaced.
  /// - Parameter removal: the records that a mirror deletes at these times.
  package static func markDirty(
    _ times: [Int64], device: Int64, removal: MirrorRemoval = .all, _ db: any SQLConnection
  ) throws {
    try MirrorChanges.record(times, ofDevice: device, removal: removal, db)
    let days = Set(times.map { DirtyDays.day(of: $0) })
    // The line of the next day may start at the last point of the day before.
    for day in days.union(days.map { $0 + 1 }).sorted() {
      try DirtyDays.record(device: device, day: day, since: day * DayLength.milliseconds, at: 0, db)
    }
  }

  // MARK: Blurring

  /// Replaces the positions of points with the position that a zone reports.
  /// - Parameters:
  ///   - points: the points of one page.
  ///   - zone: the zone that contains the points.
  ///   - db: a connection in a transaction.
  /// - Returns: the number of points whose position changed.
  package func blur(_ points: [Found], by zone: PreparedZone, _ db: any SQLConnection) throws -> Int {
    try db.run("UPDATE devices SET points = points WHERE id = ?", selection.device)
    try Self.open(points, selection.device, db)
    let (latitude, longitude) = (
      PointRow.exact(zone.reported.latitude, by: 1e7), PointRow.exact(zone.reported.longitude, by: 1e7)
    )
    let accuracy = PointRow.exact(zone.uncertainty, by: 100)
    let kept =
      db.dialect == .sqlite ? "sequence, delay" : "sequence, received, journal, battery_state, motion, import"
    var contexts: [Int64: Int64] = [:]
    var (moved, gone) = (0, 0)
    for point in points where point.key.latitude != latitude || point.key.longitude != longitude {
      var context = point.context
      if let shared = context {
        context = try contexts[shared] ?? Self.withoutWifi(shared, db)
        contexts[shared] = context
      }
      let isNew = try db.run(
        """
        INSERT INTO points (device, time, latitude, longitude, horizontal_accuracy, battery_level, context, \(kept))
        SELECT device, time, CAST(?5 AS INTEGER), CAST(?6 AS INTEGER), CAST(?7 AS INTEGER), battery_level,
          CAST(?8 AS INTEGER), \(kept) FROM points
        WHERE device = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4 ON CONFLICT DO NOTHING
        """, selection.device, point.key.time, point.key.latitude, point.key.longitude, latitude, longitude, accuracy, context)
      let count = try db.run(
        "DELETE FROM points WHERE device = ? AND time = ? AND latitude = ? AND longitude = ?", selection.device, point.key.time,
        point.key.latitude, point.key.longitude)
      moved += count
      gone += count - isNew
    }
    try Self.deleteOutliers(of: points, selection.device, nil, db)
    if moved > 0 {
      try Self.markDirty(points.map(\.key.time), device: selection.device, db)
      try db.run("UPDATE devices SET points = points - ? WHERE id = ?", gone, selection.device)
    }
    return moved
  }

  /// Returns a context equal to another one, but without a wifi network, because public databases contain the positions of
  /// networks.
  private static func withoutWifi(_ context: Int64, _ db: any SQLConnection) throws -> Int64 {
    guard try db.integer("SELECT 1 FROM contexts WHERE id = ? AND wifi IS NOT NULL", context) != nil else {
      return context
    }
    let columns =
      ["device_id", "trip", "unique_id"]
      + (db.dialect == .sqlite ? ["journal", "motion", "battery_state", "import"] : [])
    let names = columns.joined(separator: ", ")
    let equals = db.dialect == .sqlite ? "IS" : "IS NOT DISTINCT FROM"
    let same = columns.map { "own.\($0) \(equals) named.\($0)" }.joined(separator: " AND ")
    let find = """
      SELECT own.id FROM contexts AS named JOIN contexts AS own ON \(same) AND own.wifi IS NULL AND own.retired IS NULL
      WHERE named.id = ?
      """
    if let known = try db.integer(find, context) { return known }
    try db.run(
      "INSERT INTO contexts (\(names)) SELECT \(names) FROM contexts WHERE id = ? ON CONFLICT DO NOTHING", context)
    return try db.integer(find, context) ?? context
  }
}
