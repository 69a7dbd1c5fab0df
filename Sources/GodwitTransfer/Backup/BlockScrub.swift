internal import GodwitModel
package import GodwitStore

/// Finds damaged blocks of points by decoding all blocks.
package enum BlockScrub {
  /// Checks the blocks of a store, one device in each read. Blocks the thread.
  /// - Returns: the damaged blocks, which are also reported to ``StoreDatabase/health``.
  /// - Throws: the database's error.
  package static func run(_ database: any StoreDatabase) throws -> [DamagedBlock] {
    var damaged: [DamagedBlock] = []
    for device in try database.read({ try TrackTables.devices($0) }) {
      damaged += try database.read { try Self.damaged(ofDevice: device.id, $0) }
    }
    database.health.foundBlocks(damaged)
    return damaged
  }

  /// Returns the damaged blocks of all devices.
  /// - Throws: the database's error.
  package static func damaged(_ db: any SQLConnection) throws -> [DamagedBlock] {
    try db.all("SELECT DISTINCT device FROM point_blocks ORDER BY device") { try $0.integer("device") }
      .flatMap { try damaged(ofDevice: $0, db) }
  }

  private static func damaged(ofDevice device: Int64, _ db: any SQLConnection) throws -> [DamagedBlock] {
    var damaged: [DamagedBlock] = []
    for header in try BlockTable.headers(ofDevice: device, .min..<Int64.max, db) {
      do { try BlockTable.check(header, db) } catch let block as DamagedBlock {
        damaged.append(block)
      }
    }
    return damaged
  }
}
