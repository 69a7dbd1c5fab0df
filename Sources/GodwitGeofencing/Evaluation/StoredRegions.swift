package import GodwitModel
package import GodwitRegions
package import GodwitStore
internal import GodwitWire

/// Reads the regions and rules from the store.
package final class StoredRegions: EvaluationSource {
  private let store: DatabaseRegionStore

  /// - Parameter store: the regions, in the same database as the tracks.
  package init(_ store: DatabaseRegionStore) { self.store = store }

  package func version(_ db: any SQLConnection) throws -> EvaluationVersion {
    let version = try db.first("SELECT revision, rules FROM region_status") {
      try EvaluationVersion(regions: $0.integer("revision"), rules: $0.integer("rules"))
    }
    guard let version else { throw StoreError.missingRow(table: "region_status") }
    return version
  }

  package func changes(after revision: Int64, _ db: any SQLConnection) throws -> [(id: String, region: Region?)] {
    try db.all("SELECT id, json FROM regions WHERE revision > ? ORDER BY revision", revision) { row in
      // Stored regions are valid. A damaged row must not prevent storing positions.
      (try row.text("id"), try row.optionalBlob("json").flatMap { try? RegionJSON.readStored($0) })
    }
  }

  package func options(of device: Int64, _ db: any SQLConnection) throws -> EvaluationOptions {
    let rule = try DatabaseRegionStore.rule(device: device, db)
    let status = try DatabaseRegionStore.status(db)
    let scope = try store.scope(device: device, filter: RegionFilter(), status, db)
    var options = EvaluationOptions(evaluates: rule?.evaluates)
    let isAll = try scope.isEverything || scope.hasEverythingOfUser && !AppRegions.exist(db)
    if !isAll { options.chooses = { scope.contains(id: $0.id, tags: $0.tags) } }
    return options
  }

  package func hasSynced(_ device: Int64, _ db: any SQLConnection) throws -> Bool {
    try db.integer("SELECT 1 FROM region_syncs WHERE device = ?", device) != nil
  }
}
