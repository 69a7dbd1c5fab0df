internal import Foundation
internal import GodwitAccounts
internal import GodwitModel
internal import GodwitRegions
internal import GodwitStore
internal import GodwitTransfer

/// Moves the rows of a device to another one, and back. Rows that both devices have with the same key are moved into the
/// trash, and so are rows that a device can have only once, such as a retention rule.
struct DeviceMerge {
  private let former: Device
  private let target: Device
  private let bin: TrashBin
  private let db: any SQLConnection

  /// Returns `nil` if one of the devices does not exist.
  init?(_ former: Int64, into target: Int64, _ bin: TrashBin, _ db: any SQLConnection) throws {
    guard let from = try TrackTables.device(id: former, db), let to = try TrackTables.device(id: target, db) else { return nil }
    (self.former, self.target, self.bin, self.db) = (from, to, bin, db)
  }

  /// - Throws: ``DeviceConflict`` if the devices have two owners. One of them may have been moved since the request was checked.
  func checkUsers() throws {
    guard try TrackTables.owner(of: former.id, db) != TrackTables.owner(of: target.id, db) else { return }
    throw DeviceConflict(description: "The devices belong to different users. Give them one owner, then merge them.")
  }

  /// - Throws: ``DeviceConflict`` while a file is imported into one of the devices.
  func checkImports() throws { for device in [former, target] { try DeviceRename.checkImports(into: device.name, db) } }

  /// A table whose rows are moved, with the columns of its key other than the device. `isShared`: another device may have
  /// the same key.
  private struct Moved {
    let table: String
    let key: String
    var isShared = false
    var condition = ""
  }

  /// The prefix of the sources of parts in the trash with keys of moved rows.
  static let prefix = "moved "

  private static let moved: [Moved] = [
    Moved(table: "events", key: "kind:t time:i discriminator:t", isShared: true),
    Moved(table: "outliers", key: "time:i latitude:i longitude:i", isShared: true),
    Moved(table: "contact_hours", key: "day:i hour:i", isShared: true),
    Moved(table: "rejected_records", key: "id:i"), Moved(table: "region_events", key: "id:i"),
    Moved(table: "webhook_deliveries", key: "id:i"), Moved(table: "mqtt_topics", key: "topic:t"),
    Moved(table: "timeline_corrections", key: "id:i"),
  ]
  /// Tables that are moved before the points, so that uploads go to the target from then on. Read tokens are not moved, so
  /// that they do not give access to more data.
  private static let tokens: [Moved] = [
    Moved(table: "device_tokens", key: "hash:b"), Moved(table: "access_tokens", key: "id:i", condition: " AND scope = 'write'"),
  ]
  private static let points = BackupTable(prefix + "points", "time:i latitude:i longitude:i journal:i")
  private static let contexts = BackupTable(prefix + "contexts", "id:i journal:i")
  private static let journals = BackupTable(prefix + "journals", "id:i")
  /// Ranges of sequence numbers that the target's journal received from the former device's journal.
  private static let ranges = ["received_ranges", "deleted_ranges"].map {
    BackupTable(prefix + $0, "journal:i first:i last:i")
  }
  private static let imports = BackupTable(prefix + "imports", "id:i options:t")
  private static let regions = BackupTable(prefix + "regions", "id:t")

  // MARK: There

  func moveTokens() throws { for rows in Self.tokens { try move(rows) } }

  private func move(_ rows: Moved) throws {
    let table = BackupTable(Self.prefix + rows.table, rows.key)
    let names = table.columns.map(\.name)
    if rows.isShared {
      let key = names.joined(separator: ", ")
      try bin.remove(
        rows.table, where: "device = ?1 AND (\(key)) IN (SELECT \(key) FROM \(rows.table) WHERE device = ?2)", former.id,
        target.id)
    }
    let condition = "device = ?\(rows.condition)"
    try bin.remember("SELECT \(names.joined(separator: ", ")) FROM \(rows.table) WHERE \(condition)", table, former.id)
    try Self.move(rows.table, where: condition, [former.id.argument], to: target.id, db)
  }

  /// Changes the device of rows. In a distributed store the row is inserted again, because it may be on another worker.
  /// - Parameters:
  ///   - table: a table of a backup.
  ///   - condition: selects the rows.
  ///   - arguments: the arguments of the condition.
  ///   - device: the device that the rows belong to afterwards.
  ///   - db: a connection in a transaction.
  private static func move(
    _ table: String, where condition: String, _ arguments: [SQLArgument], to device: Int64, _ db: any SQLConnection
  ) throws {
    guard moved.contains(where: { $0.table == table && $0.isShared }),
      let columns = BackupTable.all.first(where: { $0.name == table })?.columns
    else {
      _ = try db.run("UPDATE \(table) SET device = ? WHERE \(condition)", with: [device.argument] + arguments)
      return
    }
    let names = columns.map { BackupTable.quoted($0.name) }.filter { $0 != BackupTable.quoted("device") }.joined(separator: ", ")
    _ = try db.run(
      "INSERT INTO \(table) (device, \(names)) SELECT CAST(? AS BIGINT), \(names) FROM \(table) WHERE \(condition)",
      with: [device.argument] + arguments)
    _ = try db.run("DELETE FROM \(table) WHERE \(condition)", with: arguments)
  }

  /// Moves the points of one page.
  ///
  /// - Returns: the number of points that the former device had.
  func move(_ keys: [PointKey]) throws -> Int {
    guard let first = keys.first, let last = keys.last else { return 0 }
    for device in [former.id, target.id].sorted() {
      try db.run("UPDATE devices SET points = points WHERE id = ?", device)
      try PointSealer(ofDevice: device, db).open(Range(upTo: first.time...last.time))
    }
    let range = """
      points.device = ? AND points.time >= ? AND points.time <= ?
        AND (points.time, points.latitude, points.longitude) >= (?, ?, ?)
        AND (points.time, points.latitude, points.longitude) <= (?, ?, ?)
      """
    func arguments(_ device: Int64) -> [SQLArgument] {
      [device, first.time, last.time, first.time, first.latitude, first.longitude, last.time, last.latitude, last.longitude].map(
        \.argument)
    }
    var there: Set<PointKey> = []
    try db.query("SELECT time, latitude, longitude FROM points WHERE \(range)", with: arguments(target.id)) {
      there.insert(try PointKey($0))
      return true
    }
    var (count, moved) = (0, 0)
    let one = "points.device = ? AND points.time = ? AND points.latitude = ? AND points.longitude = ?"
    for key in keys where there.contains(key) {
      try bin.copyPoints(where: one, former.id, key.time, key.latitude, key.longitude)
      count += try db.run("DELETE FROM points WHERE \(one)", former.id, key.time, key.latitude, key.longitude)
    }
    let journal = db.dialect == .sqlite ? "NULL" : "journal"
    try bin.remember(
      "SELECT time, latitude, longitude, \(journal) FROM points WHERE \(range)", Self.points, with: arguments(former.id))
    moved = try Self.movePoints(where: range, arguments(former.id), to: target.id, db)
    count += moved
    try db.run("UPDATE devices SET points = points - ? WHERE id = ?", count, former.id)
    try db.run("UPDATE devices SET points = points + ? WHERE id = ?", moved, target.id)
    try db.run("DELETE FROM live_positions WHERE device = ? OR device = ?", former.id, target.id)
    return count
  }

  /// Changes the device of points. In a distributed store the row is inserted again, because it may be on another worker.
  /// - Parameters:
  ///   - condition: selects the points.
  ///   - arguments: the arguments of the condition.
  ///   - device: the device that the points belong to afterwards.
  ///   - journal: the new journal; `nil`: unchanged.
  ///   - db: a connection in a transaction.
  /// - Returns: the number of moved points.
  private static func movePoints(
    where condition: String, _ arguments: [SQLArgument], to device: Int64, journal: SQLArgument? = nil, _ db: any SQLConnection
  ) throws -> Int {
    let names = BackupPoints.physical(db.dialect)["points"].map { $0.subtracting(["device"]).sorted() } ?? []
    let values = names.map { $0 == "journal" && journal != nil ? "CAST(? AS INTEGER)" : BackupTable.quoted($0) }
    _ = try db.run(
      """
      INSERT INTO points (device, \(names.map(BackupTable.quoted).joined(separator: ", ")))
      SELECT CAST(? AS INTEGER), \(values.joined(separator: ", ")) FROM points WHERE \(condition)
      """, with: [device.argument] + (journal.map { [$0] } ?? []) + arguments)
    return try db.run("DELETE FROM points WHERE \(condition)", with: arguments)
  }

  /// Moves the remaining rows. The caller removes the former device.
  func finish(at now: Date) throws {
    for rows in Self.moved { try move(rows) }
    // The live position may be a point whose flag was moved.
    try db.run("DELETE FROM live_positions WHERE device = ?", target.id)
    try moveTokens()
    try moveJournals()
    for job in try DeviceRename.imports(into: former.name, db) {
      try bin.remember("SELECT id, options FROM imports WHERE id = ?", Self.imports, job.id)
      try DeviceRename.rename(job, from: former.name, to: target.name, db)
    }
    for id in try DeviceRename.retag(from: former, to: target, at: now, db) { try bin.add([.text(id)], as: Self.regions) }
    try DeviceRename.renameInEvents(of: target.id, from: former.name, to: target.name, db)
    try WebhookDevices.merge(former.name, into: target.name, bin, db)
    try db.run("INSERT INTO merged_devices (former, target) VALUES (?, ?)", former.id, target.id)
    try db.run("UPDATE region_status SET rules = rules + 1")
  }

  /// Moves the journals. If both devices have the same journal, the two are merged with the sequence numbers of both.
  private func moveJournals() throws {
    let journals = try db.all("SELECT id, journal FROM journals WHERE device = ?", former.id) {
      (id: try $0.integer("id"), journal: try $0.integer("journal"))
    }
    for (id, journal) in journals {
      let same = try db.integer("SELECT id FROM journals WHERE device = ? AND journal = ?", target.id, journal)
      guard let same else {
        try bin.add([.integer(id)], as: Self.journals)
        try db.run("UPDATE journals SET device = ? WHERE id = ?", target.id, id)
        continue
      }
      if db.dialect == .sqlite {
        try bin.remember("SELECT id, journal FROM contexts WHERE journal = ?", Self.contexts, id)
        // The contexts are retired, so that new records do not refer to them, and an undo can move them back.
        try db.run("UPDATE contexts SET journal = ?, retired = 1 WHERE journal = ?", same, id)
      } else {
        try PointSealer(ofDevice: target.id, db).open(.min..<Int64.max)
        try db.run(
          "UPDATE points SET journal = CAST(? AS INTEGER) WHERE device = CAST(? AS INTEGER) AND journal = CAST(? AS INTEGER)",
          same,
          target.id, id)
      }
      for table in Self.ranges {
        let name = String(table.name.dropFirst(Self.prefix.count))
        let own = try Self.ranges(of: same, in: name, db)
        let new = try Self.ranges(of: id, in: name, db).subtracting(own)
        for range in new.ranges { try bin.add([.integer(same), .integer(range.first), .integer(range.last)], as: table) }
        if !new.ranges.isEmpty { try Self.set(own.united(with: new), of: same, in: name, db) }
        try bin.remove(name, where: "journal = ?", id)
      }
      try bin.remove("journals", where: "id = ?", id)
    }
  }

  private static func ranges(of journal: Int64, in table: String, _ db: any SQLConnection) throws -> RecordRanges {
    RecordRanges(
      ranges: try db.all("SELECT first, last FROM \(table) WHERE journal = ? ORDER BY first", journal) {
        RecordRanges.Range(first: try $0.integer("first"), last: try $0.integer("last"))
      })
  }

  /// Removes the sequence numbers of the former device from the target's journal.
  private static func moveBackRanges(_ rows: [[SQLArgument]], in table: String, _ db: any SQLConnection) throws {
    for row in rows {
      guard row.count == 3, case .integer(let journal) = row[0], case .integer(let first) = row[1],
        case .integer(let last) = row[2]
      else { continue }
      let left = try ranges(of: journal, in: table, db).subtracting(RecordRanges(ranges: [.init(first: first, last: last)]))
      try set(left, of: journal, in: table, db)
    }
  }

  /// Replaces the ranges of a journal.
  private static func set(_ new: RecordRanges, of journal: Int64, in table: String, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM \(table) WHERE journal = ?", journal)
    for range in new.ranges {
      try db.run("INSERT INTO \(table) (journal, first, last) VALUES (?, ?, ?)", journal, range.first, range.last)
    }
  }

  // MARK: Back

  /// Moves rows back whose keys are in a part of the trash.
  static func moveBack(
    _ rows: [[SQLArgument]], _ names: [String], _ source: String, from target: Device, to former: Device, at now: Date,
    _ db: any SQLConnection
  ) throws {
    switch source {
    case points.name: try moveBackPoints(rows, from: target.id, to: former.id, db)
    case ranges[0].name, ranges[1].name: try moveBackRanges(rows, in: String(source.dropFirst(prefix.count)), db)
    case contexts.name:
      for row in rows { _ = try db.run("UPDATE contexts SET journal = ? WHERE id = ?", with: [row[1], row[0]]) }
    case WebhookDevices.merged.name: try WebhookDevices.divide(rows, target.name, from: former.name, db)
    case imports.name:
      for row in rows { _ = try db.run("UPDATE imports SET options = ? WHERE id = ?", with: [row[1], row[0]]) }
    case regions.name:
      let ids = rows.compactMap { row -> String? in if case .text(let id) = row[0] { id } else { nil } }
      // The tag of the former device depends only on its name, which is restored.
      try DeviceRename.retag(ids, from: AppRegions.tag(of: target), to: AppRegions.tag(of: former), at: now, db)
    default:
      let table = String(source.dropFirst(prefix.count))
      let key = names.map { "\($0) = ?" }.joined(separator: " AND ")
      for row in rows { try move(table, where: "device = ? AND \(key)", [target.id.argument] + row, to: former.id, db) }
      if table == "region_events" { try DeviceRename.renameInEvents(of: former.id, from: target.name, to: former.name, db) }
    }
  }

  private static func moveBackPoints(
    _ rows: [[SQLArgument]], from target: Int64, to former: Int64, _ db: any SQLConnection
  ) throws {
    let key = "device = CAST(? AS INTEGER) AND time = ? AND latitude = CAST(? AS INTEGER) AND longitude = CAST(? AS INTEGER)"
    var count = 0
    let times = rows.compactMap { row -> Int64? in if case .integer(let time)? = row.first { time } else { nil } }
    if let first = times.min(), let last = times.max() {
      try PointSealer(ofDevice: target, db).open(Range(upTo: first...last))
    }
    for row in rows {
      count += try movePoints(
        where: key, [target.argument] + row.prefix(3), to: former, journal: db.dialect == .sqlite ? nil : row[3], db)
    }
    try recount(count, from: target, to: former, db)
  }

  private static func recount(_ count: Int, from target: Int64, to former: Int64, _ db: any SQLConnection) throws {
    try db.run("UPDATE devices SET points = points - ? WHERE id = ?", count, target)
    try db.run("UPDATE devices SET points = points + ? WHERE id = ?", count, former)
    try db.run("DELETE FROM live_positions WHERE device = ? OR device = ?", former, target)
  }

  /// Moves points back that were stored with the former device's journals while the devices were merged.
  static func moveBackNew(
    since begin: Int64, from target: Int64, to former: Int64, _ db: any SQLConnection
  ) throws {
    try PointSealer(ofDevice: target, db).open(begin..<Int64.max)
    // The journals are read first, because points may be on another machine.
    let journals = try db.all("SELECT id FROM journals WHERE device = ?", former) { try $0.integer("id") }
    guard !journals.isEmpty else { return }
    let own = NumberList(journals)
    let isOwn =
      db.dialect == .sqlite ? "context IN (SELECT id FROM contexts WHERE journal IN \(own.sql))" : "journal IN \(own.sql)"
    let count = try movePoints(
      where: "device = ? AND time >= ? AND \(isOwn)", [target.argument, begin.argument] + own.arguments, to: former, db)
    try recount(count, from: target, to: former, db)
  }
}
