internal import Foundation
internal import GodwitSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Keeps a second tracker away from a journal. The system releases it when the process ends, however it ends.
package final class JournalLock: Sendable {
  private let descriptor: Int32

  /// - Throws: ``JournalInUse`` when another tracker has the journal.
  package init(path: String) throws {
    // Nobody else's process sees a journal that is no file.
    guard !Database.isInMemory(path) else {
      descriptor = -1
      return
    }
    descriptor = open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw JournalInUse(description: "\(path).lock cannot be made: \(String(cString: strerror(errno))).")
    }
    // One of an earlier version, or of a careless copy; of another user's file it stays as it is.
    fchmod(descriptor, 0o600)
    // `deinit` closes the file also after this: closing it here as well would close whatever another thread opened in between.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw JournalInUse(
        description: "\(path) is used by another tracker. Stop it, or name another file with --journal.")
    }
  }

  /// Whether a tracker has the journal just now.
  package static func isHeld(path: String) -> Bool {
    let descriptor = open(path + ".lock", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    // Given back at once: closing releases it.
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

/// The journal belongs to somebody else just now.
public struct JournalInUse: Error, CustomStringConvertible {
  public let description: String
}
