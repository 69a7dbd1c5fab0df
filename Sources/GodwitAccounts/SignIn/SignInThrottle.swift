package import Foundation
internal import GodwitDigests
package import GodwitModel
package import GodwitStore

/// How long a client waits between attempts to sign in: longer with every failure. It is kept in the database, so that a restart
/// does not make guessing faster. Unknown names wait like known ones.
///
/// A wait must not lock out a user whose name is attacked: a name waits per client network; the limit of a name for all networks counts
/// only the first failures of each, so that one network cannot reach it; and a browser in which the user has signed in before
/// (``KnownBrowser``) has a count of its own.
package enum SignInThrottle {
  /// What is counted.
  package enum Subject: Sendable {
    /// A name, tried from one network.
    case nameFrom(String, network: String)
    /// A network, whatever the name: a family behind one address mistypes more often than one person.
    case network(String)
    /// A name, tried from anywhere; it follows ``nameFrom(_:_:)`` in a list of subjects.
    case name(String)
    /// A browser that the user has signed in with before.
    case browser(KnownBrowser)

    /// Attempts that cost nothing.
    package var free: Int64 {
      switch self {
      case .nameFrom, .browser: 5
      case .network: 20
      case .name: 100
      }
    }

    /// What an attempt counts for.
    /// - Parameters:
    ///   - name: that was typed.
    ///   - network: the network that the client is in, as a text; equal for clients that are counted together.
    ///   - browser: where it is one of the user's.
    package static func all(of name: String, from network: String, browser: KnownBrowser? = nil) -> [Subject] {
      if let browser { return [.browser(browser)] }
      return [.nameFrom(name, network: network), .network(network), .name(name)]
    }

    /// A hash: what was typed for a name may be a password.
    package var key: [UInt8] {
      let text =
        switch self {
        case .nameFrom(let name, let network): "name \(User.folded(name)) from \(network)"
        case .network(let network): "network \(network)"
        case .name(let name): "name " + User.folded(name)
        case .browser(let browser): "browser \(browser.id)"
        }
      return SHA256Digest.of(Array(text.utf8))
    }
  }

  /// Seconds after failures that cost something.
  package static let backoff = ExponentialBackoff(first: 1, maximum: 900)
  /// Seconds after which failures are forgotten.
  package static let memory = DayLength.seconds

  /// Seconds from a failure to the next attempt.
  /// - Parameters:
  ///   - failures: so far.
  ///   - free: of these that cost nothing.
  package static func delay(after failures: Int64, free: Int64) -> TimeInterval {
    guard failures >= free else { return 0 }
    return backoff.pause(after: Int(failures - free) + 1)
  }

  /// Counts an attempt as a failure until it is known to be none.
  /// - Returns: seconds to wait instead; then nothing was counted.
  package static func begin(_ subjects: [Subject], at now: Date, _ db: any SQLConnection) throws -> TimeInterval? {
    var wait: TimeInterval = 0
    var isRepeated = false
    for subject in subjects {
      let row = try db.first("SELECT failures, last FROM sign_in_failures WHERE subject = ?", subject.key) {
        try (failures: $0.integer("failures"), last: $0.time("last"))
      }
      guard let row else { continue }
      // A clock that was set back makes no client wait longer than one delay.
      let since = max(0, now.timeIntervalSince(row.last))
      guard since < memory else { continue }
      wait = max(wait, delay(after: row.failures, free: subject.free) - since)
      if case .nameFrom = subject, row.failures >= subject.free { isRepeated = true }
    }
    if wait > 0 { return wait }
    let time = now.millisecondsSince1970
    for subject in subjects {
      // One network alone must not reach the limit that holds for all.
      if case .name = subject, isRepeated { continue }
      try db.run(
        """
        INSERT INTO sign_in_failures (subject, failures, last) VALUES (?1, 1, ?2) ON CONFLICT (subject) DO UPDATE SET
          failures = CASE WHEN sign_in_failures.last < ?3 THEN 1 ELSE sign_in_failures.failures + 1 END, last = ?2
        """, subject.key, time, now.addingTimeInterval(-memory).millisecondsSince1970)
    }
    return nil
  }

  /// The attempt was right: its own count restarts, and those that it shares with others are as they were.
  package static func succeed(_ subjects: [Subject], _ db: any SQLConnection) throws {
    for subject in subjects {
      switch subject {
      case .nameFrom, .browser: try db.run("DELETE FROM sign_in_failures WHERE subject = ?", subject.key)
      case .network, .name:
        try db.run(
          "UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = ? AND failures > 0", subject.key)
      }
    }
  }

  /// The attempt was neither right nor wrong: it counts for nothing, and what was counted before stays.
  package static func retract(_ subjects: [Subject], _ db: any SQLConnection) throws {
    var isRepeated = false
    for subject in subjects {
      // As ``begin(_:at:_:)`` has counted it.
      if case .name = subject, isRepeated { continue }
      try db.run("UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = ? AND failures > 0", subject.key)
      guard case .nameFrom = subject else { continue }
      isRepeated = try db.integer("SELECT failures FROM sign_in_failures WHERE subject = ?", subject.key) ?? 0 >= subject.free
    }
  }

  /// Throws away what is forgotten.
  package static func discardExpired(at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "DELETE FROM sign_in_failures WHERE last < ?", now.addingTimeInterval(-memory).millisecondsSince1970)
  }
}
