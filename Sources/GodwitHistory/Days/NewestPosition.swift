internal import GodwitStore

/// The row of a device's newest position.
enum NewestPosition {
  /// Deletes the row after points changed in another way than by uploads; it is computed again.
  package static func invalidate(device: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM live_positions WHERE device = ?", device)
  }
}
