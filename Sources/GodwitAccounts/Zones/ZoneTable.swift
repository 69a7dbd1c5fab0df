package import Foundation
internal import GodwitModel
package import GodwitStore

/// Private zones in the database.
package enum ZoneTable {
  package static func all(_ db: any SQLConnection) throws -> [PrivacyZone] {
    try db.all("SELECT id, account, options, created FROM zones ORDER BY id") { row in
      try PrivacyZone(
        id: row.integer("id"), account: row.optionalInteger("account"),
        options: JSONDecoder().decode(PrivacyZone.Options.self, from: Data(row.text("options").utf8)),
        created: row.time("created"))
    }
  }

  /// Returns the zones by user; `nil`: the administrator.
  static func byUser(_ db: any SQLConnection) throws -> [Int64?: ZoneSet] {
    Dictionary(grouping: try all(db), by: \.account).mapValues { ZoneSet($0.map { PreparedZone($0.options) }) }
  }

  /// Returns the zones of the owner of a device; `nil`: there are none.
  package static func zones(ofDevice device: Int64, _ db: any SQLConnection) throws -> ZoneSet? {
    let sets = try byUser(db)
    return sets.isEmpty ? nil : sets[try TrackTables.owner(of: device, db)]
  }

  package static func add(
    _ options: PrivacyZone.Options, of account: Int64?, at now: Date, _ db: any SQLConnection
  ) throws -> PrivacyZone? {
    let text = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
    let id = try db.integer(
      "INSERT INTO zones (account, options, created) VALUES (?, ?, ?) RETURNING id", account, text, now.millisecondsSince1970)
    try FilterVersion.increment(db)
    return id.map { PrivacyZone(id: $0, account: account, options: options, created: now) }
  }

  package static func change(_ id: Int64, _ options: PrivacyZone.Options, _ db: any SQLConnection) throws {
    try db.run(
      "UPDATE zones SET options = ? WHERE id = ?", String(decoding: try JSONEncoder().encode(options), as: UTF8.self), id)
    try FilterVersion.increment(db)
  }

  package static func remove(_ id: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM zones WHERE id = ?", id)
    try FilterVersion.increment(db)
  }

  /// Returns the numbers of records that zones have coarsened and dropped.
  package static func counts(of device: Int64, _ db: any SQLConnection) throws -> (coarsened: Int, dropped: Int) {
    try db.first("SELECT coarsened, dropped FROM zone_counts WHERE device = ?", device) {
      try (Int($0.integer("coarsened")), Int($0.integer("dropped")))
    } ?? (0, 0)
  }

  package static func count(
    coarsened: Int, dropped: Int, of device: Int64, _ db: any SQLConnection
  ) throws {
    try db.run(
      """
      INSERT INTO zone_counts (device, coarsened, dropped) VALUES (?1, ?2, ?3) ON CONFLICT (device) DO UPDATE SET
        coarsened = zone_counts.coarsened + ?2, dropped = zone_counts.dropped + ?3
      """, device, coarsened, dropped)
  }
}

/// Applies private zones to records before they are stored, for all protocols and programs. Used only on the thread that
/// stores records.
package final class ZoneFilter: SubmissionFilter {
  /// The version of zones, owners and deletions of the previous group.
  private var version: Int64 = -1
  private var zones: [Int64?: ZoneSet] = [:]
  private var owners: [Int64: Int64?] = [:]
  /// Maximum devices whose owners are cached.
  private static let maximumOwners = 50_000

  /// Numbers of coarsened and dropped records, by device.
  private typealias Counts = [Int64: (coarsened: Int, dropped: Int)]

  package init() {}

  package func applied(to group: [Submission], at now: Int64, _ db: any SQLConnection) throws -> FilteredGroup {
    if now != version {
      zones = try ZoneTable.byUser(db)
      owners = [:]
      version = now
    }
    var filtered = FilteredGroup(group)
    // Most servers have no zones.
    if zones.isEmpty { return filtered }
    var counts: Counts = [:]
    for index in group.indices { try apply(to: &filtered.submissions[index], &counts, db) }
    let changed = counts.sorted { $0.key < $1.key }
    filtered.record = { db in
      for (device, count) in changed {
        try ZoneTable.count(coarsened: count.coarsened, dropped: count.dropped, of: device, db)
      }
    }
    return filtered
  }

  package func discardState() { version = -1 }

  private func apply(to submission: inout Submission, _ counts: inout Counts, _ db: any SQLConnection) throws {
    guard let zones = zones[try owner(of: submission.device.id, db)] else { return }
    var kept: [Record] = []
    kept.reserveCapacity(submission.records.count)
    var count = counts[submission.device.id] ?? (0, 0)
    for record in submission.records {
      switch zones.applied(to: record) {
      case .asItWas: kept.append(record)
      case .coarsened(let record):
        kept.append(record)
        count.coarsened += 1
      case .dropped: count.dropped += 1
      }
    }
    submission.records = kept
    submission.rejections = submission.rejections.map { zones.applied(to: $0) }
    if count != (0, 0) { counts[submission.device.id] = count }
  }

  private func owner(of device: Int64, _ db: any SQLConnection) throws -> Int64? {
    if let known = owners[device] { return known }
    let found = try TrackTables.owner(of: device, db)
    if owners.count >= Self.maximumOwners { owners.removeAll(keepingCapacity: true) }
    owners[device] = .some(found)
    return found
  }
}
