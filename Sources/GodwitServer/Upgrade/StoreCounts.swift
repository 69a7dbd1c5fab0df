internal import GodwitModel
internal import GodwitStore

/// Counts of a store's content, which are the same before and after an upgrade.
package struct StoreCounts: Sendable, Hashable {
  package let devices: Int64
  /// Points in rows and in blocks.
  package let points: Int64
  package let users: Int64
  package let regions: Int64

  /// - Parameter hasBlocks: whether the schema has blocks of points.
  /// - Throws: the database's error.
  init(_ db: any SQLConnection, hasBlocks: Bool) throws {
    devices = try db.integer("SELECT count(*) FROM devices") ?? 0
    let rows = try db.integer("SELECT count(*) FROM points") ?? 0
    let sealed = hasBlocks ? try db.integer("SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM point_blocks") ?? 0 : 0
    // The sum may overflow, because a damaged block may have any count.
    points = rows.addingReportingOverflow(sealed).partialValue
    users = try db.integer("SELECT count(*) FROM users") ?? 0
    // Deleted regions have no JSON.
    regions = try db.integer("SELECT count(*) FROM regions WHERE json IS NOT NULL") ?? 0
  }
}

extension StoreCounts: CustomStringConvertible {
  package var description: String {
    [devices.counted("device"), points.counted("point"), users.counted("user"), regions.counted("region")].joined(separator: ", ")
  }
}
