package import GodwitStore

/// Events of accounts, which are stored in the same table as those of devices.
package enum AccountEvents {
  /// Returns the device number of an account's events: negative, because numbers of devices are positive; 0 for the
  /// administrator's token.
  package static func device(of account: Int64?) -> Int64 { account.map { -$0 } ?? 0 }

  /// Removes the events of a deleted user, with their deliveries.
  package static func remove(of account: Int64, _ db: any SQLConnection) throws {
    let device = device(of: account)
    try db.run("DELETE FROM webhook_deliveries WHERE event IN (SELECT id FROM region_events WHERE device = ?)", device)
    try db.run("DELETE FROM region_events WHERE device = ?", device)
  }
}
