public import Foundation
public import GodwitModel
internal import GodwitSQLite

extension SQLiteRegionStore {
  public func save(_ regions: [Region], if condition: RegionCondition, at now: Date) throws -> RegionChange {
    try write { database in
      var change = RegionChange()
      var editor = try RegionEditor(database, at: now)
      for region in regions { try editor.save(region, if: condition, counting: &change) }
      change.revision = try editor.finish()
      return change
    }
  }

  public func deleteRegions(_ selection: RegionDeletion, if condition: RegionCondition, at now: Date) throws -> [String] {
    try write { database in
      var editor = try RegionEditor(database, at: now)
      var deleted: [String] = []
      for id in try Self.ids(selection, database) where try editor.delete(id, if: condition) { deleted.append(id) }
      _ = try editor.finish()
      return deleted
    }
  }

  private static func ids(_ selection: RegionDeletion, _ database: Database) throws -> [String] {
    let rows: Statement
    switch selection {
    case .ids(let ids): return ids
    case .tag(let tag):
      rows = try database.statement("SELECT id FROM region_tags WHERE tag = ? ORDER BY id")
      rows.bind(tag, at: 1)
    case .all: rows = try database.statement("SELECT id FROM regions WHERE json IS NOT NULL ORDER BY revision")
    }
    defer { rows.reset() }
    var ids: [String] = []
    while try rows.step() { ids.append(rows.text(0)) }
    return ids
  }
}
