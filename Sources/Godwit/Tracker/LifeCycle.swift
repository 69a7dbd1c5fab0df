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
    /// Reads the stored state of earlier launches.
    case starting
    case running
    /// Writes pending records.
    case stopping
    /// Stopped. All records are on the disk, and another tracker can use the journal.
    case stopped
    /// Ended by an error. Records that were written before are in the journal.
    case failed(GodwitError)

    /// Whether the tracker has ended, by a stop or by an error.
    public var isOver: Bool {
      switch self {
      case .idle, .starting, .running, .stopping: false
      case .stopped, .failed: true
      }
    }
  }
}

/// The state machine of a tracker's life cycle: the action of each call in each state. It holds no task and no file.
struct LifeCycle: Sendable, Hashable {
  private(set) var state = Tracker.State.idle

  /// The action of a call.
  enum Action: Sendable, Hashable {
    /// Run the tracker.
    case launch
    /// Wait until the tracker runs or has failed.
    case awaitStart
    /// End the processing, and wait for its end.
    case end
    /// Wait until the tracker has ended.
    case awaitEnd
    /// Return: the tracker is already in the requested state.
    case nothing
    case fail(GodwitError)
  }

  /// Returns the action of `start()`, and changes the state.
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

  /// Returns the action of `run()`, and changes the state. Only one task can run the tracker.
  mutating func run() -> Action {
    switch state {
    case .starting, .running:
      return .fail(
        GodwitError(.alreadyStarted, "This tracker runs already. Call start() or run(), once, for each tracker."))
    case .idle, .stopping, .stopped, .failed: return start()
    }
  }

  /// Returns the action of `stop()`, and changes the state.
  mutating func stop() -> Action {
    switch state {
    case .idle, .stopped, .failed: return .nothing
    case .starting, .running:
      state = .stopping
      return .end
    case .stopping: return .awaitEnd
    }
  }

  /// Changes the state from starting to running, when the stored state of earlier launches has been read.
  mutating func launched() { if state == .starting { state = .running } }

  /// Changes the state when the processing has ended.
  /// - Parameter error: the error that ended it; `nil`: it was stopped, or its task was cancelled.
  mutating func ended(_ error: GodwitError?) { state = error.map { .failed($0) } ?? .stopped }

  /// Throws the error of a start that has waited, if the start failed.
  func startResult() throws(GodwitError) {
    switch state {
    case .failed(let error): throw error
    case .stopping, .stopped: throw Self.over
    case .idle, .starting, .running: return
    }
  }

  /// Checks a call that needs a started tracker.
  /// - Throws: ``GodwitError/Code/notStarted`` or ``GodwitError/Code/stopped``.
  func checkIsStarted() throws(GodwitError) {
    if state == .idle { throw GodwitError(.notStarted, "This tracker was not started. Call start() first.") }
    if state.isOver { throw Self.over }
  }

  static let over = GodwitError(
    .stopped, "This tracker was stopped. Create a new one with the same configuration, and start that.")
}
