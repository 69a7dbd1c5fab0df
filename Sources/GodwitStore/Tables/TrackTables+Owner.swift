extension TrackTables {
  /// The user that a device belongs to; `nil`: the administrator.
  package static func owner(of device: Int64, _ connection: any SQLConnection) throws -> Int64? {
    try connection.integer("SELECT owner FROM devices WHERE id = ?", device)
  }
}
