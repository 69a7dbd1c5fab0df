internal import Foundation
internal import Synchronization

/// The permission and the limits of a session.
struct Situation: Sendable, Hashable {
  var status: CLAuthorizationStatus
  var useLimits = LocationServices.UseLimits()
  /// Whether location services are on for all programs.
  var isSwitchedOn = true
  /// Whether exact positions were requested and denied.
  var isFullAccuracyDenied = false
}

/// A client of the daemon for a session. It requests permission and receives the result.
final class AuthorizationWatch: Sendable {
  private struct State {
    var client: LocationServices.ClientID?
    var last: Situation?
    var listeners: [Int: AsyncStream<Situation>.Continuation] = [:]
    var next = 1
    var isOver = false
  }

  private let state = Mutex(State())
  private let daemon: LocationDaemon

  /// - Parameters:
  ///   - daemon: the daemon that decides.
  ///   - role: the kind of the session.
  ///   - always: whether to request permission for the background too; `nil`: no permission is requested.
  ///   - purpose: the key of the purpose of exact positions; `nil`: exact positions are not requested.
  init(daemon: LocationDaemon, as role: LocationServices.Role, asksFor always: Bool?, purpose: String? = nil) {
    self.daemon = daemon
    let queue = DispatchQueue(label: "authorization")
    let client = daemon.connect(
      LocationDaemon.Listener(queue: queue) { [weak self] output in
        self?.receive(output)
      }, as: role)
    state.withLock { $0.client = client }
    if let always { daemon.handle(.requestedAuthorization(client, always: always)) }
    if let purpose { daemon.handle(.requestedFullAccuracy(client, purpose: purpose)) }
  }

  deinit { end() }

  /// Returns a stream of the current state and each change of it. For a slow subscriber the newest 16 are buffered.
  func statuses() -> AsyncStream<Situation> {
    let (stream, listener) = AsyncStream.makeStream(
      of: Situation.self, bufferingPolicy: .bufferingNewest(16))
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
    listener.onTermination = { [weak self] _ in self?.removeListener(number) }
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

  private func removeListener(_ number: Int) { _ = state.withLock { $0.listeners.removeValue(forKey: number) } }

  private func receive(_ output: LocationServices.Output) {
    switch output {
    case .authorization(_, let status): change { $0.status = status }
    case .useLimits(_, let useLimits): change { $0.useLimits = useLimits }
    case .fullAccuracyAnswered(_, let error): change { $0.isFullAccuracyDenied = error?.code == .promptDeclined }
    default: break  // A session requests nothing else.
    }
  }

  private func change(_ change: (inout Situation) -> Void) {
    let isSwitchedOn = daemon.isSwitchedOn
    let (situation, listeners) = state.withLock { state in
      var situation = state.last ?? Situation(status: .notDetermined)
      change(&situation)
      situation.isSwitchedOn = isSwitchedOn
      defer { state.last = situation }
      return (situation, situation == state.last ? [] : Array(state.listeners.values))
    }
    for listener in listeners { listener.yield(situation) }
  }
}
