public import Foundation
internal import GodwitModel
internal import GodwitSQLite

extension SQLiteRegionStore {
  // MARK: Rules

  public func regionRule(device: Int64) throws -> DeviceRegionRule? {
    try readers.read { try Self.rule(device: device, $0) }
  }

  public func setRegionRule(_ rule: DeviceRegionRule?, device: Int64, at now: Date) throws {
    try write { database in
      guard try Self.rule(device: device, database) != rule else { return }
      if let rule {
        try database.run(
          "INSERT OR REPLACE INTO region_rules (device, changed, rule) VALUES (?, ?, ?)", device, now.millisecondsSince1970,
          try RegionScan.json(rule))
      } else {
        try database.run("DELETE FROM region_rules WHERE device = ?", device)
      }
      try database.execute("UPDATE region_status SET rules = rules + 1")
    }
  }

  public func regionGroups() throws -> [String: RegionRule] { try readers.read { try Self.groups($0) } }

  public func setRegionGroup(_ rule: RegionRule?, named name: String, at now: Date) throws {
    try write { database in
      guard try Self.groups(database)[name] != rule else { return }
      if let rule {
        try database.run(
          "INSERT OR REPLACE INTO region_groups (name, changed, rule) VALUES (?, ?, ?)", name, now.millisecondsSince1970,
          try RegionScan.json(rule))
      } else {
        try database.run("DELETE FROM region_groups WHERE name = ?", name)
      }
      try database.execute("UPDATE region_status SET rules = rules + 1")
    }
  }

  static func rule(device: Int64, _ database: Database) throws -> DeviceRegionRule? {
    try database.text("SELECT rule FROM region_rules WHERE device = ?", device).map { try decoded($0) }
  }

  static func groups(_ database: Database) throws -> [String: RegionRule] {
    let rows = try database.statement("SELECT name, rule FROM region_groups")
    defer { rows.reset() }
    var groups: [String: RegionRule] = [:]
    while try rows.step() { groups[rows.text(0)] = try decoded(rows.text(1)) }
    return groups
  }

  private static func decoded<Value: Decodable>(_ json: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
  }

  // MARK: What devices have

  public func noteRegionSync(_ sync: RegionSync) throws {
    try write { database in
      try database.run(
        """
        INSERT OR REPLACE INTO region_syncs (device, time, scope, revision, digest, count, wanted) VALUES (?, ?, ?, ?, ?, ?, ?)
        """, sync.device, sync.time.millisecondsSince1970, sync.scope, sync.revision, sync.total.digest.bytes,
        sync.total.count, try RegionScan.json(sync.wish))
    }
  }

  public func regionSyncs() throws -> [RegionSync] { try readers.read { try Self.syncs($0) } }

  private static func syncs(_ database: Database) throws -> [RegionSync] {
    let rows = try database.statement("SELECT device, time, scope, revision, digest, count, wanted FROM region_syncs")
    defer { rows.reset() }
    var syncs: [RegionSync] = []
    while try rows.step() {
      syncs.append(
        RegionSync(
          device: rows.integer(0), time: Date(millisecondsSince1970: rows.integer(1)), scope: rows.text(2),
          revision: rows.integer(3),
          total: RegionTotal(digest: RegionDigest(bytes: rows.blob(4)), count: Int(rows.integer(5))),
          wish: try decoded(rows.text(6))))
    }
    return syncs
  }

  public func regionDevices() throws -> [RegionDeviceSummary] {
    try readers.read { database in
      let status = try Self.status(database)
      let syncs = try Self.syncs(database).reduce(into: [:]) { $0[$1.device] = $1 }
      var devices: [Device] = []
      let rows = try database.statement("SELECT id, name FROM devices ORDER BY name")
      while try rows.step() { devices.append(Device(id: rows.integer(0), name: rows.text(1))) }
      rows.reset()
      return try devices.map { device in
        let sync = syncs[device.id]
        let scope = try self.scope(device: device.id, wish: sync?.wish ?? RegionWish(), status, database)
        let total = try self.total(of: scope, status, database)
        return RegionDeviceSummary(
          device: device, rule: try Self.rule(device: device.id, database), total: total, sync: sync,
          behindSince: try sync.flatMap { try Self.behindSince($0, scope, total, status, database) })
      }
    }
  }

  /// When what a device gets became something else than what it was told last; `nil`: it did not.
  private static func behindSince(
    _ sync: RegionSync, _ scope: RegionScope, _ total: RegionTotal, _ status: RegionStatus, _ database: Database
  ) throws -> Date? {
    guard sync.total.digest != total.digest else { return nil }
    // The first change of the rules after it, where they give it something else than then, …
    if sync.scope != scope.name {
      let changed = try database.integer(
        """
        SELECT min(changed) FROM (SELECT changed FROM region_rules WHERE device = ?1 UNION ALL SELECT changed FROM region_groups)
        WHERE changed >= ?2
        """, sync.device, sync.time.millisecondsSince1970)
      return changed.map { Date(millisecondsSince1970: $0) } ?? sync.time
    }
    // … or else the first change of a region of its own.
    var scan = RegionScan(
      scope: scope,
      from: RegionCursor(epoch: status.epoch, scope: scope.name, revision: sync.revision, begin: 0, mark: 0))
    let rows = try Self.rows(after: sync.revision, box: nil, database)
    defer { rows.reset() }
    while try rows.step() {
      if let changed = try scan.change(rows) { return changed }
    }
    // History went on from a backup that is older than what the device has.
    return sync.time
  }
}
