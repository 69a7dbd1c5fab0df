internal import GodwitStore

/// The row of `live_positions` of a device.
enum NewestPosition {
  /// Deletes the row, after points were changed other than by uploads. The newest position is then computed from the points.
  package static func invalidate(device: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM live_positions WHERE device = ?", device)
  }
}
