internal import Foundation
internal import GodwitPostgres
package import GodwitStore

extension PointRepair {
  /// The result of a repair with a backup.
  package struct Summary: Sendable, Hashable {
    /// Days whose original rows were restored.
    package var repaired: [DamagedDay] = []
    /// Days whose rows are not in the backup; they were not changed.
    package var unrepaired: [DamagedDay] = []
  }

  /// The temporary table of the rows of the backup.
  private static let copied = "copied_rows"

  /// Restores the rows of damaged days from a backup of the store. The hash of a day identifies the original rows, also if
  /// points were added or deleted since the backup.
  /// - Parameters:
  ///   - path: the archive.
  ///   - passphrase: the passphrase of an encrypted archive; `nil`: the archive must not be encrypted.
  /// - Throws: an error with the fault of the archive, or `PostgresError`. In this case nothing was changed.
  package func run(from path: String, passphrase: Passphrase? = nil) throws -> Summary {
    _ = try Backup.check(path, passphrase: passphrase)
    let days = try PointHashes.damaged(db)
    guard !days.isEmpty else { return Summary() }
    return try inTransaction {
      try session.execute("CREATE TEMPORARY TABLE \(Self.copied) (LIKE points) ON COMMIT DROP")
      try copyRows(of: days, from: path, passphrase)
      var summary = Summary()
      for day in days {
        if try chooseRows(of: day) { summary.repaired.append(day) } else { summary.unrepaired.append(day) }
      }
      let entries = try summary.repaired.map { try entry(of: $0) }
      try replaceRows(of: summary.repaired)
      for (day, entry) in zip(summary.repaired, entries) where try self.entry(of: day) != entry {
        throw Restore.InvalidBackup(
          description:
            "The rows of \(day.name), \(day.day), cannot be replaced, because a row of another day has the same key in the "
            + "index. Nothing was changed. Run REINDEX TABLE points, and try again.")
      }
      return summary
    }
  }

  private struct Entry: Equatable {
    var points: Int64 = 0
    var hash: Int64 = 0
  }

  private func entry(of day: DamagedDay) throws -> Entry {
    try db.first("SELECT points, hash FROM point_hashes WHERE device = ? AND day = ?", day.device, day.number) {
      Entry(points: try $0.integer("points"), hash: try $0.integer("hash"))
    } ?? Entry()
  }

  /// Copies the rows of days from the backup into the temporary table.
  private func copyRows(of days: [DamagedDay], from path: String, _ passphrase: Passphrase?) throws {
    let tar = try TarReader(path, passphrase: passphrase)
    let manifest = try Restore.manifest(tar, path).manifest
    let table = BackupPoints.table.name
    guard let plan = try Restore.plans(manifest, path, manifest.version == Backup.formerVersion)[table] else { return }
    let times = Dictionary(grouping: days, by: \.device).mapValues { $0.map(\.times) }
    let points = PointRestorer(
      db,
      copy: PointRestorer.Copy(table: Self.copied) { device, time in times[device]?.contains { $0.contains(time) } ?? false })
    while let file = try tar.next() {
      guard file.name.hasPrefix("tables/\(table)/") else { continue }
      _ = try plan.store(file.bytes, file.name, path, db, points)
    }
    try points.finish()
  }

  /// Inserts the original rows of a day into the table of new rows.
  /// - Returns: whether the original rows are known.
  private func chooseRows(of day: DamagedDay) throws -> Bool {
    let condition = Self.condition(day)
    let hash = try PointHashes.rowHash(session)
    func hashes(_ table: String) throws -> [PointKey: Int64] {
      var hashes: [PointKey: Int64] = [:]
      try db.forEach("SELECT time, latitude, longitude, \(hash) AS hash FROM \(table) WHERE \(condition)") { row in
        let key = PointKey(
          time: try row.integer("time"), latitude: try row.integer("latitude"), longitude: try row.integer("longitude"))
        hashes[key] = try row.integer("hash")
      }
      return hashes
    }
    let entry = try entry(of: day)
    let rows = DayRows(stored: try hashes("points"), copy: try hashes(Self.copied))
    guard let chosen = rows.chosen(count: entry.points, hash: entry.hash) else { return false }
    for (source, table) in [(DayRows.Source.store, "points"), (.copy, Self.copied)] {
      var (times, latitudes, longitudes) = (PostgresArray(of: .int8), PostgresArray(of: .int8), PostgresArray(of: .int8))
      for (key, origin) in chosen where origin == source {
        times.append(key.time)
        latitudes.append(key.latitude)
        longitudes.append(key.longitude)
      }
      try session.run(
        """
        INSERT INTO \(Self.rows) SELECT * FROM \(table) WHERE \(condition)
          AND (time, latitude, longitude) IN (SELECT * FROM unnest(?, ?, ?))
        """, [times.value(), latitudes.value(), longitudes.value()])
    }
    return true
  }
}
