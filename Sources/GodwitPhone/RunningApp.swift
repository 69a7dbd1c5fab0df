/// The running program on the phone, and the state that ends with its process.
struct RunningApp: Sendable {
  typealias Listener = @Sendable (AppEvent) -> Void

  let process = SimulatedProcess()
  /// Receives the events for the app; `nil`: the app has set no handler.
  private(set) var listener: Listener?
  /// Whether the process has crashed and the system has not detected it yet.
  private(set) var hasCrashed = false
  /// Whether an upload keeps the app running although it may be suspended.
  private(set) var isHolding = false
  /// Whether the app was launched before the first unlock and has not yet received the event of the unlock.
  private var waitsForUnlock: Bool
  private var task: Task<Void, Never>?
  private var endings: [@Sendable () -> Void] = []

  /// - Parameter isUnlocked: whether the phone was unlocked since it was started.
  init(isUnlocked: Bool) { waitsForUnlock = !isUnlocked }

  var isSuspended: Bool { process.isSuspended }

  /// Sets the task that runs the app's code.
  mutating func begin(_ task: Task<Void, Never>) { self.task = task }

  mutating func listen(_ listener: @escaping Listener) { self.listener = listener }

  /// Adds a closure that runs when the process has been killed.
  mutating func whenKilled(_ body: @escaping @Sendable () -> Void) { endings.append(body) }

  /// Returns whether the app receives the event of the first unlock now: once, as soon as it has a handler and is not suspended.
  mutating func takeUnlock() -> Bool {
    guard waitsForUnlock, listener != nil, !isSuspended else { return false }
    waitsForUnlock = false
    return true
  }

  /// Keeps the app running for an upload. - Returns: whether no upload kept it running before.
  mutating func hold() -> Bool {
    defer { isHolding = true }
    return !isHolding
  }

  /// Ends the keeping by uploads.
  mutating func release() { isHolding = false }

  /// Stops the process at once. - Returns: the closures that run because the process has been killed.
  mutating func crash() -> [@Sendable () -> Void] {
    hasCrashed = true
    process.isSuspended = true
    defer { endings = [] }
    return endings
  }

  /// Ends the process without a notification. - Returns: the closures that run because the process has been killed.
  func end() -> [@Sendable () -> Void] {
    process.end()
    return endings
  }

  /// Runs the remaining work of the process, so that its memory is released. The results are discarded.
  func drain() {
    task?.cancel()
    process.drain()
  }
}
