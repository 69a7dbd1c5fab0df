#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Restricts the files of a database to their owner, because every database contains positions.
enum PrivateFile {
  /// Read and write access for the owner only.
  private static let mode: mode_t = 0o600

  /// Creates the file of a database if it does not exist, and removes the rights of other users from it and from SQLite's files
  /// beside it. SQLite creates those with the mode of the database. Files of another user are not changed; opening them reports the
  /// problem.
  static func prepare(_ path: String) {
    // Only a new file is opened: closing an existing file would release the locks that SQLite holds on it.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    if descriptor >= 0 { close(descriptor) }
    guard !isDevice(path) else { return }
    for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, mode) }
  }

  /// Whether a path leads to a device file. The mode of `/dev/null` must not change, even if an option names it as a database. The
  /// folder is checked, because Apple requires a stated reason for the use of `stat`.
  static func isDevice(_ path: String) -> Bool {
    guard let real = realpath(path, nil) else { return false }
    defer { free(real) }
    let name = String(cString: real)
    return name.hasPrefix("/dev/") && !name.hasPrefix("/dev/shm/")
  }
}
