internal import Foundation
internal import GodwitHistory
internal import GodwitMirror
internal import GodwitModel
internal import GodwitRegions
internal import GodwitServices
internal import GodwitStore
internal import GodwitTransfer

/// The transactions of an undo. Each removes the rows that it restores from the trash, so that a process that continues
/// after a crash restores nothing twice.
struct ReturnSteps: Sendable {
  let database: any StoreDatabase
  /// The number of the undo among the deletions.
  let id: Int64
  /// The number of the entry of the trash.
  let entry: Int64
  /// Called after each transaction, outside of transactions.
  let stepped: @Sendable () throws -> Void

  /// Sources of rows that are restored in separate transactions.
  private static let points: Set<String> = [BackupPoints.table.name, DeviceMerge.prefix + BackupPoints.table.name]

  func perform() throws {
    guard let found = try database.read({ try TrashTables.entry(self.entry, $0) }) else { return }
    let (id, entry, now) = (id, entry, database.clock.now)
    try database.writeAndWait { db in
      if try DeletionTables.counts(of: id, db) == DeletionCounts() {
        try DeletionTables.record(DeletionCounts(json: found.counts), of: id, db)
      }
      try Self.returnRows(of: found, at: now, db)
    }
    try stepped()
    let parts = try database.read { try TrashTables.sources(of: entry, $0) }
    for part in parts where Self.points.contains(part.source) {
      try database.writeAndWait { try Self.returnPoints(part.number, of: found, at: now, $0) }
      try stepped()
    }
    try database.writeAndWait { db in
      if found.kind == .merge { try Self.divideNew(found, db) }
      try TrashTables.remove(entry, db)
      try FilterVersion.increment(db)
    }
    let worker = RecomputeWorker(database: database)
    for device in try devices(of: found) { try worker.processBacklog(ofDevice: device) }
  }

  private func devices(of entry: TrashEntry) throws -> [Int64] {
    try database.read { db in try entry.detail.devices.map { try TrashTables.target(of: $0, db) ?? $0 } }
  }

  /// Restores all rows except points.
  private static func returnRows(of found: TrashEntry, at now: Date, _ db: any SQLConnection) throws {
    let entry = found.id
    // Uploads of the former device belong to it again.
    if found.kind == .merge { try db.run("DELETE FROM merged_devices WHERE former = ?", found.detail.devices.first ?? 0) }
    var returning = TrashReturn(db, numbers: try TrashTables.numbers(of: entry, db))
    let sources = try TrashTables.sources(of: entry, db).filter { !points.contains($0.source) }
    let ordered = sources.enumerated().sorted { first, second in
      if first.element.source == second.element.source { return first.offset < second.offset }
      return TrashReturn.isBefore(first.element.source, second.element.source)
    }
    for (_, source) in ordered {
      guard let part = try TrashTables.part(source.number, of: entry, db) else { continue }
      let (names, rows) = try TrashReturn.rows(of: part)
      switch part.source {
      case TrashTables.appRegions.name: try returnRegions(rows, at: now, db)
      case let source where source.hasPrefix(DeviceMerge.prefix): try moveBack(part, of: found, at: now, db)
      case "events": try returnEvents(rows, names, &returning, db)
      default: for row in rows { try returning.put(row, names, into: part.source) }
      }
      try TrashTables.remove(part: part.number, of: entry, db)
    }
    try TrashTables.set(returning.numbers, of: entry, db)
    try revokeTokens(of: found.detail.devices, at: now, db)
    // Servers reload rules and presences.
    try db.run("UPDATE region_status SET rules = rules + 1")
    try FilterVersion.increment(db)
  }

  /// Revokes restored tokens if the token that created them was revoked while they were in the trash.
  private static func revokeTokens(of devices: [Int64], at now: Date, _ db: any SQLConnection) throws {
    guard !devices.isEmpty else { return }
    let list = NumberList(devices)
    for table in ["device_tokens", "access_tokens"] {
      _ = try db.run(
        """
        UPDATE \(table) SET revoked = ? WHERE revoked IS NULL AND device IN \(list.sql)
          AND parent IN (SELECT id FROM access_tokens WHERE revoked IS NOT NULL)
        """, with: [now.millisecondsSince1970.argument] + list.arguments)
    }
  }

  /// Moves rows back that a merge moved to another device.
  private static func moveBack(_ part: TrashTables.Part, of entry: TrashEntry, at now: Date, _ db: any SQLConnection) throws {
    guard let former = try entry.detail.devices.first.flatMap({ try TrackTables.device(id: $0, db) }),
      let target = try entry.detail.devices.last.flatMap({ try TrackTables.device(id: $0, db) })
    else { return }
    let (names, rows) = try TrashReturn.rows(of: part)
    try DeviceMerge.moveBack(rows, names, part.source, from: target, to: former, at: now, db)
    guard let time = names.firstIndex(of: "time") else { return }
    let times = rows.compactMap { row -> Int64? in if case .integer(let time) = row[time] { time } else { nil } }
    for device in [former.id, target.id] { try DeletionPoints.markDirty(times, device: device, removal: .records, db) }
  }

  /// Moves points of the former device's journals back that were stored while the two devices were merged.
  private static func divideNew(_ entry: TrashEntry, _ db: any SQLConnection) throws {
    guard let former = entry.detail.devices.first, let target = entry.detail.devices.last else { return }
    let since = entry.created.millisecondsSince1970 - 31 * DayLength.milliseconds
    for device in [former, target] { try DirtyDays.recordAll(ofDevice: device, since..<Int64.max, db) }
    try DeviceMerge.moveBackNew(since: since, from: target, to: former, db)
    for device in [former, target] { try DirtyDays.recordAll(ofDevice: device, since..<Int64.max, db) }
  }

  private static func returnRegions(_ rows: [[SQLArgument]], at now: Date, _ db: any SQLConnection) throws {
    var editor = try RegionEditor(db, at: now)
    var change = RegionChange()
    for row in rows {
      guard row.count == 2, case .text(let id) = row[0], case .blob(let json) = row[1] else { continue }
      // A region that was created again in the meantime does not change.
      guard try db.integer("SELECT 1 FROM regions WHERE id = ? AND json IS NOT NULL", id) == nil else { continue }
      let region = try StoredRegion.region(json: json)
      try editor.save(region, if: .none, counting: &change)
    }
    _ = try editor.finish()
  }

  private static func returnEvents(
    _ rows: [[SQLArgument]], _ names: [String], _ returning: inout TrashReturn, _ db: any SQLConnection
  ) throws {
    guard let place = names.firstIndex(of: "record"), let device = names.firstIndex(of: "device") else { return }
    for row in rows {
      guard try returning.put(row, names, into: "events"), case .text(let json) = row[place],
        case .integer(let former) = row[device]
      else { continue }
      let device = returning.numbers["devices"]?[former] ?? former
      let record = try EventRow.record(json: json)
      try DeletionPoints.markDirty(
        DirtyDays.times(of: record.kind).map(\.millisecondsSince1970), device: device, removal: .none, db)
      try MirrorChanges.record([EventRow(record).time], ofDevice: device, removal: .none, db)
      guard let id = record.id else { continue }
      let journal = try db.integer(
        "SELECT id FROM journals WHERE device = ? AND journal = ?", device, Int64(bitPattern: id.journal))
      if let journal { try DeletionTables.subtract([id.sequence.value], ofJournal: journal, db) }
    }
  }

  /// Restores the points of a part.
  private static func returnPoints(_ number: Int64, of found: TrashEntry, at now: Date, _ db: any SQLConnection) throws {
    let entry = found.id
    guard let part = try TrashTables.part(number, of: entry, db) else { return }
    if part.source.hasPrefix(DeviceMerge.prefix) {
      try moveBack(part, of: found, at: now, db)
      try TrashTables.remove(part: number, of: entry, db)
      return
    }
    var returning = TrashReturn(db, numbers: try TrashTables.numbers(of: entry, db))
    let (names, rows) = try TrashReturn.rows(of: part)
    let found = try returning.putPoints(rows, names)
    for (device, points) in Dictionary(grouping: found, by: \.device) {
      try db.run("UPDATE devices SET points = points + ? WHERE id = ?", points.count, device)
      try DeletionPoints.markDirty(points.map(\.time), device: device, removal: .none, db)
      // The newest point is looked up again.
      try db.run("DELETE FROM live_positions WHERE device = ?", device)
    }
    for (journal, points) in Dictionary(grouping: found, by: \.journal) {
      guard let journal else { continue }
      try DeletionTables.subtract(points.compactMap(\.sequence), ofJournal: journal, db)
    }
    try TrashTables.remove(part: number, of: entry, db)
    try FilterVersion.increment(db)
  }
}
