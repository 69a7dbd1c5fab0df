internal import GodwitFormats
internal import GodwitModel
internal import GodwitSQLite

/// The regions and the rules as the embedded store has them.
final class StoredRegions: EvaluationSource {
  private let store: SQLiteRegionStore

  /// - Parameter store: in the file of the tracks' store.
  init(_ store: SQLiteRegionStore) { self.store = store }

  func version(in database: Database) throws -> EvaluationVersion {
    let row = try database.statement("SELECT revision, rules FROM region_status")
    defer { row.reset() }
    guard try row.step() else { throw StoreError.closed }
    return EvaluationVersion(regions: row.integer(0), rules: row.integer(1))
  }

  func changes(after revision: Int64, in database: Database) throws -> [(id: String, region: Region?)] {
    let rows = try database.statement("SELECT id, json FROM regions WHERE revision > ? ORDER BY revision")
    rows.bind(revision, at: 1)
    defer { rows.reset() }
    var changes: [(String, Region?)] = []
    while try rows.step() {
      // Only regions that were checked are there. One that somebody damaged must not keep positions from being stored.
      let region = rows.isNull(1) ? nil : try? RegionJSON.readStored(rows.blob(1))
      changes.append((rows.text(0), region))
    }
    return changes
  }

  func terms(of device: Int64, in database: Database) throws -> EvaluationTerms {
    let rule = try SQLiteRegionStore.rule(device: device, database)
    let status = try SQLiteRegionStore.status(database)
    let scope = try store.scope(device: device, wish: RegionWish(), status, database)
    var terms = EvaluationTerms(evaluates: rule?.evaluates)
    let isAll = try scope.isEverything || scope.hasAllOfOwner && !AppRegions.exist(in: database)
    if !isAll { terms.chooses = { scope.contains(id: $0.id, tags: $0.tags) } }
    return terms
  }

  func hasSynced(_ device: Int64, in database: Database) throws -> Bool {
    try database.integer("SELECT 1 FROM region_syncs WHERE device = ?", device) != nil
  }
}
