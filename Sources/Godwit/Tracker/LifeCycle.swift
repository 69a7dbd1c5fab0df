extension Tracker {
  /// Whether a tracker runs.
  ///
  /// ```
  /// idle ──start──▶ starting ──▶ running ──stop──▶ stopping ──▶ stopped
  ///                    │            └───────▶ failed
  ///                    └──────────▶ failed
  /// ```
  public enum State: Sendable, Hashable {
    /// Created, and not started.
    case idle
    /// Reads what earlier launches stored.
    case starting
    case running
    /// Writes what is pending.
    case stopping
    /// Everything that was recorded is on the disk. The journal is free for another tracker.
    case stopped
    /// An error ended it. What was recorded before is in the journal.
    case failed(GodwitError)

    /// Whether it has ended, by a stop or by an error.
    public var isOver: Bool {
      switch self {
      case .idle, .starting, .running, .stopping: false
      case .stopped, .failed: true
      }
    }
  }
}

/// The rules of a tracker's life: what each call does in each state. It holds no task and no file.
struct LifeCycle: Sendable, Hashable {
  private(set) var state = Tracker.State.idle

  /// What a call has to do.
  enum Action: Sendable, Hashable {
    /// Run the tracker.
    case launch
    /// Wait until it runs, or has failed.
    case awaitStart
    /// End the work, and wait for that.
    case end
    /// Wait until it has ended.
    case awaitEnd
    /// It is so already.
    case nothing
    case fail(GodwitError)
  }

  /// `start()`.
  mutating func start() -> Action {
    switch state {
    case .idle:
      state = .starting
      return .launch
    case .starting: return .awaitStart
    case .running: return .nothing
    case .stopping, .stopped: return .fail(Self.over)
    case .failed(let error): return .fail(error)
    }
  }

  /// `run()`: only one task can be the tracker's.
  mutating func run() -> Action {
    switch state {
    case .starting, .running:
      return .fail(
        GodwitError(.alreadyStarted, "This tracker runs already. Call start() or run(), once, for each tracker."))
    case .idle, .stopping, .stopped, .failed: return start()
    }
  }

  /// `stop()`.
  mutating func stop() -> Action {
    switch state {
    case .idle, .stopped, .failed: return .nothing
    case .starting, .running:
      state = .stopping
      return .end
    case .stopping: return .awaitEnd
    }
  }

  /// What earlier launches stored has been read.
  mutating func launched() { if state == .starting { state = .running } }

  /// The work has ended.
  /// - Parameter error: why; `nil`: it was stopped, or its task was cancelled.
  mutating func ended(_ error: GodwitError?) { state = error.map { .failed($0) } ?? .stopped }

  /// The result of a start that has waited.
  func startResult() throws(GodwitError) {
    switch state {
    case .failed(let error): throw error
    case .stopping, .stopped: throw Self.over
    case .idle, .starting, .running: return
    }
  }

  /// For calls that only a started tracker answers.
  func checkIsStarted() throws(GodwitError) {
    if state == .idle { throw GodwitError(.notStarted, "This tracker was not started. Call start() first.") }
    if state.isOver { throw Self.over }
  }

  static let over = GodwitError(
    .stopped, "This tracker was stopped. Create a new one with the same configuration, and start that.")
}
