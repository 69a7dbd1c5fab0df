internal import GodwitAccounts
package import GodwitStore

/// Removes accounts with what other parts of the server keep of them.
package enum AccountRemoval {
  /// Removes a user with sessions, tokens and events; the devices become the administrator's.
  package static func remove(_ id: Int64, _ db: any SQLConnection) throws {
    try AccountEvents.remove(of: id, db)
    try UserTable.remove(id, db)
  }
}
