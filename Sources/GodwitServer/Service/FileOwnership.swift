internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The owner, the group and the mode of a file.
package struct FileOwnership: Sendable, Hashable {
  private let user: uid_t
  private let group: gid_t
  private let mode: mode_t

  /// Reads the owner, the group and the mode of a file; `nil` if the file cannot be read.
  package init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (user, group, mode) = (status.st_uid, status.st_gid, status.st_mode & 0o7777)
  }

  /// Gives a file this owner, group and mode, if they differ.
  /// - Returns: whether the file has all of them; usually only root may change the owner.
  func apply(to path: String) -> Bool {
    guard FileOwnership(of: path) != self else { return true }
    _ = chown(path, user, group)
    // A new owner can clear bits of the mode, so the mode is set last.
    _ = chmod(path, mode)
    return FileOwnership(of: path) == self
  }

  /// Returns the command of a shell that gives a file this owner, group and mode.
  /// - Parameter file: the path, quoted for a shell.
  package func command(for file: String) -> String {
    "chown \(user):\(group) \(file) && chmod \(String(mode, radix: 8)) \(file)"
  }
}
