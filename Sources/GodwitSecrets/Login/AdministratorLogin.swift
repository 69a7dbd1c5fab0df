package import Foundation

/// How the administrator of a server, or of a tracker's panel, gets a session: one-time codes, sessions, and the address of the
/// running program, all in a folder of its own.
package struct AdministratorLogin: Sendable {
  package let codes: LoginCodes
  package let sessions: AdministratorSessions
  private let folder: String

  /// - Parameter folder: made by ``prepare()``; its parent exists.
  package init(folder: String) {
    self.folder = folder
    codes = LoginCodes(folder: folder + "/codes")
    sessions = AdministratorSessions(folder: folder + "/sessions")
  }

  /// That of a server.
  package init(dataFolder: String) { self.init(folder: dataFolder + "/login") }

  /// Makes the folders.
  /// - Throws: ``PrivateFileError`` where they cannot be made.
  package func prepare() throws(PrivateFileError) {
    try PrivateFile.makeFolder(folder)
    try codes.prepare()
    try sessions.prepare()
  }

  private var addressFile: String { folder + "/address" }

  /// Leaves the address of the running program where ``currentAddress`` finds it.
  /// - Throws: ``PrivateFileError`` where it cannot be written.
  package func announce(_ address: String) throws(PrivateFileError) -> RunningAddress {
    try prepare()
    return try RunningAddress(address, in: addressFile)
  }

  /// The address of the running program; `nil` where none runs.
  package var currentAddress: String? { RunningAddress.current(in: addressFile) }

  /// A link that opens a session once.
  /// - Parameters:
  ///   - base: the address of the program's first page; with or without a slash at its end.
  ///   - now: the time from which it is valid for ten minutes.
  /// - Throws: ``PrivateFileError`` where the code cannot be kept.
  package func link(to base: String, at now: Date) throws(PrivateFileError) -> String {
    try PrivateFile.makeFolder(folder)
    let code = try codes.make(at: now)
    return "\(base.hasSuffix("/") ? String(base.dropLast()) : base)/login#\(code)"
  }

  /// Begins a session where a code is valid, and uses it up.
  /// - Returns: the session's secret; `nil` where the code is not valid.
  /// - Throws: ``PrivateFileError`` where the session cannot be kept.
  package func begin(code: String, address: String, agent: String, at now: Date) throws(PrivateFileError) -> AccessToken? {
    guard codes.redeem(code, at: now) else { return nil }
    return try sessions.begin(address: address, agent: agent, at: now)
  }
}
