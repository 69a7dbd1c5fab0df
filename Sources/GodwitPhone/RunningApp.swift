/// The running program on the phone, and everything that ends with its process.
struct RunningApp: Sendable {
  typealias Listener = @Sendable (AppEvent) -> Void

  let process = SimulatedProcess()
  /// Receives what happens around the app.
  private(set) var listener: Listener?
  /// The process has stopped, and the system has not seen it.
  private(set) var hasCrashed = false
  /// An upload keeps it running that may be suspended.
  private(set) var isHolding = false
  /// The app was launched before the first unlock, and has not yet received the notification of the unlock.
  private var waitsForUnlock: Bool
  private var task: Task<Void, Never>?
  private var endings: [@Sendable () -> Void] = []

  /// - Parameter isUnlocked: whether the phone was unlocked since it was started.
  init(isUnlocked: Bool) { waitsForUnlock = !isUnlocked }

  var isSuspended: Bool { process.isSuspended }

  /// What its code runs in.
  mutating func begin(_ task: Task<Void, Never>) { self.task = task }

  mutating func listen(_ listener: @escaping Listener) { self.listener = listener }

  /// Runs something when the process has been killed.
  mutating func whenKilled(_ body: @escaping @Sendable () -> Void) { endings.append(body) }

  /// Returns whether the app receives the notification of the first unlock now: once, as soon as it has a listener and is not
  /// suspended.
  mutating func takeUnlock() -> Bool {
    guard waitsForUnlock, listener != nil, !isSuspended else { return false }
    waitsForUnlock = false
    return true
  }

  /// An upload keeps it running. - Returns: whether none did before.
  mutating func hold() -> Bool {
    defer { isHolding = true }
    return !isHolding
  }

  /// Nothing keeps it running that may be suspended.
  mutating func release() { isHolding = false }

  /// The process stops where it is. - Returns: what runs now because it has been killed.
  mutating func crash() -> [@Sendable () -> Void] {
    hasCrashed = true
    process.isSuspended = true
    defer { endings = [] }
    return endings
  }

  /// The process ends without a word. - Returns: what runs now because it has been killed.
  func end() -> [@Sendable () -> Void] {
    process.end()
    return endings
  }

  /// Runs the rest of the process to its end, so that its memory is freed. The results are discarded.
  func drain() {
    task?.cancel()
    process.drain()
  }
}
