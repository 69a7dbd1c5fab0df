package import Foundation
internal import GodwitHTTPClient
internal import GodwitHistory
package import GodwitModel
package import GodwitServices
package import GodwitStore
internal import Synchronization

/// Sends positions of devices to webhooks, at each webhook's rate. Positions are not queued: only the newest position of a
/// device is sent, also after a failure.
package final class PositionSender: Sendable {
  private enum Phase { case idle, running, stopped }
  private struct State {
    var plan = PositionPlan()
    var alarm = NextAlarm()
    var phase = Phase.idle
  }
  private let state = Mutex(State())
  private let transport: any WebhookTransport
  private let clock: ServerClock
  private let isShown: @Sendable (Record, Device) throws -> Bool
  private let read: @Sendable () throws -> [Webhook]
  private let queue: WorkQueue
  /// Whether a webhook receives positions. A commit checks only this flag.
  private let isWanted = Atomic<Bool>(false)

  /// - Parameters:
  ///   - transport: the network.
  ///   - clock: the clock.
  ///   - queues: creates the serial queue of the sender.
  ///   - isShown: returns whether a position is still stored and not flagged. A position may have been pending for minutes.
  ///   - read: reads the webhooks from the store.
  package init(
    transport: any WebhookTransport, clock: ServerClock, queues: WorkQueues = .system,
    isShown: @escaping @Sendable (Record, Device) throws -> Bool,
    read: @escaping @Sendable () throws -> [Webhook]
  ) {
    self.transport = transport
    self.clock = clock
    queue = queues.queue("godwit.positions")
    self.isShown = isShown
    self.read = read
  }

  /// Starts sending.
  package func start() {
    state.withLock { if $0.phase == .idle { $0.phase = .running } }
    refresh()
  }

  /// Reads the webhooks again after a change.
  package func refresh() {
    queue.async { [self] in
      // If the read fails, the known webhooks stay in use.
      guard let webhooks = try? read() else { return }
      let targets = webhooks.compactMap { webhook -> PositionPlan.Target? in
        guard webhook.isEnabled, let seconds = webhook.options.positions else { return nil }
        return PositionPlan.Target(
          webhook: webhook.id, url: webhook.options.url, secret: webhook.secret, interval: seconds,
          devices: webhook.options.devices)
      }
      state.withLock { $0.plan.set(targets) }
      isWanted.store(!targets.isEmpty, ordering: .relaxed)
    }
  }

  /// Whether a webhook receives positions, as of the last read.
  var hasSubscribers: Bool { isWanted.load(ordering: .relaxed) }

  /// Holds positions until the events of the same upload were sent. Called on the store's thread, before ``noted(_:_:)``.
  package func hold(_ keys: [OrderingKey]) {
    guard hasSubscribers, !keys.isEmpty else { return }
    queue.async { [self] in
      let now = clock.uptime
      state.withLock { state in for key in keys { state.plan.hold(key, at: now) } }
    }
  }

  /// Releases positions after the events of a device were sent to a webhook, or cannot be sent now.
  /// - Parameters:
  ///   - key: the webhook and the device.
  ///   - event: the time of the last delivered event; `nil`: no event was delivered.
  package func release(_ key: OrderingKey, after event: Date?) {
    guard hasSubscribers else { return }
    queue.async { [self] in
      let now = clock.uptime
      state.withLock { $0.plan.release(key, after: event, at: now) }
      send()
    }
  }

  /// Records the positions of a stored submission. Called on the store's thread.
  /// - Parameters:
  ///   - submission: the submission.
  ///   - stored: its result.
  package func noted(_ submission: Submission, _ stored: SubmissionResult = SubmissionResult()) {
    guard hasSubscribers else { return }
    queue.async { [self] in
      state.withLock { $0.plan.add(submission.live(stored), of: submission.device, received: submission.received) }
      send()
    }
  }

  /// Stops sending, and cancels requests in flight.
  package func stop() {
    state.withLock { $0.phase = .stopped }
    transport.close()
  }

  // MARK: On the queue

  private func send() {
    let now = clock.uptime
    let turns = state.withLock { $0.phase == .running ? $0.plan.take(at: now) : [] }
    for turn in turns {
      do {
        guard try isShown(turn.record, turn.device) else {
          state.withLock { $0.plan.withdraw(turn) }
          continue
        }
      } catch {
        // If the store fails, the position is sent later, if it is still valid.
        state.withLock { $0.plan.finished(turn, arrived: false, at: now) }
        continue
      }
      let body = WebhookFormat.body(of: turn.record, device: turn.device.name)
      let request = WebhookRequest(
        url: turn.target.url,
        headers: [
          "Content-Type": "application/json", "User-Agent": "godwit/\(Version.current)",
          WebhookSignature.header: WebhookSignature.value(of: body, secret: turn.target.secret, at: clock.now),
        ], body: body)
      transport.send(request) { [weak self] result in
        guard let self else { return }
        queue.async { [self] in
          let arrived = if case .success(let response) = result { (200..<300).contains(response.status) } else { false }
          state.withLock { $0.plan.finished(turn, arrived: arrived, at: clock.uptime) }
          setAlarm()
        }
      }
    }
    setAlarm()
  }

  /// Sets the timer for the next position.
  private func setAlarm() {
    let now = clock.uptime
    let due = state.withLock { state -> Duration? in
      guard state.phase == .running, let due = state.plan.nextDue() else { return nil }
      return state.alarm.plan(due, at: now) ? due : nil
    }
    guard let due else { return }
    clock.wake(after: due - now) { [weak self] in
      guard let self else { return }
      queue.async { [self] in
        state.withLock { $0.alarm.fired(due) }
        send()
      }
    }
  }
}

extension PositionSender: Service {
  /// Sends positions until the task is cancelled.
  package func run() async throws {
    start()
    await untilCancelled()
    stop()
  }
}
