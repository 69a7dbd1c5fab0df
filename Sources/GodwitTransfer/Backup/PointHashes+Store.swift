package import GodwitStore

extension PointHashes {
  /// Compares all rows of points of a store with their hashes. Blocks the thread.
  /// - Returns: the damaged days, which are also reported to ``StoreDatabase/health``.
  /// - Throws: the database's error.
  package static func run(_ database: any StoreDatabase) throws -> [DamagedDay] {
    let days = try database.read { try damaged($0) }
    database.health.foundDays(days)
    return days
  }
}
