internal import CSodium
internal import Foundation
internal import GodwitModel

/// How long somebody waits between attempts to sign in: by name and by address, longer with every failure. It is kept in the
/// database, so that a restart lets nobody guess faster. Names that nobody has wait like those that somebody has.
enum SignInThrottle {
  /// What is counted.
  enum Subject: Sendable {
    /// A name that was typed.
    case name(String)
    /// An address that asked.
    case address(String)

    /// Attempts that cost nothing: a family behind one address mistypes more often than one person.
    var free: Int64 {
      switch self {
      case .name: 5
      case .address: 20
      }
    }

    /// A hash: what was typed for a name may be a password.
    var key: [UInt8] {
      let text =
        switch self {
        case .name(let name): "name " + User.folded(name)
        case .address(let address): "address " + address
        }
      var digest = [UInt8](repeating: 0, count: 32)
      let bytes = Array(text.utf8)
      crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
      return digest
    }
  }

  /// The longest wait, seconds.
  static let longest: TimeInterval = 900
  /// Seconds after which failures are forgotten.
  static let memory: TimeInterval = 86400

  /// Seconds from a failure to the next attempt.
  /// - Parameters:
  ///   - failures: so far.
  ///   - free: of these that cost nothing.
  static func delay(after failures: Int64, free: Int64) -> TimeInterval {
    guard failures >= free else { return 0 }
    return min(longest, pow(2, Double(min(failures - free, 20))))
  }

  /// Counts an attempt as a failure until it is known to be none.
  /// - Returns: seconds to wait instead; then nothing was counted.
  static func begin(_ subjects: [Subject], at now: Date, _ connection: any SQLConnection) throws -> TimeInterval? {
    var wait: TimeInterval = 0
    for subject in subjects {
      let row = try connection.first("SELECT failures, last FROM sign_in_failures WHERE subject = ?", subject.key) {
        (failures: $0.integer(0), last: Date(millisecondsSince1970: $0.integer(1)))
      }
      guard let row else { continue }
      // A clock that was set back makes nobody wait longer than one delay.
      let since = max(0, now.timeIntervalSince(row.last))
      if since < memory { wait = max(wait, delay(after: row.failures, free: subject.free) - since) }
    }
    if wait > 0 { return wait }
    let time = now.millisecondsSince1970
    for subject in subjects {
      try connection.run(
        """
        INSERT INTO sign_in_failures (subject, failures, last) VALUES (?1, 1, ?2) ON CONFLICT (subject) DO UPDATE SET
          failures = CASE WHEN sign_in_failures.last < ?3 THEN 1 ELSE sign_in_failures.failures + 1 END, last = ?2
        """, subject.key, time, now.addingTimeInterval(-memory).millisecondsSince1970)
    }
    return nil
  }

  /// The attempt was none of a guesser: the name begins anew, the address is as it was.
  static func succeed(_ subjects: [Subject], _ connection: any SQLConnection) throws {
    for subject in subjects {
      switch subject {
      case .name: try connection.run("DELETE FROM sign_in_failures WHERE subject = ?", subject.key)
      case .address:
        try connection.run("UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = ?", subject.key)
      }
    }
  }

  /// Throws away what is forgotten.
  static func forget(at now: Date, _ connection: any SQLConnection) throws {
    try connection.run(
      "DELETE FROM sign_in_failures WHERE last < ?", now.addingTimeInterval(-memory).millisecondsSince1970)
  }
}
