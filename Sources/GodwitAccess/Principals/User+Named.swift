package import GodwitAccounts
package import GodwitHTTP
package import GodwitStore
internal import GodwitText

extension Principal {
  /// Returns the user that a request names: the requesting user, or, for an administrator, any user.
  /// - Parameter name: `nil`: the requesting user.
  /// - Throws: `Problem` if the user does not exist, or the requester may not act for it.
  package func account(named name: String?, _ db: any SQLConnection) throws -> User? {
    guard let name, name != user?.name else { return user }
    guard isAdministrator else {
      throw Problem(403, "For administrators", "Only an administrator may speak for \(name.jsonQuoted). Leave out user.")
    }
    guard let user = try UserTable.user(named: name, db) else { throw User.unknown(name) }
    return user
  }
}

extension User {
  package static func unknown(_ name: String) -> Problem {
    Problem(404, "Unknown user", "No user is called \(name.jsonQuoted). /api/v1/users lists all users.")
  }

  /// Rejects a change that would leave no administrator.
  /// - Throws: `Problem` with status 409 if this user is the only administrator.
  package func checkOtherAdministrators(_ db: any SQLConnection) throws {
    guard role == .admin, try UserTable.otherAdministrators(than: id, db) == 0 else { return }
    throw Problem(
      409, "Last administrator", "\(name) is the only administrator. Make another one first: PUT /api/v1/users/NAME.")
  }
}
