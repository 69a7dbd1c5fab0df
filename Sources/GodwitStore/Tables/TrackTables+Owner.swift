extension TrackTables {
  /// The owner of a device; `nil`: the administrator.
  package static func owner(of device: Int64, _ db: any SQLConnection) throws -> Int64? {
    try db.integer("SELECT owner FROM devices WHERE id = ?", device)
  }
}
