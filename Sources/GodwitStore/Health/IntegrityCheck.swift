internal import Foundation
internal import GodwitSQLite
internal import Synchronization

/// Looks through an embedded database for damage, one check at a time, until it is stopped.
final class IntegrityCheck: Sendable {
  private struct State {
    var interrupt: (@Sendable () -> Void)?
    var isStopped = false
  }
  private let state = Mutex(State())
  /// Held while a check runs.
  private let running = NSLock()

  /// Looks through a database (`PRAGMA quick_check`) over a connection of its own.
  /// - Returns: `true` where it holds together, `false` where the check was stopped.
  /// - Throws: `SQLiteError`; it is damaged where `isCorrupt` is true.
  func run(_ path: String) throws -> Bool {
    try running.withLock {
      let database = try Database(path: path, access: .readOnly)
      let isStopped = state.withLock { state in
        if !state.isStopped { state.interrupt = database.interrupter }
        return state.isStopped
      }
      if isStopped { return false }
      // The connection outlives what may interrupt it.
      defer { state.withLock { $0.interrupt = nil } }
      do { try database.checkIntegrity() } catch {
        if state.withLock({ $0.isStopped }) { return false }
        throw error
      }
      return true
    }
  }

  /// Does something else that must be over when the database is closed.
  func perform(_ body: () -> Void) {
    running.withLock { if !state.withLock({ $0.isStopped }) { body() } }
  }

  /// Ends the check that runs, and waits for its end; there are no more.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.interrupt?()
    }
    running.withLock {}
  }
}
