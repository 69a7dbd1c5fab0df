public import Foundation
internal import GodwitModel
package import GodwitStore
internal import GodwitWire

extension DatabaseRegionStore {
  // MARK: Rules

  public func regionRule(device: Int64) throws -> DeviceRegionRule? {
    try database.read { try Self.rule(device: device, $0) }
  }

  public func setRegionRule(
    _ rule: DeviceRegionRule?, device: Int64, at now: Date, check: @escaping @Sendable (DeviceRegionRule?) throws -> Void
  ) throws {
    try database.writeAndWait { database in
      let before = try Self.rule(device: device, database)
      try check(before)
      guard before != rule else { return }
      if let rule {
        try database.run(
          """
          INSERT INTO region_rules (device, changed, rule) VALUES (?, ?, ?)
          ON CONFLICT (device) DO UPDATE SET changed = excluded.changed, rule = excluded.rule
          """, device, now.millisecondsSince1970, try RegionScan.json(rule))
      } else {
        try database.run("DELETE FROM region_rules WHERE device = ?", device)
      }
      try database.run("UPDATE region_status SET rules = rules + 1")
    }
  }

  public func regionGroups() throws -> [String: RegionRule] { try database.read { try Self.groups($0) } }

  public func setRegionGroup(_ rule: RegionRule?, named name: String, at now: Date) throws {
    try database.writeAndWait { database in
      guard try Self.groups(database)[name] != rule else { return }
      if let rule {
        try database.run(
          """
          INSERT INTO region_groups (name, changed, rule) VALUES (?, ?, ?)
          ON CONFLICT (name) DO UPDATE SET changed = excluded.changed, rule = excluded.rule
          """, name, now.millisecondsSince1970, try RegionScan.json(rule))
      } else {
        try database.run("DELETE FROM region_groups WHERE name = ?", name)
      }
      try database.run("UPDATE region_status SET rules = rules + 1")
    }
  }

  package static func rule(device: Int64, _ db: any SQLConnection) throws -> DeviceRegionRule? {
    try db.text("SELECT rule FROM region_rules WHERE device = ?", device).map { try decoded($0) }
  }

  package static func groups(_ db: any SQLConnection) throws -> [String: RegionRule] {
    var groups: [String: RegionRule] = [:]
    try db.forEach("SELECT name, rule FROM region_groups") { groups[try $0.text("name")] = try decoded($0.text("rule")) }
    return groups
  }

  private static func decoded<Value: Decodable>(_ json: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
  }

  // MARK: Syncs

  public func recordRegionSync(_ sync: RegionSync) throws {
    try database.writeAndWait { database in
      try database.run(
        """
        INSERT INTO region_syncs (device, time, scope, revision, digest, count, requested) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (device) DO UPDATE SET time = excluded.time, scope = excluded.scope, revision = excluded.revision,
          digest = excluded.digest, count = excluded.count, requested = excluded.requested
        """, sync.device, sync.time.millisecondsSince1970, sync.scope, sync.revision, sync.total.digest.bytes,
        sync.total.count, try RegionScan.json(sync.filter))
    }
  }

  public func regionSyncs(since: Date?) throws -> [RegionSync] {
    try database.read { try Self.syncs(since: since?.millisecondsSince1970 ?? .min, $0) }
  }

  private static func syncs(since: Int64 = .min, _ db: any SQLConnection) throws -> [RegionSync] {
    try db.all(
      "SELECT device, time, scope, revision, digest, count, requested FROM region_syncs WHERE time >= ?", since
    ) { row in
      try RegionSync(
        device: row.integer("device"), time: row.time("time"), scope: row.text("scope"), revision: row.integer("revision"),
        total: RegionTotal(digest: RegionDigest(bytes: row.blob("digest")), count: Int(row.integer("count"))),
        filter: decoded(row.text("requested")))
    }
  }

  public func regionDevices() throws -> [RegionDeviceSummary] {
    try database.read { database in
      let status = try Self.status(database)
      let syncs = try Self.syncs(database).reduce(into: [:]) { $0[$1.device] = $1 }
      let devices = try database.all(
        """
        SELECT devices.id AS id, devices.name AS name, users.role AS role
        FROM devices LEFT JOIN users ON users.id = devices.owner ORDER BY devices.name
        """
      ) { row in (device: try Device(row), isMembers: Self.isMembers(role: try row.optionalText("role"))) }
      return try devices.map { device, isMembers in
        let sync = syncs[device.id]
        let scope = try self.scope(device: device.id, filter: sync?.filter ?? RegionFilter(), status, database)
        let total = try self.total(of: scope, status, database)
        return RegionDeviceSummary(
          device: device, rule: try Self.rule(device: device.id, database), isMembers: isMembers, total: total, sync: sync,
          behindSince: try sync.flatMap { try Self.behindSince($0, scope, total, status, database) })
      }
    }
  }

  /// Returns the time since when the regions of a device differ from its last sync; `nil`: they do not differ.
  private static func behindSince(
    _ sync: RegionSync, _ scope: RegionScope, _ total: RegionTotal, _ status: RegionStatus, _ db: any SQLConnection
  ) throws -> Date? {
    guard sync.total.digest != total.digest else { return nil }
    // If the scope has changed since the sync: the first change of the rules after the sync.
    if sync.scope != scope.name {
      let changed = try db.integer(
        """
        SELECT min(changed)
        FROM (SELECT changed FROM region_rules WHERE device = ?1 UNION ALL SELECT changed FROM region_groups) AS rules
        WHERE changed >= ?2
        """, sync.device, sync.time.millisecondsSince1970)
      return changed.map { Date(millisecondsSince1970: $0) } ?? sync.time
    }
    // Otherwise: the first change of a region in the scope.
    var scan = RegionScan(
      scope: scope,
      from: RegionCursor(epoch: status.epoch, scope: scope.name, revision: sync.revision, begin: 0, nonce: 0))
    var changed: Date?
    try Self.forEachRow(after: sync.revision, box: nil, db) { row in
      changed = try scan.change(row)
      return changed == nil
    }
    // There is no such change if the database was restored from a backup that is older than the copy of the device.
    return changed ?? sync.time
  }
}
