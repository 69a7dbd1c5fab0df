internal import Foundation
internal import GodwitModel
internal import GodwitSQLite
internal import Synchronization

/// The regions in the embedded store's file. Works beside other programs that have it open.
public final class SQLiteRegionStore: RegionStore {
  private let path: String
  let readers: ReaderPool
  /// What was worked out before, good for as long as the store stays at its revision.
  private let memory = Mutex(Memory())

  private struct Memory {
    var rules: Int64 = -1
    var scopes: [Reader: RegionScope] = [:]
    /// By ``RegionScope/name``, and the device's own tag where it matters.
    var totals: [String: (revision: Int64, total: RegionTotal)] = [:]
    /// Entries of either that are kept.
    static let capacity = 10_000
  }

  /// Whose regions.
  private struct Reader: Hashable {
    var device: Int64?
    var wish: RegionWish
  }

  /// Opens the database of a data folder, or makes folder and database.
  /// - Parameter folder: its path.
  /// - Throws: `SQLiteError`, `MigrationError`, or the file system's error, each saying what to do.
  public init(folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = folder + "/godwit.sqlite"
    try Schema.migrations.apply(to: Database(path: path))
    readers = ReaderPool(path: path)
  }

  // MARK: Reading

  public func regionStatus() throws -> RegionStatus { try readers.read { try Self.status($0) } }

  public func region(id: String) throws -> StoredRegion? {
    try readers.read { database in
      let row = try database.statement("SELECT revision, changed, json FROM regions WHERE id = ? AND json IS NOT NULL")
      row.bind(id, at: 1)
      defer { row.reset() }
      guard try row.step() else { return nil }
      return StoredRegion(
        id: id, revision: row.integer(0), changed: Date(millisecondsSince1970: row.integer(1)), json: row.blob(2))
    }
  }

  public func regionPage(_ query: RegionPageQuery) throws -> StoredRegionPage {
    try readers.read { database in
      let status = try Self.status(database)
      let scope = try self.scope(device: query.device, wish: query.wish, status, database)
      let known = try query.after.flatMap { try self.cursor($0, scope, status, database) }
      var cursor =
        known
        ?? RegionCursor(epoch: status.epoch, scope: scope.name, revision: 0, begin: status.revision, mark: 0)
      var scan = RegionScan(scope: scope, from: cursor)
      var nodes: [StoredRegionPage.Node] = []
      let rows = try Self.rows(after: cursor.revision, box: query.box, database)
      defer { rows.reset() }
      var hasNextPage = false
      var end = cursor.revision
      var passed = 0
      while try rows.step() {
        guard let node = try scan.node(rows), query.box == nil || node.isThere else {
          end = rows.integer(0)
          passed += 1
          continue
        }
        if nodes.count == query.first {
          hasNextPage = true
          break
        }
        end = rows.integer(0)
        nodes.append(node)
      }
      // Where nothing came for this reader the cursor stays as it is, and with it the answer, until looking once more
      // through what was passed over would cost something.
      let isSame = nodes.isEmpty && known != nil && passed < RegionHistory.changes
      if !hasNextPage { end = isSame ? cursor.revision : status.revision }
      if end != cursor.revision || known == nil {
        cursor.revision = end
        if cursor.revision >= cursor.begin { cursor.begin = 0 }
        cursor.mark = try Self.mark(of: cursor.revision, database)
      }
      return StoredRegionPage(
        epoch: status.epoch, nodes: nodes, endCursor: cursor.description, hasNextPage: hasNextPage,
        total: try total(of: scope, status, database), isReset: known == nil && query.after != nil, scope: scope.name,
        revision: cursor.revision)
    }
  }

  public func regionDigest(device: Int64?, wish: RegionWish) throws -> RegionTotal {
    try readers.read { database in
      let status = try Self.status(database)
      return try total(of: scope(device: device, wish: wish, status, database), status, database)
    }
  }

  // MARK: Writing

  /// Runs `body` in one transaction, on a connection of its own: it may happen beside a running server.
  func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let database = try Database(path: path)
    return try database.transaction { try body(database) }
  }

  // MARK: What the rules make

  /// The regions of a reader.
  func scope(
    device: Int64?, wish: RegionWish, _ status: RegionStatus, _ database: Database
  ) throws -> RegionScope {
    let reader = Reader(device: device, wish: wish)
    let known = memory.withLock { memory in
      if memory.rules != status.rules || memory.scopes.count > Memory.capacity {
        memory.scopes.removeAll()
        memory.rules = status.rules
      }
      return memory.scopes[reader]
    }
    if let known { return known }
    let rule = try device.flatMap { try Self.rule(device: $0, database) }
    let groups = try rule.map { $0.groups.isEmpty ? [:] : try Self.groups(database) } ?? [:]
    let name = try device.flatMap { try database.text("SELECT name FROM devices WHERE id = ?", $0) }
    let own = device.map { AppRegions.tag(of: Device(id: $0, name: name ?? "")) }
    let made = RegionScope(rule: rule, groups: groups, wish: wish, own: own)
    memory.withLock { if $0.rules == status.rules { $0.scopes[reader] = made } }
    return made
  }

  /// Digest and number of the regions of a scope.
  func total(of scope: RegionScope, _ status: RegionStatus, _ database: Database) throws -> RegionTotal {
    if scope.isEverything { return status.total }
    let haveApps = try AppRegions.exist(in: database)
    if scope.hasAllOfOwner, !haveApps { return status.total }
    // Without regions of apps, devices with equal rules get the same.
    let key = haveApps ? scope.name + " " + (scope.own ?? "") : scope.name
    if let known = memory.withLock({ $0.totals[key] }), known.revision == status.revision { return known.total }
    let total =
      try scope.hasAllOfOwner
      ? RegionScan.rest(of: status.total, in: scope, database) : RegionScan.total(of: scope, database)
    memory.withLock { memory in
      if memory.totals.count > Memory.capacity { memory.totals.removeAll() }
      memory.totals[key] = (status.revision, total)
    }
    return total
  }

  // MARK: Cursors

  /// The cursor of a text, if it is one of this store, of this scope and of this history, and nothing that came after it has
  /// been forgotten.
  private func cursor(
    _ text: String, _ scope: RegionScope, _ status: RegionStatus, _ database: Database
  ) throws -> RegionCursor? {
    guard let cursor = RegionCursor(text), cursor.epoch == status.epoch, cursor.scope == scope.name,
      cursor.revision <= status.revision, cursor.begin <= status.revision,
      cursor.revision >= (try database.integer("SELECT horizon FROM region_status") ?? 0),
      cursor.mark == (try Self.mark(of: cursor.revision, database))
    else { return nil }
    return cursor
  }

  /// The mark of the change that made a revision; 0 before all of them.
  private static func mark(of revision: Int64, _ database: Database) throws -> Int64 {
    guard revision > 0 else { return 0 }
    return try database.integer("SELECT mark FROM region_changes WHERE last >= ? ORDER BY last LIMIT 1", revision) ?? 0
  }

  static func status(_ database: Database) throws -> RegionStatus {
    let row = try database.statement("SELECT epoch, revision, rules, digest, count FROM region_status")
    defer { row.reset() }
    guard try row.step() else { throw StoreError.closed }
    return RegionStatus(
      epoch: row.text(0), revision: row.integer(1), rules: row.integer(2),
      total: RegionTotal(digest: RegionDigest(bytes: row.blob(3)), count: Int(row.integer(4))))
  }

  /// The rows that a ``RegionScan`` reads, in the order of their revisions.
  static func rows(after revision: Int64, box: BoundingBox?, _ database: Database) throws -> Statement {
    guard let box else {
      let rows = try database.statement("SELECT \(RegionScan.columns) FROM regions WHERE revision > ? ORDER BY revision")
      rows.bind(revision, at: 1)
      return rows
    }
    let rows = try database.statement(
      """
      SELECT \(RegionScan.columns) FROM regions WHERE revision > ? AND revision IN (
        SELECT revision FROM regions INDEXED BY regions_by_place WHERE south IS NOT NULL AND \(RegionBox.condition))
      ORDER BY revision
      """)
    try rows.bind([revision] + RegionBox.arguments(box))
    return rows
  }
}
