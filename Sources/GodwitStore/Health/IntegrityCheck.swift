internal import Foundation
internal import GodwitSQLite
internal import Synchronization

/// Checks an embedded database for damage, one check at a time, until it is stopped.
final class IntegrityCheck: Sendable {
  private struct State {
    var interrupt: (@Sendable () -> Void)?
    var isStopped = false
  }
  private let state = Mutex(State())
  /// Held while a check runs.
  private let running = NSLock()

  /// Checks a database (`PRAGMA quick_check`) on a separate connection.
  /// - Returns: `true` if it is intact, `false` if the check was stopped.
  /// - Throws: `SQLiteError`; the database is damaged if `isCorrupt` is true.
  func run(_ path: String) throws -> Bool {
    try running.withLock {
      let database = try Database(path: path, access: .readOnly)
      let isStopped = state.withLock { state in
        if !state.isStopped { state.interrupt = database.interrupter }
        return state.isStopped
      }
      if isStopped { return false }
      // The connection must outlive its interrupt handle.
      defer { state.withLock { $0.interrupt = nil } }
      do { try database.checkIntegrity() } catch {
        if state.withLock({ $0.isStopped }) { return false }
        throw error
      }
      return true
    }
  }

  /// Runs other work that must end before the database is closed.
  func perform(_ body: () -> Void) {
    running.withLock { if !state.withLock({ $0.isStopped }) { body() } }
  }

  /// Interrupts the running check, waits for its end, and prevents further checks.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.interrupt?()
    }
    running.withLock {}
  }
}
