#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The files of an open database. Detects files that were removed or replaced: SQLite continues to write to the open file, whose
/// content is lost when it is closed.
package struct DatabaseFiles: Sendable {
  private struct Identity: Sendable, Hashable {
    var device: UInt64
    var file: UInt64
  }
  private let paths: [String]
  private var known: [Identity?]

  /// - Parameter path: the path of the open database.
  package init(path: String) {
    paths = [path, path + "-wal", path + "-shm"]
    known = paths.map(Self.identity)
  }

  /// Whether the database and its log are the original files. A file that did not exist before is recorded now.
  package mutating func areTheSame() -> Bool {
    for (index, path) in paths.enumerated() {
      let found = Self.identity(path)
      if let known = known[index] {
        if known != found { return false }
      } else {
        known[index] = found
      }
    }
    return true
  }

  private static func identity(_ path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
