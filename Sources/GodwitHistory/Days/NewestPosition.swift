internal import GodwitStore

/// The row of a device's newest position, which is kept beside its points.
enum NewestPosition {
  /// Removes the row after the points of a device changed in another way than by uploads: it is computed anew.
  package static func invalidate(device: Int64, in connection: any SQLConnection) throws {
    try connection.run("DELETE FROM live_positions WHERE device = ?", device)
  }
}
