package import Foundation
package import GodwitModel
package import GodwitStore
internal import GodwitWire

/// A change of the regions in an open transaction: assigns revisions, updates the digest, and writes the nonce of the change.
package struct RegionEditor {
  private let database: any SQLConnection
  private let now: Int64
  private var status: RegionStatus
  private let before: Int64

  /// Maximum number of former lists of tags of a region. If there are more, any device may have had the region.
  private static let maximumEarlier = 8

  /// The stored row of a region.
  private struct Row {
    var revision: Int64
    var tags: String
    var earlier: String
    /// `nil`: the region is deleted.
    var hash: RegionDigest?
  }

  package init(_ db: any SQLConnection, at now: Date) throws {
    self.database = db
    self.now = now.millisecondsSince1970
    status = try DatabaseRegionStore.lockedStatus(db)
    before = status.revision
  }

  private static let find = "SELECT revision, tags, former_tags, hash FROM regions WHERE id = ?"
  private static let insert = """
    INSERT INTO regions (revision, id, created_revision, changed, tags, former_tags, hash, south, north, west, east, json)
    VALUES (?1, ?2, ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    """
  private static let update = """
    UPDATE regions SET revision = ?1, changed = ?3, tags = ?4, former_tags = ?5, hash = ?6, south = ?7, north = ?8, west = ?9,
      east = ?10, json = ?11 WHERE id = ?2
    """

  /// Creates or replaces a region.
  package mutating func save(_ region: Region, if condition: RegionCondition, counting change: inout RegionChange) throws {
    let row = try row(of: region.id)
    try Self.check(condition, region.id, row)
    var json: [UInt8] = []
    RegionJSON.write(region, into: &json)
    let hash = RegionDigest(id: region.id, json: json)
    if let row, row.hash == hash {
      change.unchanged += 1
      return
    }
    let tags = region.tags.joined(separator: RegionScan.unit)
    var earlier = row?.earlier ?? ""
    if let row, row.hash != nil, row.tags != tags { earlier = Self.earlier(earlier, adding: row.tags) }
    if row?.tags != tags { try replaceTags(of: region.id, row?.tags, by: region.tags) }
    if let old = row?.hash {
      status.total.digest.toggle(old)
      change.changed += 1
    } else {
      status.total.count += 1
      change.created += 1
    }
    status.total.digest.toggle(hash)
    try write(
      row == nil ? Self.insert : Self.update, id: region.id, tags: tags, earlier: earlier, hash: hash,
      box: RegionBox(region.shape),
      json: json)
  }

  /// Deletes a region. - Returns: whether the region existed.
  package mutating func delete(_ id: String, if condition: RegionCondition) throws -> Bool {
    let row = try row(of: id)
    try Self.check(condition, id, row)
    guard let row, let hash = row.hash else { return false }
    try replaceTags(of: id, row.tags, by: [])
    status.total.count -= 1
    status.total.digest.toggle(hash)
    try write(
      Self.update, id: id, tags: "", earlier: Self.earlier(row.earlier, adding: row.tags), hash: nil, box: nil, json: nil)
    return true
  }

  /// Stores the results of the change. - Returns: the revision of the store.
  package func finish() throws -> Int64 {
    guard status.revision > before else { return before }
    try database.run(
      "UPDATE region_status SET revision = ?, digest = ?, count = ?", status.revision, status.total.digest.bytes,
      status.total.count)
    try database.run(
      "INSERT INTO region_changes (last, time, nonce) VALUES (?, ?, ?)", status.revision, now, Int64.random(in: .min ... .max))
    try purge()
    return status.revision
  }

  // MARK: Rows

  private func row(of id: String) throws -> Row? {
    try database.first(Self.find, id) { row in
      Row(
        revision: try row.integer("revision"), tags: try row.text("tags"), earlier: try row.text("former_tags"),
        hash: try row.optionalBlob("hash").map { RegionDigest(bytes: $0) })
    }
  }

  private static func check(_ condition: RegionCondition, _ id: String, _ row: Row?) throws {
    let revision = row?.hash == nil ? nil : row?.revision
    let holds =
      switch condition {
      case .none: true
      case .revision(let expected): revision == expected
      case .exists: revision != nil
      case .absent: revision == nil
      }
    if !holds { throw RegionConflict(id: id, revision: revision) }
  }

  private mutating func write(
    _ sql: String, id: String, tags: String, earlier: String, hash: RegionDigest?, box: RegionBox?, json: [UInt8]?
  ) throws {
    status.revision += 1
    try database.run(
      sql, status.revision, id, now, tags, earlier, hash?.bytes, box?.south, box?.north, box?.west, box?.east, json)
  }

  private func replaceTags(of id: String, _ old: String?, by new: [String]) throws {
    for tag in RegionScan.split(old ?? "") where !new.contains(tag) {
      try database.run("DELETE FROM region_tags WHERE tag = ? AND id = ?", tag, id)
    }
    for tag in new {
      try database.run("INSERT INTO region_tags (tag, id) VALUES (?, ?) ON CONFLICT DO NOTHING", tag, id)
    }
  }

  private static func earlier(_ earlier: String, adding tags: String) -> String {
    if earlier == RegionScan.any { return earlier }
    let lists = earlier.components(separatedBy: RegionScan.list).dropFirst()
    if lists.contains(tags) { return earlier }
    return lists.count < maximumEarlier ? earlier + RegionScan.list + tags : RegionScan.any
  }

  // MARK: Deletion

  /// Purges old tombstones. This scans the table, so it runs at most once a day.
  private func purge() throws {
    let cutoff = now - Int64(RegionHistory.age * 1000)
    guard let oldest = try database.integer("SELECT time FROM region_changes ORDER BY last LIMIT 1"),
      oldest < cutoff - DayLength.milliseconds
    else { return }
    let horizon = try database.integer(
      "SELECT max(last) FROM region_changes WHERE time < ? AND last <= ?", cutoff,
      status.revision - Int64(RegionHistory.changes))
    guard let horizon else { return }
    try database.run("DELETE FROM regions WHERE json IS NULL AND revision <= ?", horizon)
    try database.run("UPDATE regions SET former_tags = '' WHERE revision <= ? AND former_tags <> ''", horizon)
    try database.run("DELETE FROM region_changes WHERE last < ?", horizon)
    try database.run("UPDATE region_status SET horizon = ?", horizon)
  }
}
