internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A body that is too large for memory and is written to a file. The file is removed when this object is released, unless
/// it was renamed.
///
/// Not thread-safe.
package final class BodyFile {
  package let path: String
  /// Maximum bytes.
  package let limit: Int
  package private(set) var size = 0
  private var descriptor: Int32
  private var isKept = false

  /// - Parameters:
  ///   - path: the path of the file, which is created.
  ///   - limit: maximum bytes.
  package init(_ path: String, limit: Int) throws(Problem) {
    self.path = path
    self.limit = limit
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.full(errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if !isKept { unlink(path) }
  }

  /// Appends bytes.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
    var written = 0
    while written < bytes.count {
      let count = write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.full(errno) }
      written += count
    }
    size += bytes.count
  }

  /// Syncs and renames the file. After that, it is not removed with this object.
  package func persist(as new: String) throws(Problem) {
    guard fsync(descriptor) == 0, rename(path, new) == 0 else { throw Self.full(errno) }
    isKept = true
  }

  private static func full(_ code: Int32) -> Problem {
    Problem(
      507, "No space left",
      "The file cannot be stored: \(String(cString: strerror(code))). Free space in the data folder and send it again.")
  }
}
