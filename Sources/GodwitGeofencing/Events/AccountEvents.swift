package import GodwitStore

/// Events of accounts, which are stored beside those of devices.
package enum AccountEvents {
  /// The number under which the events of an account are stored: numbers of devices are positive. 0 for the owner.
  package static func device(of account: Int64?) -> Int64 { account.map { -$0 } ?? 0 }

  /// Removes the events of a user who is deleted, with their deliveries.
  package static func remove(of account: Int64, _ db: any SQLConnection) throws {
    let device = device(of: account)
    try db.run("DELETE FROM letters WHERE event IN (SELECT id FROM region_events WHERE device = ?)", device)
    try db.run("DELETE FROM region_events WHERE device = ?", device)
  }
}
