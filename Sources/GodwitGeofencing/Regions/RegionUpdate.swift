public import Foundation
internal import GodwitModel
internal import GodwitStore

/// What a device that does not ask, but takes what it is told, is to be told of its regions.
public struct RegionUpdate: Sendable {
  /// Those that are new or changed; where ``isAnew``, all of them.
  public var regions: [StoredRegion]
  /// Something that it was told of is gone: it has to forget everything and begin with ``regions``.
  public var isAnew: Bool
  /// What it has been told then.
  public var sync: RegionSync
}

extension DatabaseRegionStore {
  public func regionUpdate(device: Int64, since told: RegionSync?, most: Int, at now: Date) throws -> RegionUpdate? {
    try database.read { database in
      let status = try Self.status(database)
      let scope = try self.scope(device: device, wish: RegionFilter(), status, database)
      let total = try self.total(of: scope, status, database)
      guard total.count <= most else { return nil }
      var update = RegionUpdate(
        regions: [], isAnew: false,
        sync: RegionSync(
          device: device, time: now, scope: scope.name, revision: status.revision, total: total, wish: RegionFilter()))
      guard total.digest != told?.total.digest ?? .empty else { return update }
      if let told, told.total.count > 0 {
        // Where the rules or history are others, or deletions are forgotten, it is not known what is gone.
        let horizon = try database.integer("SELECT horizon FROM region_status") ?? 0
        let isKnown = told.scope == scope.name && told.revision <= status.revision && told.revision >= horizon
        update.isAnew = try !isKnown || !collect(after: told.revision, scope, status, into: &update.regions, database)
      }
      if told == nil || told?.total.count == 0 || update.isAnew {
        update.regions = []
        _ = try collect(after: 0, scope, status, into: &update.regions, database)
      }
      return update
    }
  }

  /// The regions of a scope that changed after a revision. - Returns: `false` when one is gone; then not all are there.
  private func collect(
    after revision: Int64, _ scope: RegionScope, _ status: RegionStatus, into regions: inout [StoredRegion],
    _ database: any SQLConnection
  ) throws -> Bool {
    var scan = RegionScan(
      scope: scope, from: RegionCursor(epoch: status.epoch, scope: scope.name, revision: revision, begin: 0, mark: 0))
    var isComplete = true
    try Self.forEachRow(after: revision, box: nil, database) { row in
      switch scan.node(row) {
      case .region(let region): regions.append(region)
      case .gone: isComplete = false
      case nil: break
      }
      return isComplete
    }
    return isComplete
  }
}
