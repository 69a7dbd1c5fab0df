internal import Foundation
internal import GodwitModel

/// Private zones in the database.
enum ZoneTable {
  static func all(_ connection: any SQLConnection) throws -> [PrivacyZone] {
    try connection.all("SELECT id, account, terms, created FROM zones ORDER BY id") { row in
      PrivacyZone(
        id: row.integer(0), account: row.optionalInteger(1),
        terms: try JSONDecoder().decode(PrivacyZone.Terms.self, from: Data(row.text(2).utf8)),
        created: Date(millisecondsSince1970: row.integer(3)))
    }
  }

  static func add(
    _ terms: PrivacyZone.Terms, of account: Int64?, at now: Date, _ connection: any SQLConnection
  ) throws -> PrivacyZone? {
    let text = String(decoding: try JSONEncoder().encode(terms), as: UTF8.self)
    let id = try connection.integer(
      "INSERT INTO zones (account, terms, created) VALUES (?, ?, ?) RETURNING id", account, text, now.millisecondsSince1970)
    try noteChange(connection)
    return id.map { PrivacyZone(id: $0, account: account, terms: terms, created: now) }
  }

  static func change(_ id: Int64, _ terms: PrivacyZone.Terms, _ connection: any SQLConnection) throws {
    try connection.run(
      "UPDATE zones SET terms = ? WHERE id = ?", String(decoding: try JSONEncoder().encode(terms), as: UTF8.self), id)
    try noteChange(connection)
  }

  static func remove(_ id: Int64, _ connection: any SQLConnection) throws {
    try connection.run("DELETE FROM zones WHERE id = ?", id)
    try noteChange(connection)
  }

  /// Zones, or whose a device is, are not what they were, or something was deleted. On PostgreSQL it waits for the transactions
  /// that store records, which hold the devices: to be called last in a transaction.
  static func noteChange(_ connection: any SQLConnection) throws {
    try connection.run("UPDATE zone_status SET version = version + 1")
  }

  static func version(_ connection: any SQLConnection) throws -> Int64 {
    try connection.integer("SELECT version FROM zone_status") ?? 0
  }

  /// How many records zones have changed and left out.
  static func counts(of device: Int64, _ connection: any SQLConnection) throws -> (coarsened: Int, dropped: Int) {
    try connection.first("SELECT coarsened, dropped FROM zone_counts WHERE device = ?", device) {
      (Int($0.integer(0)), Int($0.integer(1)))
    } ?? (0, 0)
  }

  static func count(
    coarsened: Int, dropped: Int, of device: Int64, _ connection: any SQLConnection
  ) throws {
    try connection.run(
      """
      INSERT INTO zone_counts (device, coarsened, dropped) VALUES (?1, ?2, ?3) ON CONFLICT (device) DO UPDATE SET
        coarsened = zone_counts.coarsened + ?2, dropped = zone_counts.dropped + ?3
      """, device, coarsened, dropped)
  }
}

/// What private zones made of a group of submissions.
struct ZonedGroup {
  /// As they may be stored.
  var submissions: [Submission]
  /// Records that were changed and left out, by device.
  fileprivate var counts: [Int64: (coarsened: Int, dropped: Int)] = [:]

  /// Counts what was changed. - Parameter connection: in the transaction that stores the group.
  func noteCounts(in connection: any SQLConnection) throws {
    for (device, count) in counts.sorted(by: { $0.key < $1.key }) {
      try ZoneTable.count(coarsened: count.coarsened, dropped: count.dropped, of: device, connection)
    }
  }
}

/// Applies private zones to what is about to be stored: whichever way it came, and whichever program stores it. Belongs to the
/// thread that stores records.
final class ZoneKeeper {
  /// The state of zones, owners and deletions that the group before was stored by.
  private(set) var version: Int64 = -1
  private var zones: [Int64?: ZoneSet] = [:]
  private var owners: [Int64: Int64?] = [:]
  /// Devices whose owners are remembered.
  private static let mostOwners = 50_000

  /// The submissions as they may be stored.
  /// - Parameters:
  ///   - group: what came.
  ///   - connection: in the transaction that is to store it, or just before it.
  func applied(to group: [Submission], in connection: any SQLConnection) throws -> ZonedGroup {
    let now = try ZoneTable.version(connection)
    if now != version {
      zones = Dictionary(grouping: try ZoneTable.all(connection), by: \.account)
        .mapValues { ZoneSet($0.map { PreparedZone($0.terms) }) }
      owners = [:]
      version = now
    }
    var zoned = ZonedGroup(submissions: group)
    // Most servers have none.
    if zones.isEmpty { return zoned }
    for index in group.indices { try apply(to: index, of: &zoned, connection) }
    return zoned
  }

  /// A transaction was rolled back: what was read in it may not be so.
  func forget() { version = -1 }

  private func apply(to index: Int, of zoned: inout ZonedGroup, _ connection: any SQLConnection) throws {
    let submission = zoned.submissions[index]
    guard let zones = zones[try owner(of: submission.device.id, connection)] else { return }
    var kept = submission
    kept.records = []
    kept.records.reserveCapacity(submission.records.count)
    var count = zoned.counts[submission.device.id] ?? (0, 0)
    for record in submission.records {
      switch zones.applied(to: record) {
      case .asItWas: kept.records.append(record)
      case .coarsened(let record):
        kept.records.append(record)
        count.coarsened += 1
      case .dropped: count.dropped += 1
      }
    }
    kept.refusals = submission.refusals.map { zones.applied(to: $0) }
    zoned.submissions[index] = kept
    if count != (0, 0) { zoned.counts[submission.device.id] = count }
  }

  private func owner(of device: Int64, _ connection: any SQLConnection) throws -> Int64? {
    if let known = owners[device] { return known }
    let found = try DeviceOwners.owner(of: device, connection)
    if owners.count >= Self.mostOwners { owners.removeAll(keepingCapacity: true) }
    owners[device] = .some(found)
    return found
  }
}
