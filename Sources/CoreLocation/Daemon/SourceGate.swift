internal import Dispatch
internal import GodwitReceivers
internal import Synchronization

/// Decides which events of a source reach the clients of a daemon: those that come while a client wants positions.
///
/// The time of a recording that is as fast as its listeners stands still at a closed gate, unless the program waits for the end
/// of the recording: then positions are passed over after a moment in which the program can ask for the next one.
final class SourceGate: Sendable {
  private struct State {
    var isOpen = false
    var passesOver = false
    var isOver = false
    /// How many wait for the end of the source.
    var waitingForEnd = 0
    /// Counts changes of `isOpen`.
    var change = 0
    var held: [CheckedContinuation<Void, Never>] = []
  }

  /// Seconds until the positions of a closed gate are passed over.
  private static let timeout = 0.5

  private let state = Mutex(State())
  private let timekeeping: Timekeeping

  init(_ timekeeping: Timekeeping) { self.timekeeping = timekeeping }

  /// Returns when the next event of the source has its turn.
  /// - Returns: whether a client wants it.
  func admits() async -> Bool {
    switch timekeeping {
    case .switchesOff: return true
    case .runsOn: return state.withLock { $0.isOpen }
    case .waits:
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.isOpen || state.passesOver || state.isOver { return true }
          state.held.append(continuation)
          return false
        }
        if goesOn { continuation.resume() }
      }
      return state.withLock { $0.isOpen }
    }
  }

  /// A client wants positions, or none does.
  func set(isOpen: Bool) {
    update { state in
      guard state.isOpen != isOpen else { return }
      (state.isOpen, state.passesOver) = (isOpen, false)
      state.change += 1
    }
  }

  /// The program waits for the end of the source.
  func beginWaiting() { update { $0.waitingForEnd += 1 } }

  func endWaiting() {
    update { state in
      state.waitingForEnd -= 1
      if state.waitingForEnd == 0 { state.passesOver = false }
    }
  }

  /// The daemon is gone.
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
