public import Foundation
internal import GodwitModel
internal import GodwitStore
internal import GodwitWire

/// The regions to push to a device that does not poll.
public struct RegionUpdate: Sendable {
  /// New and changed regions, or all regions if ``isFull``.
  public var regions: [StoredRegion]
  /// Whether a region was removed. The device must then drop all its regions and use ``regions``.
  public var isFull: Bool
  /// The sync after the update.
  public var sync: RegionSync
}

extension DatabaseRegionStore {
  public func regionUpdate(device: Int64, since reported: RegionSync?, maximum: Int, at now: Date) throws -> RegionUpdate? {
    try database.read { database in
      let status = try Self.status(database)
      let scope = try self.scope(device: device, filter: RegionFilter(), status, database)
      let total = try self.total(of: scope, status, database)
      guard total.count <= maximum else { return nil }
      var update = RegionUpdate(
        regions: [], isFull: false,
        sync: RegionSync(
          device: device, time: now, scope: scope.name, revision: status.revision, total: total, filter: RegionFilter()))
      guard total.digest != reported?.total.digest ?? .empty else { return update }
      if let reported, reported.total.count > 0 {
        // Removed regions are unknown if the rules or the history changed, or if tombstones were purged.
        let horizon = try database.integer("SELECT horizon FROM region_status") ?? 0
        let isKnown = reported.scope == scope.name && reported.revision <= status.revision && reported.revision >= horizon
        update.isFull = try !isKnown || !collect(after: reported.revision, scope, status, into: &update.regions, database)
      }
      if reported == nil || reported?.total.count == 0 || update.isFull {
        update.regions = []
        _ = try collect(after: 0, scope, status, into: &update.regions, database)
      }
      return update
    }
  }

  /// Collects the regions of a scope that changed after a revision. - Returns: `false` if a region was removed; the result is
  /// incomplete then.
  private func collect(
    after revision: Int64, _ scope: RegionScope, _ status: RegionStatus, into regions: inout [StoredRegion],
    _ db: any SQLConnection
  ) throws -> Bool {
    var scan = RegionScan(
      scope: scope, from: RegionCursor(epoch: status.epoch, scope: scope.name, revision: revision, begin: 0, nonce: 0))
    var isComplete = true
    try Self.forEachRow(after: revision, box: nil, db) { row in
      switch try scan.node(row) {
      case .region(let region): regions.append(region)
      case .gone: isComplete = false
      case nil: break
      }
      return isComplete
    }
    return isComplete
  }
}
