internal import GodwitEngine

/// Starting and stopping a tracker.
extension Tracker {
  /// Starts the tracker, and returns when it runs.
  ///
  ///     do { try await tracker.start() } catch { show(error.message) }
  ///
  /// The tracker then runs until ``stop()``, or until the program ends. A call while it starts waits for the same result; a
  /// call while it runs does nothing. An error after the start is in ``Status/state``, which ``statuses`` reports.
  /// - Throws: ``GodwitError`` if the stored state of earlier launches cannot be read; ``GodwitError/Code/stopped`` if the
  ///   tracker was stopped before; the error that ended the tracker, if it has failed.
  public func start() async throws(GodwitError) {
    switch lifeCycle.start() {
    case .fail(let error): throw error
    case .launch:
      stateChanged()
      // A new task, because the tracker outlives the task of the caller. The task retains the tracker.
      configuration.environment.task { await self.work() }
      await wait { $0 == .starting }
    case .awaitStart: await wait { $0 == .starting }
    case .nothing, .end, .awaitEnd: return
    }
    try lifeCycle.startResult()
  }

  /// Stops the tracker, and returns when everything that was reported before is on the disk and the journal is unlocked.
  ///
  /// Tracking stays on or off for the next launch; ``stopTracking()`` turns it off. Records that were not sent wait in the
  /// journal. Before ``start()``, and after the tracker has ended, the call does nothing. A second call waits for the first.
  public func stop() async {
    switch lifeCycle.stop() {
    case .end:
      stateChanged()
      mailbox.close()
      await wait { !$0.isOver }
    case .awaitEnd: await wait { !$0.isOver }
    case .launch, .awaitStart, .nothing, .fail: return
    }
  }

  /// Starts the tracker and returns when it has ended, for a program with structured concurrency:
  ///
  ///     group.addTask { try await tracker.run() }
  ///
  /// Cancelling the task stops the tracker. After ``stop()`` it returns without an error.
  /// - Throws: `CancellationError`, after pending records were written; the errors of ``start()``;
  ///   ``GodwitError/Code/alreadyStarted`` if the tracker is starting or running.
  public func run() async throws {
    if case .fail(let error) = lifeCycle.run() { throw error }
    await work()
    if case .failed(let error) = lifeCycle.state { throw error }
    try Task.checkCancellation()
  }

  private func work() async {
    var problem: GodwitError?
    do { try await process() } catch is CancellationError {} catch { problem = GodwitError(error, .fileUnavailable) }
    lifeCycle.ended(problem ?? failure)
    end()
    stateChanged()
    statusStream.finish()
  }

  /// Changes the state to running. Called when the stored state of earlier launches has been read.
  func launched() {
    lifeCycle.launched()
    stateChanged()
  }

  private func stateChanged() {
    let waiters = stateWaiters
    stateWaiters = []
    for waiter in waiters { waiter.resume() }
    // The final status is published also without subscribers, for later ones.
    if lifeCycle.state.isOver || statusStream.hasSubscribers() { statusStream.publish(status) }
  }

  /// Waits as long as a condition holds. Cancellation does not end the wait, so that a start and a stop always have a result.
  private func wait(while condition: (State) -> Bool) async {
    while condition(lifeCycle.state) { await withCheckedContinuation { stateWaiters.append($0) } }
  }
}
