internal import Foundation
internal import GodwitModel
package import GodwitStore
internal import GodwitWire
internal import Synchronization

/// The regions in the server's database. Other programs and servers may use the database at the same time.
public final class DatabaseRegionStore: RegionStore {
  package let database: any StoreDatabase
  /// Cached results. They are valid while the store has the same revision.
  private let memory = Mutex(Memory())

  private struct Memory {
    var rules: Int64 = -1
    var scopes: [CacheKey: RegionScope] = [:]
    /// The totals by ``RegionScope/name``, followed by the own tag of the device if regions of apps exist.
    var totals: [String: (revision: Int64, total: RegionTotal)] = [:]
    /// Maximum entries of each cache.
    static let capacity = 10_000
  }

  /// A reader of the regions, with its filter.
  private struct CacheKey: Hashable {
    var device: Int64?
    var filter: RegionFilter
  }

  /// - Parameter database: the database. The caller closes it.
  package init(_ database: any StoreDatabase) { self.database = database }

  // MARK: Reading

  public func regionStatus() throws -> RegionStatus { try database.read { try Self.status($0) } }

  public func region(id: String) throws -> StoredRegion? {
    try database.read { database in
      try database.first("SELECT revision, changed, json FROM regions WHERE id = ? AND json IS NOT NULL", id) { row in
        try StoredRegion(id: id, revision: row.integer("revision"), changed: row.time("changed"), json: row.blob("json"))
      }
    }
  }

  public func region(id: String, device: Int64) throws -> StoredRegion? {
    try database.read { database in
      let scope = try self.scope(device: device, filter: RegionFilter(), try Self.status(database), database)
      return try database.first("SELECT revision, changed, tags, json FROM regions WHERE id = ? AND json IS NOT NULL", id) {
        row -> StoredRegion? in
        guard scope.contains(id: id, tags: RegionScan.split(try row.text("tags"))) else { return nil }
        return try StoredRegion(id: id, revision: row.integer("revision"), changed: row.time("changed"), json: row.blob("json"))
      } ?? nil
    }
  }

  public func regionPage(_ query: RegionPageQuery) throws -> StoredRegionPage {
    try database.read { database in
      let status = try Self.status(database)
      let scope = try self.scope(device: query.device, filter: query.filter, status, database)
      let known = try query.after.flatMap { try self.cursor($0, scope, status, database) }
      var cursor =
        known
        ?? RegionCursor(epoch: status.epoch, scope: scope.name, revision: 0, begin: status.revision, nonce: 0)
      var scan = RegionScan(scope: scope, from: cursor)
      var nodes: [StoredRegionPage.Node] = []
      var hasNextPage = false
      var end = cursor.revision
      var passed = 0
      try Self.forEachRow(after: cursor.revision, box: query.box, database) { row in
        guard let node = try scan.node(row), query.box == nil || node.isThere else {
          end = try row.integer("revision")
          passed += 1
          return true
        }
        if nodes.count == query.first {
          hasNextPage = true
          return false
        }
        end = try row.integer("revision")
        nodes.append(node)
        return true
      }
      // Without changes for this reader the cursor and the response stay the same, until too many rows would be skipped again.
      let isSame = nodes.isEmpty && known != nil && passed < RegionHistory.changes
      if !hasNextPage { end = isSame ? cursor.revision : status.revision }
      if end != cursor.revision || known == nil {
        cursor.revision = end
        if cursor.revision >= cursor.begin { cursor.begin = 0 }
        cursor.nonce = try Self.nonce(of: cursor.revision, database)
      }
      return StoredRegionPage(
        epoch: status.epoch, nodes: nodes, endCursor: cursor.description, hasNextPage: hasNextPage,
        total: try total(of: scope, status, database), isReset: known == nil && query.after != nil, scope: scope.name,
        revision: cursor.revision)
    }
  }

  public func regionDigest(device: Int64?, filter: RegionFilter) throws -> RegionTotal {
    try database.read { database in
      let status = try Self.status(database)
      return try total(of: scope(device: device, filter: filter, status, database), status, database)
    }
  }

  // MARK: Scopes

  /// Whether a device belongs to a user who is not an administrator. Without a rule it gets only the regions of its own app.
  package func isMembers(device: Int64) throws -> Bool { try database.read { try Self.isMembers(device: device, $0) } }

  private static func isMembers(device: Int64, _ db: any SQLConnection) throws -> Bool {
    isMembers(
      role: try db.text("SELECT users.role FROM devices JOIN users ON users.id = devices.owner WHERE devices.id = ?", device))
  }

  /// - Parameter role: the role of a device's owner; `nil`: no owner.
  static func isMembers(role: String?) -> Bool { role.map { $0 != "admin" } ?? false }

  /// Returns the scope of a reader.
  package func scope(
    device: Int64?, filter: RegionFilter, _ status: RegionStatus, _ db: any SQLConnection
  ) throws -> RegionScope {
    let reader = CacheKey(device: device, filter: filter)
    let known = memory.withLock { memory in
      if memory.rules != status.rules || memory.scopes.count > Memory.capacity {
        memory.scopes.removeAll()
        memory.rules = status.rules
      }
      return memory.scopes[reader]
    }
    if let known { return known }
    let rule = try device.flatMap { try Self.rule(device: $0, db) }
    let groups = try rule.map { $0.groups.isEmpty ? [:] : try Self.groups(db) } ?? [:]
    let name = try device.flatMap { try db.text("SELECT name FROM devices WHERE id = ?", $0) }
    let own = device.map { AppRegions.tag(of: Device(id: $0, name: name ?? "")) }
    let isMembers = try device.map { try Self.isMembers(device: $0, db) } ?? false
    let made = RegionScope(rule: rule, groups: groups, filter: filter, own: own, isMembers: isMembers)
    memory.withLock { if $0.rules == status.rules { $0.scopes[reader] = made } }
    return made
  }

  /// Returns the digest and the number of the regions in a scope.
  func total(of scope: RegionScope, _ status: RegionStatus, _ db: any SQLConnection) throws -> RegionTotal {
    if scope.isEverything { return status.total }
    let haveApps = try AppRegions.exist(db)
    if scope.hasEverythingOfUser, !haveApps { return status.total }
    // Without regions of apps, devices with equal rules have equal totals.
    let key = haveApps ? scope.name + " " + (scope.own ?? "") : scope.name
    if let known = memory.withLock({ $0.totals[key] }), known.revision == status.revision { return known.total }
    let total =
      try scope.hasEverythingOfUser
      ? RegionScan.rest(of: status.total, in: scope, db) : RegionScan.total(of: scope, db)
    memory.withLock { memory in
      if memory.totals.count > Memory.capacity { memory.totals.removeAll() }
      memory.totals[key] = (status.revision, total)
    }
    return total
  }

  // MARK: Cursors

  /// Decodes a cursor; `nil`: it belongs to another store, scope or history, or tombstones after it have been purged.
  private func cursor(
    _ text: String, _ scope: RegionScope, _ status: RegionStatus, _ db: any SQLConnection
  ) throws -> RegionCursor? {
    guard let cursor = RegionCursor(text), cursor.epoch == status.epoch, cursor.scope == scope.name,
      cursor.revision <= status.revision, cursor.begin <= status.revision,
      cursor.revision >= (try db.integer("SELECT horizon FROM region_status") ?? 0),
      cursor.nonce == (try Self.nonce(of: cursor.revision, db))
    else { return nil }
    return cursor
  }

  /// Returns the nonce of the change with a revision; 0 before the first change.
  private static func nonce(of revision: Int64, _ db: any SQLConnection) throws -> Int64 {
    guard revision > 0 else { return 0 }
    return try db.integer("SELECT nonce FROM region_changes WHERE last >= ? ORDER BY last LIMIT 1", revision) ?? 0
  }

  package static func status(_ db: any SQLConnection) throws -> RegionStatus {
    try status("SELECT epoch, revision, rules, digest, count FROM region_status", db)
  }

  /// Returns the status and locks it: no other server changes regions until the transaction ends.
  static func lockedStatus(_ db: any SQLConnection) throws -> RegionStatus {
    try status("UPDATE region_status SET one = 1 RETURNING epoch, revision, rules, digest, count", db)
  }

  private static func status(_ sql: String, _ db: any SQLConnection) throws -> RegionStatus {
    let status = try db.first(sql) { row in
      try RegionStatus(
        epoch: row.text("epoch"), revision: row.integer("revision"), rules: row.integer("rules"),
        total: RegionTotal(digest: RegionDigest(bytes: row.blob("digest")), count: Int(row.integer("count"))))
    }
    guard let status else { throw StoreError.missingRow(table: "region_status") }
    return status
  }

  /// Iterates over the rows for a ``RegionScan``, in the order of their revisions.
  /// - Parameters:
  ///   - revision: only rows after this revision.
  ///   - box: only regions that intersect the box; `nil`: all.
  ///   - db: the database.
  ///   - body: receives each row and returns whether to continue.
  static func forEachRow(
    after revision: Int64, box: BoundingBox?, _ db: any SQLConnection, _ body: (any SQLRow) throws -> Bool
  ) throws {
    guard let box else {
      return try db.query(
        "SELECT \(RegionScan.columns) FROM regions WHERE revision > ? ORDER BY revision", with: [.integer(revision)], body)
    }
    // Without the hint SQLite uses the index of revisions.
    let index = db.dialect == .sqlite ? "INDEXED BY regions_by_place" : ""
    try db.query(
      """
      SELECT \(RegionScan.columns) FROM regions WHERE revision > ? AND revision IN (
        SELECT revision FROM regions \(index) WHERE south IS NOT NULL AND \(RegionBox.condition))
      ORDER BY revision
      """, with: [.integer(revision)] + RegionBox.arguments(box).map { .real($0) }, body)
  }
}
