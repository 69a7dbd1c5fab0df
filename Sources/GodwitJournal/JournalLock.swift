internal import Foundation
internal import GodwitSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Prevents a second tracker on a journal. The system releases the lock when the process ends in any way.
package final class JournalLock: Sendable {
  private let descriptor: Int32

  /// Attempts to lock the file. ``isHeld(path:)`` of another program holds the lock for a moment.
  private static let attempts = 5

  /// - Parameters:
  ///   - path: the path of the journal.
  ///   - pause: waits between two attempts; 10 ms by default.
  /// - Throws: ``JournalInUse`` if another tracker has the journal, ``JournalUnavailable`` if the lock file cannot be created.
  package init(path: String, pause: () -> Void = { usleep(10_000) }) throws {
    // An in-memory journal is not visible to other processes.
    guard !Database.isInMemory(path) else {
      descriptor = -1
      return
    }
    let file = Self.file(path)
    descriptor = open(file, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw JournalUnavailable(description: "\(file) cannot be created: \(String(cString: strerror(errno))).")
    }
    // The file may have other permissions, from an earlier version or a copy. The permissions of a file of another user stay.
    fchmod(descriptor, 0o600)
    // Not closed here: `deinit` closes the descriptor, and a second close could close another thread's file.
    var isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    for _ in 1..<Self.attempts where !isLocked {
      pause()
      isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
    guard isLocked else {
      throw JournalInUse(
        description: "\(path) is used by another tracker. Stop it, or use another file for the journal.")
    }
  }

  /// Returns the lock file. If the path is a symbolic link, the lock file is next to the target, as SQLite's log is.
  private static func file(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path + ".lock" }
    defer { free(real) }
    return String(cString: real) + ".lock"
  }

  /// Returns whether a tracker has the journal at present.
  package static func isHeld(path: String) -> Bool {
    let descriptor = open(file(path), O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    // Closing releases the lock.
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

/// Another tracker has the journal.
package struct JournalInUse: Error, CustomStringConvertible {
  package let description: String
  package init(description: String) { self.description = description }
}

/// The journal's folder or lock cannot be created.
package struct JournalUnavailable: Error, CustomStringConvertible {
  package let description: String
}
