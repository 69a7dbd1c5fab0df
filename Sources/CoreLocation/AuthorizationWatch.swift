internal import Foundation
internal import Synchronization

/// What a session is to the daemon: a client that asks for permission and is told what became of it.
final class AuthorizationWatch: Sendable {
  private struct State {
    var client: LocationServices.ClientID?
    var last: CLAuthorizationStatus?
    var listeners: [Int: AsyncStream<CLAuthorizationStatus>.Continuation] = [:]
    var next = 1
    var isOver = false
  }

  private let state = Mutex(State())
  private let daemon: LocationDaemon

  /// - Parameters:
  ///   - daemon: who is asked.
  ///   - always: whether it must be allowed while the program is not in front; `nil`: nothing is asked.
  init(daemon: LocationDaemon, asksFor always: Bool?) {
    self.daemon = daemon
    let queue = DispatchQueue(label: "authorization")
    let client = daemon.connect(
      LocationDaemon.Listener(queue: queue) { [weak self] output in
        if case .authorization(_, let status) = output { self?.tell(status) }
      })
    state.withLock { $0.client = client }
    if let always { daemon.handle(.requestedAuthorization(client, always: always)) }
  }

  deinit { end() }

  /// What is decided, and each change of it. Of a listener who falls behind only the newest 16 are kept.
  func statuses() -> AsyncStream<CLAuthorizationStatus> {
    let (stream, listener) = AsyncStream.makeStream(
      of: CLAuthorizationStatus.self, bufferingPolicy: .bufferingNewest(16))
    let number = state.withLock { state -> Int? in
      guard !state.isOver else { return nil }
      defer { state.next += 1 }
      if let last = state.last { listener.yield(last) }
      state.listeners[state.next] = listener
      return state.next
    }
    guard let number else {
      listener.finish()
      return stream
    }
    listener.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  func end() {
    let (client, listeners) = state.withLock { state in
      defer { (state.client, state.listeners, state.isOver) = (nil, [:], true) }
      return (state.client, state.listeners)
    }
    if let client { daemon.disconnect(client) }
    for listener in listeners.values { listener.finish() }
  }

  private func forget(_ number: Int) { _ = state.withLock { $0.listeners.removeValue(forKey: number) } }

  private func tell(_ status: CLAuthorizationStatus) {
    let listeners = state.withLock { state in
      state.last = status
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(status) }
  }
}
