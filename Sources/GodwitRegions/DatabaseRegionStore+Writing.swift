public import Foundation
public import GodwitModel
internal import GodwitStore

extension DatabaseRegionStore {
  public func save(_ regions: [Region], if condition: RegionCondition, at now: Date) throws -> RegionChange {
    try database.writeAndWait { database in
      var change = RegionChange()
      var editor = try RegionEditor(database, at: now)
      for region in regions { try editor.save(region, if: condition, counting: &change) }
      change.revision = try editor.finish()
      return change
    }
  }

  public func deleteRegions(_ selection: RegionDeletion, if condition: RegionCondition, at now: Date) throws -> [String] {
    try database.writeAndWait { database in
      var editor = try RegionEditor(database, at: now)
      var deleted: [String] = []
      for id in try Self.ids(selection, database) where try editor.delete(id, if: condition) { deleted.append(id) }
      _ = try editor.finish()
      return deleted
    }
  }

  private static func ids(_ selection: RegionDeletion, _ db: any SQLConnection) throws -> [String] {
    switch selection {
    case .ids(let ids): ids
    case .tag(let tag): try db.all("SELECT id FROM region_tags WHERE tag = ? ORDER BY id", tag) { try $0.text("id") }
    case .all:
      try db.all("SELECT id FROM regions WHERE json IS NOT NULL ORDER BY revision") { try $0.text("id") }
    }
  }
}
