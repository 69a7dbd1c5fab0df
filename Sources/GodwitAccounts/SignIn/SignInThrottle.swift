package import Foundation
internal import GodwitDigests
package import GodwitModel
package import GodwitStore

/// Limits the rate of sign-in attempts. The delay grows with every failure. Failures are stored in the database, so that a
/// restart does not reset them. Unknown names are delayed like known ones.
///
/// An attack on a name must not lock out its user. Therefore a name is delayed per client network. The limit of a name for
/// all networks counts only the first failures of each network, so that a single network cannot reach it. A browser in
/// which the user has signed in before (``KnownBrowser``) has a separate count, and so has each session.
package enum SignInThrottle {
  /// A subject whose failures are counted.
  package enum Subject: Sendable {
    /// A name in attempts from one network.
    case nameFrom(String, network: String)
    /// A network, for all names. Its limit is higher, because several users may share an address.
    case network(String)
    /// A name in attempts from all networks. In a list of subjects it must follow ``nameFrom(_:_:)``.
    case name(String)
    /// A browser in which the user has signed in before.
    case browser(KnownBrowser)
    /// A session in which the signed-in user enters the password or a code again.
    case session(Int64)

    /// Failures without a delay.
    package var free: Int64 {
      switch self {
      case .nameFrom, .browser, .session: 5
      case .network: 20
      case .name: 100
      }
    }

    /// Returns the subjects of an attempt.
    /// - Parameters:
    ///   - name: the entered name.
    ///   - network: the client's network as a text; equal for clients that are counted together.
    ///   - browser: the browser, if the user has signed in with it before.
    package static func all(of name: String, from network: String, browser: KnownBrowser? = nil) -> [Subject] {
      if let browser { return [.browser(browser)] }
      return [.nameFrom(name, network: network), .network(network), .name(name)]
    }

    /// Returns the subjects of an attempt of a signed-in user.
    /// - Parameters:
    ///   - name: the user's name.
    ///   - network: the client's network as a text.
    ///   - session: the number of the session of the request; `nil`: a token or a proxy identifies the user.
    package static func all(of name: String, from network: String, session: Int64?) -> [Subject] {
      if let session { return [.session(session)] }
      return all(of: name, from: network)
    }

    /// The key in the database. It is a hash, because the entered name may be a password.
    package var key: [UInt8] {
      let text =
        switch self {
        case .nameFrom(let name, let network): "name \(User.folded(name)) from \(network)"
        case .network(let network): "network \(network)"
        case .name(let name): "name " + User.folded(name)
        case .browser(let browser): "browser \(browser.id)"
        case .session(let id): "session \(id)"
        }
      return SHA256Digest.of(Array(text.utf8))
    }
  }

  /// The delays in seconds after failures that exceed ``Subject/free``.
  package static let backoff = ExponentialBackoff(first: 1, maximum: 900)
  /// Maximum seconds by which the clocks of several servers differ.
  private static let clockDifference = 120.0
  /// Seconds after which failures expire.
  package static let memory = DayLength.seconds

  /// Returns the minimum seconds between a failure and the next attempt.
  /// - Parameters:
  ///   - failures: the number of failures.
  ///   - free: the number of failures without a delay.
  package static func delay(after failures: Int64, free: Int64) -> TimeInterval {
    guard failures >= free else { return 0 }
    return backoff.pause(after: Int(failures - free) + 1)
  }

  /// Counts an attempt as a failure until it succeeds.
  /// - Returns: the seconds to wait if the attempt is rejected and not counted; `nil`: the attempt is permitted.
  package static func begin(_ subjects: [Subject], at now: Date, _ db: any SQLConnection) throws -> TimeInterval? {
    var wait: TimeInterval = 0
    var isRepeated = false
    for subject in subjects {
      let row = try db.first("SELECT failures, last FROM sign_in_failures WHERE subject = ?", subject.key) {
        try (failures: $0.integer("failures"), last: $0.time("last"))
      }
      guard let row else { continue }
      let since = now.timeIntervalSince(row.last)
      guard since < memory else { continue }
      // If the clock was set back, the attempt is permitted, so that its time replaces the later one.
      if since > -clockDifference { wait = max(wait, delay(after: row.failures, free: subject.free) - max(0, since)) }
      if case .nameFrom = subject, row.failures >= subject.free { isRepeated = true }
    }
    if wait > 0 { return wait }
    let time = now.millisecondsSince1970
    for subject in subjects {
      // A single network must not reach the limit for all networks.
      if case .name = subject, isRepeated { continue }
      try db.run(
        """
        INSERT INTO sign_in_failures (subject, failures, last) VALUES (?1, 1, ?2) ON CONFLICT (subject) DO UPDATE SET
          failures = CASE WHEN sign_in_failures.last < ?3 THEN 1 ELSE sign_in_failures.failures + 1 END, last = ?2
        """, subject.key, time, now.addingTimeInterval(-memory).millisecondsSince1970)
    }
    return nil
  }

  /// Records a successful attempt: the counts of the name or browser are reset, and the shared counts are decremented.
  package static func succeed(_ subjects: [Subject], _ db: any SQLConnection) throws {
    var isRepeated = false
    for subject in subjects {
      switch subject {
      case .nameFrom, .browser, .session:
        if case .nameFrom = subject {
          let failures = try db.integer("SELECT failures FROM sign_in_failures WHERE subject = ?", subject.key) ?? 0
          // The same condition as in ``begin(_:at:_:)``, which has counted this attempt.
          isRepeated = failures > subject.free
        }
        try db.run("DELETE FROM sign_in_failures WHERE subject = ?", subject.key)
      case .network, .name:
        if case .name = subject, isRepeated { continue }
        try db.run(
          "UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = ? AND failures > 0", subject.key)
      }
    }
  }

  /// Removes an attempt with neither success nor failure from the counts. Earlier failures stay.
  package static func retract(_ subjects: [Subject], _ db: any SQLConnection) throws {
    var isRepeated = false
    for subject in subjects {
      // The same condition as in ``begin(_:at:_:)``.
      if case .name = subject, isRepeated { continue }
      try db.run("UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = ? AND failures > 0", subject.key)
      guard case .nameFrom = subject else { continue }
      isRepeated = try db.integer("SELECT failures FROM sign_in_failures WHERE subject = ?", subject.key) ?? 0 >= subject.free
    }
  }

  /// Deletes expired failures.
  package static func discardExpired(at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "DELETE FROM sign_in_failures WHERE last < ?", now.addingTimeInterval(-memory).millisecondsSince1970)
  }
}
