package import Foundation
internal import GodwitModel
package import GodwitStore

/// The links between users of OpenID providers and users of the server.
package enum OpenIDIdentityTable {
  package static let sqlite = """
    CREATE TABLE openid_identities (
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,          -- the claim `sub`: the provider's permanent identifier of the user
      account INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created INTEGER NOT NULL,
      PRIMARY KEY (issuer, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX openid_identities_by_account ON openid_identities (account, issuer);
    """

  /// The same for PostgreSQL.
  package static let postgres = """
    CREATE TABLE openid_identities (
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      account BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created BIGINT NOT NULL,
      PRIMARY KEY (issuer, subject)
    );
    CREATE UNIQUE INDEX openid_identities_by_account ON openid_identities (account, issuer);
    """

  /// Returns the user to which an identity is linked; `nil`: none.
  package static func user(_ subject: String, at issuer: String, _ db: any SQLConnection) throws -> User? {
    try db.integer("SELECT account FROM openid_identities WHERE issuer = ? AND subject = ?", issuer, subject)
      .flatMap { try UserTable.user($0, db) }
  }

  /// Links an identity to a user.
  ///
  /// - Returns: `false` if the user or the identity already has a link at the provider.
  package static func link(
    _ subject: String, at issuer: String, to account: Int64, now: Date, _ db: any SQLConnection
  ) throws -> Bool {
    try db.run(
      "INSERT INTO openid_identities (issuer, subject, account, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", issuer,
      subject, account, now.millisecondsSince1970) > 0
  }

  /// Removes the links of a user.
  ///
  /// - Returns: the number of removed links.
  package static func removeAll(of account: Int64, _ db: any SQLConnection) throws -> Int {
    try db.run("DELETE FROM openid_identities WHERE account = ?", account)
  }

  /// Returns the numbers of the users with a link.
  package static func linked(_ db: any SQLConnection) throws -> Set<Int64> {
    Set(try db.all("SELECT account FROM openid_identities") { try $0.integer("account") })
  }
}
