internal import Dispatch
internal import GodwitReceivers
internal import Synchronization

/// Decides which events of a source reach the clients of a daemon: the events while a client requests positions. The gate is
/// open while a client requests positions.
///
/// A recording with the timekeeping `waits` stops at a closed gate. If the program waits for the end of the recording, positions
/// are skipped after a timeout in which the program can make a new request.
final class SourceGate: Sendable {
  private struct State {
    var isOpen = false
    var passesOver = false
    var isOver = false
    /// The number of callers that wait for the end of the source.
    var waitingForEnd = 0
    /// The number of changes of `isOpen`.
    var change = 0
    var held: [CheckedContinuation<Void, Never>] = []
  }

  /// Seconds after which positions at a closed gate are skipped.
  private static let timeout = 0.5

  private let state = Mutex(State())
  private let timekeeping: Timekeeping

  init(_ timekeeping: Timekeeping) { self.timekeeping = timekeeping }

  /// Suspends until the next event of the source may be reported.
  /// - Returns: whether a client requests positions; otherwise the event is skipped.
  func admits() async -> Bool {
    switch timekeeping {
    case .switchesOff: return true
    case .runsOn: return state.withLock { $0.isOpen }
    case .waits:
      await withCheckedContinuation { continuation in
        let shouldContinue = state.withLock { state in
          if state.isOpen || state.passesOver || state.isOver { return true }
          state.held.append(continuation)
          return false
        }
        if shouldContinue { continuation.resume() }
      }
      return state.withLock { $0.isOpen }
    }
  }

  /// Opens the gate if a client requests positions, or closes it.
  func set(isOpen: Bool) {
    update { state in
      guard state.isOpen != isOpen else { return }
      (state.isOpen, state.passesOver) = (isOpen, false)
      state.change += 1
    }
  }

  /// Called when a caller begins to wait for the end of the source.
  func beginWaiting() { update { $0.waitingForEnd += 1 } }

  func endWaiting() {
    update { state in
      state.waitingForEnd -= 1
      if state.waitingForEnd == 0 { state.passesOver = false }
    }
  }

  /// Resumes the source when the daemon is released.
  func end() { update { $0.isOver = true } }

  private func update(_ body: (inout State) -> Void) {
    let (released, change) = state.withLock { state -> ([CheckedContinuation<Void, Never>], Int?) in
      body(&state)
      if state.isOpen || state.passesOver || state.isOver {
        defer { state.held = [] }
        return (state.held, nil)
      }
      return ([], state.waitingForEnd > 0 ? state.change : nil)
    }
    for continuation in released { continuation.resume() }
    guard let change else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) { [weak self] in
      self?.update { state in
        if state.change == change, !state.isOpen, state.waitingForEnd > 0 { state.passesOver = true }
      }
    }
  }
}
