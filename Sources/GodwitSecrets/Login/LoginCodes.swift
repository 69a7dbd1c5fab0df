package import Foundation
internal import GodwitText

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// One-time codes that begin a session of the administrator.
///
/// Each is an empty file whose name is its end and its hash: another process can make one, a copy of the folder opens
/// nothing, and the removal of a file, which happens once, is what makes a code valid once.
package struct LoginCodes: Sendable {
  /// Seconds for which a code is valid.
  package static let lifetime: TimeInterval = 600

  private let folder: String

  package init(folder: String) { self.folder = folder }

  package func prepare() throws(PrivateFileError) { try PrivateFile.makeFolder(folder) }

  /// Makes a code.
  /// - Returns: the code itself, 32 characters of URL-safe Base64, which is kept nowhere.
  /// - Throws: ``PrivateFileError`` where the folder cannot be written.
  package func make(at now: Date) throws(PrivateFileError) -> String {
    try prepare()
    let code = String(AccessToken().secret.dropFirst(3))
    try PrivateFile.write("", to: "\(folder)/\(Int(now.timeIntervalSince1970 + Self.lifetime))-\(Self.hash(of: code))")
    return code
  }

  /// Uses a code up.
  /// - Returns: whether it was valid: made here, not used before, and not older than ten minutes.
  package func redeem(_ code: String, at now: Date) -> Bool {
    let hash = Self.hash(of: code)
    var isValid = false
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let parts = name.split(separator: "-")
      guard parts.count == 2, let end = TimeInterval(parts[0]) else { continue }
      // A clock that was set back makes no code live longer.
      let isFresh = now.timeIntervalSince1970 < end && end <= now.timeIntervalSince1970 + Self.lifetime
      guard parts[1] == hash || !isFresh else { continue }
      let isRemoved = unlink("\(folder)/\(name)") == 0
      if parts[1] == hash, isFresh, isRemoved { isValid = true }
    }
    return isValid
  }

  private static func hash(of code: String) -> String { Hexadecimal.text(AccessToken(code).hash) }
}
