internal import GodwitAccounts
package import GodwitStore

/// Removes accounts with their data in other parts of the server.
package enum AccountRemoval {
  /// Removes a user with sessions, tokens and events. The devices then belong to the administrator.
  package static func remove(_ id: Int64, _ db: any SQLConnection) throws {
    try AccountEvents.remove(of: id, db)
    try UserTable.remove(id, db)
  }
}
