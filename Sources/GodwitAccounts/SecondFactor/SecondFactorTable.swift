package import Foundation
internal import GodwitModel
internal import GodwitSQLite
package import GodwitStore

/// The second factors of users in the database.
package enum SecondFactorTable {
  package static let sqlite = """
    CREATE TABLE second_factors (
      account INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      secret BLOB NOT NULL,
      created INTEGER NOT NULL,
      enrolled INTEGER,               -- time of the first accepted code; NULL: none yet, and sign-in needs no code
      last_step INTEGER NOT NULL      -- of the newest code that was accepted: it and older ones are refused
    ) STRICT;

    CREATE TABLE recovery_codes (
      account INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      hash BLOB NOT NULL,
      PRIMARY KEY (account, hash)
    ) STRICT, WITHOUT ROWID;
    """

  /// The same for PostgreSQL.
  package static let postgres = """
    CREATE TABLE second_factors (
      account BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      secret BYTEA NOT NULL,
      created BIGINT NOT NULL,
      enrolled BIGINT,
      last_step BIGINT NOT NULL
    );
    CREATE TABLE recovery_codes (
      account BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      hash BYTEA NOT NULL,
      PRIMARY KEY (account, hash)
    );
    """

  /// The result of checking a code.
  package enum Check: Sendable, Equatable {
    /// The user has no second factor.
    case notEnrolled
    /// A code is required, but none was sent.
    case missing
    case wrong
    /// A valid code of the authenticator.
    case right
    /// A valid recovery code, which cannot be used again.
    case recovered

    /// Whether the user may continue.
    package var isPassed: Bool { self == .notEnrolled || self == .right || self == .recovered }
  }

  /// Checks a code and invalidates it.
  ///
  /// - Parameter db: a connection in a transaction that is committed regardless of the result.
  package static func check(_ code: String?, of account: Int64, at now: Date, _ db: any SQLConnection) throws -> Check {
    guard let factor = try factor(of: account, db), factor.enrolled != nil else { return .notEnrolled }
    let entered = (code ?? "").filter { !$0.isWhitespace }
    if entered.isEmpty { return .missing }
    if entered.utf8.count == TOTP.digits {
      guard let step = try TOTP(secret: factor.secret).step(of: entered, at: now, after: factor.lastStep) else { return .wrong }
      // Another server may have accepted the code in the meantime.
      let isFirst =
        try db.run("UPDATE second_factors SET last_step = ?1 WHERE account = ?2 AND last_step < ?1", step, account) > 0
      return isFirst ? .right : .wrong
    }
    for hash in RecoveryCodes.hashes(of: entered) {
      if try db.run("DELETE FROM recovery_codes WHERE account = ? AND hash = ?", account, hash) > 0 { return .recovered }
    }
    return .wrong
  }

  /// Seconds after which an unfinished enrolment expires.
  private static let enrolmentTime: TimeInterval = 600

  private struct Factor {
    var secret: [UInt8]
    var created: Date
    var enrolled: Date?
    var lastStep: Int64
  }

  private static func factor(of account: Int64, _ db: any SQLConnection) throws -> Factor? {
    try db.first("SELECT secret, enrolled, last_step, created FROM second_factors WHERE account = ?", account) {
      try Factor(
        secret: $0.blob("secret"), created: $0.time("created"),
        enrolled: $0.optionalTime("enrolled"), lastStep: $0.integer("last_step"))
    }
  }

  /// Returns the time of a user's enrolment; `nil`: the user has no second factor.
  package static func enrolled(_ account: Int64, _ db: any SQLConnection) throws -> Date? {
    try factor(of: account, db)?.enrolled
  }

  /// Returns the numbers of the users with a second factor.
  package static func all(_ db: any SQLConnection) throws -> Set<Int64> {
    Set(try db.all("SELECT account FROM second_factors WHERE enrolled IS NOT NULL") { try $0.integer("account") })
  }

  /// Starts an enrolment, and replaces an unfinished one.
  /// - Returns: `false` if the user is already enrolled.
  package static func begin(_ totp: TOTP, of account: Int64, at now: Date, _ db: any SQLConnection) throws -> Bool {
    try db.run(
      """
      INSERT INTO second_factors (account, secret, created, last_step) VALUES (?1, ?2, ?3, 0)
      ON CONFLICT (account) DO UPDATE SET secret = ?2, created = ?3 WHERE second_factors.enrolled IS NULL
      """, account, totp.secret, now.millisecondsSince1970) > 0
  }

  /// The result of checking the first code.
  package enum Activation: Sendable {
    case notBegun, wrong
    case done(recoveryCodes: [String])
  }

  /// Finishes an enrolment with the first code.
  package static func activate(_ code: String, of account: Int64, at now: Date, _ db: any SQLConnection) throws -> Activation {
    guard let factor = try factor(of: account, db), factor.enrolled == nil,
      abs(now.timeIntervalSince(factor.created)) < enrolmentTime
    else { return .notBegun }
    let entered = code.filter { !$0.isWhitespace }
    guard let step = try TOTP(secret: factor.secret).step(of: entered, at: now, after: factor.lastStep) else { return .wrong }
    try db.run(
      "UPDATE second_factors SET enrolled = ?, last_step = ? WHERE account = ?", now.millisecondsSince1970, step, account)
    return .done(recoveryCodes: try renewRecoveryCodes(of: account, db))
  }

  /// Replaces the recovery codes.
  ///
  /// - Returns: the new codes, of which only hashes are stored.
  package static func renewRecoveryCodes(of account: Int64, _ db: any SQLConnection) throws -> [String] {
    let codes = RecoveryCodes.make()
    try db.run("DELETE FROM recovery_codes WHERE account = ?", account)
    for code in codes {
      try db.run("INSERT INTO recovery_codes (account, hash) VALUES (?, ?)", account, RecoveryCodes.hash(of: code))
    }
    return codes
  }

  /// Returns the number of unused recovery codes.
  package static func recoveryCodes(of account: Int64, _ db: any SQLConnection) throws -> Int {
    Int(try db.integer("SELECT count(*) FROM recovery_codes WHERE account = ?", account) ?? 0)
  }

  /// Removes a second factor and its recovery codes.
  ///
  /// - Returns: whether the user was enrolled.
  package static func remove(of account: Int64, _ db: any SQLConnection) throws -> Bool {
    try db.run("DELETE FROM recovery_codes WHERE account = ?", account)
    let isEnrolled = try enrolled(account, db) != nil
    try db.run("DELETE FROM second_factors WHERE account = ?", account)
    return isEnrolled
  }
}
