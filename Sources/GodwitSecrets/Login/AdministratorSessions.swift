package import Foundation
internal import GodwitText

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A browser that the administrator opened with a one-time code or with the administrator token.
package struct AdministratorSession: Sendable, Hashable {
  /// The hash of its secret, as hexadecimal digits.
  package let key: String
  package let created, used, expires: Date
  package let address, agent: String

  /// How lists name it.
  package var name: String { "adm_" + key.prefix(12) }
}

/// Sessions of the administrator: one file for each, named by the hash of its secret. The time of the file is its last use.
package struct AdministratorSessions: Sendable {
  /// Sessions that are kept; the ones that were not used for longest make room.
  private static let maximumCount = 100

  private struct StoredSession: Codable {
    var created, expires: Double
    var address, agent: String
  }

  private let folder: String

  package init(folder: String) { self.folder = folder }

  package func prepare() throws(PrivateFileError) { try PrivateFile.makeFolder(folder) }

  /// Begins a session.
  /// - Returns: its secret, for a cookie.
  /// - Throws: ``PrivateFileError`` where it cannot be kept.
  package func begin(address: String, agent: String, at now: Date) throws(PrivateFileError) -> AccessToken {
    try prepare()
    let old = all(at: now)
    if old.count >= Self.maximumCount { for session in old[(Self.maximumCount - 1)...] { end(session) } }
    let secret = AccessToken()
    let kept = StoredSession(
      created: now.timeIntervalSince1970, expires: now.timeIntervalSince1970 + SessionLimits.maximumDays * 86400,
      address: address,
      agent: String(agent.prefix(200)))
    let path = path(of: Hexadecimal.text(secret.hash))
    try PrivateFile.write(String(decoding: (try? JSONEncoder().encode(kept)) ?? Data(), as: UTF8.self), to: path)
    setUse(of: path, to: now)
    return secret
  }

  /// The session of a secret; `nil` where there is none, or it has ended.
  package func session(_ secret: AccessToken, at now: Date) -> AdministratorSession? {
    session(key: Hexadecimal.text(secret.hash), at: now)
  }

  package func session(key: String, at now: Date) -> AdministratorSession? {
    let path = path(of: key)
    guard let data = FileManager.default.contents(atPath: path),
      let kept = try? JSONDecoder().decode(StoredSession.self, from: data),
      let used = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    else { return nil }
    let session = AdministratorSession(
      key: key, created: Date(timeIntervalSince1970: kept.created), used: used,
      expires: Date(timeIntervalSince1970: kept.expires),
      address: kept.address, agent: kept.agent)
    guard session.expires > now, used.addingTimeInterval(SessionLimits.idleDays * 86400) > now else {
      end(session)
      return nil
    }
    return session
  }

  /// Notes a use, at most once in five minutes. A clock that is behind does not make the session older, because it would end when the
  /// clock is right again.
  package func recordUse(_ session: AdministratorSession, at now: Date) {
    guard now.timeIntervalSince(session.used) >= SessionLimits.useRecordingInterval else { return }
    setUse(of: path(of: session.key), to: now)
  }

  /// Ends a session. - Returns: whether it was there.
  @discardableResult
  package func end(_ session: AdministratorSession) -> Bool { unlink(path(of: session.key)) == 0 }

  /// All that have not ended, the one that was used last first.
  package func all(at now: Date) -> [AdministratorSession] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { session(key: $0, at: now) }.sorted { ($0.used, $0.key) > ($1.used, $1.key) }
  }

  private func path(of key: String) -> String { "\(folder)/\(key)" }

  private func setUse(of path: String, to time: Date) {
    try? FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
  }
}
