internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The address of a running server, in a file beside its data, so that another process can print a link to it.
///
/// The server holds a lock on the file: one that was killed leaves the file and no lock.
package final class RunningAddress: Sendable {
  private let path: String
  private let file: Int32

  /// Writes the address; removed by ``withdraw()``.
  /// - Throws: ``PrivateFileError`` where it cannot be written.
  package init(_ address: String, in path: String) throws(PrivateFileError) {
    self.path = path
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw PrivateFileError(path: path, code: errno) }
    // A second server of the same folder leaves the first one's address; its own is in its output.
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return }
    let bytes = Array((address + "\n").utf8)
    guard ftruncate(file, 0) == 0, bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count else {
      throw PrivateFileError(path: path, code: errno)
    }
  }

  deinit { if file >= 0 { close(file) } }

  /// Removes the file.
  package func withdraw() { if flock(file, LOCK_EX | LOCK_NB) == 0 { unlink(path) } }

  /// The address of the server that runs now; `nil` where none does.
  package static func current(in path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard flock(file, LOCK_SH | LOCK_NB) != 0 else { return nil }
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let address = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return address.isEmpty ? nil : address
  }
}
