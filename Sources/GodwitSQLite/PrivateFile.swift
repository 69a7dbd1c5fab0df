#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Files that only their owner reads and writes: there are places in every database of ours.
enum PrivateFile {
  /// Reading and writing, by the owner alone.
  private static let mode: mode_t = 0o600

  /// Makes a database's file if there is none, and takes from others what they may do with it and with SQLite's files beside it.
  /// SQLite gives those the mode of the database. What belongs to another user stays as it is; opening it says what is wrong.
  static func prepare(_ path: String) {
    // Only a new file: to close one that is there would release the locks that SQLite holds on it.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    if descriptor >= 0 { close(descriptor) }
    guard !isDevice(path) else { return }
    for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, mode) }
  }

  /// Whether a path leads to a device: `/dev/null` is for all users, whatever an option names. The folder decides, because Apple requires a
  /// reason for `stat`.
  static func isDevice(_ path: String) -> Bool {
    guard let real = realpath(path, nil) else { return false }
    defer { free(real) }
    let name = String(cString: real)
    return name.hasPrefix("/dev/") && !name.hasPrefix("/dev/shm/")
  }
}
